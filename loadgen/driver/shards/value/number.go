package value

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// beyondInt64 is the least double that is larger than every int64.
const beyondInt64 = 1 << 63

func integer(v bsoncore.Value) (int64, bool) {
	switch v.Type {
	case bsoncore.TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(v.Data))), true
	case bsoncore.TypeInt64:
		return int64(binary.LittleEndian.Uint64(v.Data)), true
	default:
		return 0, false
	}
}

func float(v bsoncore.Value) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v.Data))
}

// asInt64 cuts a number off to a whole one, as MongoDB does before it hashes it.
func asInt64(v bsoncore.Value) int64 {
	if number, ok := integer(v); ok {
		return number
	}
	if v.Type == bsoncore.TypeDouble {
		return truncate(float(v))
	}
	rank, number := exactly(v)
	switch {
	case rank == notANumber:
		return 0
	case rank != 0:
		return truncate(math.Inf(rank))
	}
	whole := new(big.Int).Quo(number.Num(), number.Denom())
	if whole.IsInt64() {
		return whole.Int64()
	}
	return truncate(math.Inf(whole.Sign()))
}

func truncate(number float64) int64 {
	switch {
	case math.IsNaN(number):
		return 0
	case number >= beyondInt64:
		return math.MaxInt64
	case number < -beyondInt64:
		return math.MinInt64
	default:
		return int64(number)
	}
}

// rational is a decimal number exactly. It must be finite.
func rational(d bson.Decimal128) *big.Rat {
	digits, exponent, err := d.BigInt()
	if err != nil {
		return new(big.Rat)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent < 0 {
		return new(big.Rat).SetFrac(digits, power)
	}
	return new(big.Rat).SetInt(digits.Mul(digits, power))
}

// compareNumbers puts numbers of any type into one order; what is no number is the least.
func compareNumbers(a, b bsoncore.Value) int {
	wholeA, isWholeA := integer(a)
	wholeB, isWholeB := integer(b)
	switch {
	case isWholeA && isWholeB:
		return cmp.Compare(wholeA, wholeB)
	case a.Type == bsoncore.TypeDecimal128 || b.Type == bsoncore.TypeDecimal128:
		return compareDecimals(a, b)
	case isWholeA:
		return -compareFloat(float(b), wholeA)
	case isWholeB:
		return compareFloat(float(a), wholeB)
	default:
		return cmp.Compare(float(a), float(b))
	}
}

// compareFloat compares exactly: not every int64 is a float64.
func compareFloat(number float64, whole int64) int {
	const exact = 1 << 53
	switch {
	case math.IsNaN(number):
		return -1
	case whole > -exact && whole < exact:
		return cmp.Compare(number, float64(whole))
	case number >= beyondInt64:
		return 1
	case number < -beyondInt64:
		return -1
	default:
		return cmp.Compare(int64(number), whole)
	}
}

// compareDecimals compares numbers of which one is a Decimal128.
func compareDecimals(a, b bsoncore.Value) int {
	rankA, exactA := exactly(a)
	rankB, exactB := exactly(b)
	if rankA != 0 || rankB != 0 {
		return cmp.Compare(rankA, rankB)
	}
	return exactA.Cmp(exactB)
}

// notANumber is the rank of what is no number at all, below that of both infinities.
const notANumber = -2

// exactly is a number as it is, or the rank of one that is not finite: no number at all, and the infinities.
func exactly(v bsoncore.Value) (rank int, _ *big.Rat) {
	if whole, ok := integer(v); ok {
		return 0, new(big.Rat).SetInt64(whole)
	}
	if v.Type == bsoncore.TypeDecimal128 {
		d := bson.NewDecimal128(binary.LittleEndian.Uint64(v.Data[8:]), binary.LittleEndian.Uint64(v.Data))
		switch {
		case d.IsNaN():
			return notANumber, nil
		case d.IsInf() != 0:
			return d.IsInf(), nil
		default:
			return 0, rational(d)
		}
	}
	number := float(v)
	switch {
	case math.IsNaN(number):
		return notANumber, nil
	case math.IsInf(number, 0):
		return cmp.Compare(number, 0), nil
	default:
		return 0, new(big.Rat).SetFloat64(number)
	}
}
