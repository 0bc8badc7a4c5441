package price

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Money is an amount of a list's currency in billionths.
type Money int64

// perUnit is how many of Money make one of the currency, and decimals what that is in places after the point.
const perUnit, decimals = 1_000_000_000, 9

// written is how a price is written: so many digits that every one fits into Money.
var written = regexp.MustCompile(`^(\d{1,9})(?:\.(\d{1,9}))?$`)

var errPrice = errors.New(`a price is a decimal number in quotes of at most nine digits before and after the point, ` +
	`such as "0.12"`)

// UnmarshalJSON reads a decimal number that is written as a text, so that none of its digits is lost on the way.
func (m *Money) UnmarshalJSON(encoded []byte) error {
	text, err := strconv.Unquote(string(encoded))
	if err != nil {
		return errPrice
	}
	parts := written.FindStringSubmatch(text)
	if parts == nil {
		return errPrice
	}
	whole, err := strconv.ParseInt(parts[1]+parts[2]+strings.Repeat("0", decimals-len(parts[2])), 10, 64)
	if err != nil {
		return errPrice
	}
	*m = Money(whole)
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads, always with the same digits.
func (m Money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%09d"`, m/perUnit, m%perUnit), nil
}

// times is a multiple of an amount.
func (m Money) times(factor *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(int64(m)), factor)
}

// rounded is an amount to the next whole number; false when that is below zero or does not fit.
func rounded(amount *big.Rat) (int64, bool) {
	// Half a unit more, cut off: amounts are not below zero.
	twice := new(big.Int).Lsh(amount.Num(), 1)
	twice.Add(twice, amount.Denom())
	whole := twice.Quo(twice, new(big.Int).Lsh(amount.Denom(), 1))
	return whole.Int64(), amount.Sign() >= 0 && whole.IsInt64()
}
