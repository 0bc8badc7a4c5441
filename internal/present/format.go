package present

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unknown stands for what is not known.
const Unknown = "-"

// Few stands for a percentile that there are too few times for.
const Few = "few"

// Or is a text, or Unknown for an empty one.
func Or(text string) string { return cmp.Or(text, Unknown) }

// Known writes a number that may be missing.
func Known[T int32 | int64](value *T, write func(int64) string) string {
	if value == nil {
		return Unknown
	}
	return write(int64(*value))
}

// Micros writes microseconds.
func Micros(micros int64) string {
	const milli, second = 1_000, 1_000_000
	switch {
	case micros < milli:
		return fmt.Sprintf("%d µs", micros)
	case micros < second:
		return threeDigits(float64(micros)/milli) + " ms"
	default:
		return threeDigits(float64(micros)/second) + " s"
	}
}

// Millis writes milliseconds.
func Millis(millis int64) string {
	if millis == 0 {
		return "0 s"
	}
	return Micros(millis * 1000)
}

// Seconds writes a time on a clock that starts at zero.
func Seconds(elapsed time.Duration) string { return fmt.Sprintf("%.1f s", elapsed.Seconds()) }

// Count writes a whole number with a comma between groups of three digits.
func Count(number int64) string {
	digits := strconv.FormatInt(number, 10)
	sign := ""
	if number < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural writes a count of things.
func Plural(count int64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return Count(count) + " " + noun + "s"
}

// First are the first few of some texts, and then how many others there are, in words such as "and %d more".
func First(texts []string, most int, others string) []string {
	if more := len(texts) - most; more > 0 {
		return append(texts[:most:most], fmt.Sprintf(others, more))
	}
	return texts
}

var byteUnits = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// Bytes writes a size.
func Bytes(number int64) string {
	value, unit := float64(number), 0
	for value >= 1<<10 && unit < len(byteUnits)-1 {
		value, unit = value/(1<<10), unit+1
	}
	digits := threeDigits(value)
	if strings.Contains(digits, ".") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	return digits + " " + byteUnits[unit]
}

// BytesPerSecond writes a rate.
func BytesPerSecond(number int64) string { return Bytes(number) + "/s" }

// Money writes millionths of a currency, without its name: three digits that count, and at least hundredths.
func Money(micros int64) string {
	const unit, fewest, most = 1e6, 2, 6
	amount, decimals := float64(micros)/unit, fewest
	if micros != 0 {
		decimals = min(max(fewest-int(math.Floor(math.Log10(math.Abs(amount)))), fewest), most)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(amount), 'f', decimals, 64), ".")
	sign := ""
	if micros < 0 {
		sign = "-"
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + "." + fraction
}

// Share writes a part of a whole in percent.
func Share(part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	return Percent(float64(part) * 100 / float64(whole))
}

// Ratio writes a share of 1 that is given in millionths: 0.987 of 987,000.
func Ratio(millionths int64) string { return strconv.FormatFloat(float64(millionths)/1e6, 'f', -1, 64) }

// PercentMillis writes thousandths of a percent as percent, 99.9 of 99900, without a sign.
func PercentMillis(millis int64) string {
	return strconv.FormatFloat(float64(millis)/1000, 'f', -1, 64)
}

// Percent writes one decimal below ten, where it counts.
func Percent(percent float64) string {
	if math.Abs(percent) < 9.95 {
		return fmt.Sprintf("%.1f %%", percent)
	}
	return fmt.Sprintf("%.0f %%", percent)
}

// Change writes by how much something differs, from hundredths of a percent.
func Change(basisPoints *int64) string {
	if basisPoints == nil {
		return Unknown
	}
	percent := float64(*basisPoints) / 100
	if percent >= 100 {
		return "×" + threeDigits(1+percent/100)
	}
	return fmt.Sprintf("%+.1f %%", percent)
}

// Interval writes the bounds of a change.
func Interval(low, high *int64) string {
	if low == nil || high == nil {
		return Unknown
	}
	return Change(low) + " to " + Change(high)
}

func threeDigits(number float64) string {
	switch size := math.Abs(number); {
	case size < 9.995:
		return strconv.FormatFloat(number, 'f', 2, 64)
	case size < 99.95:
		return strconv.FormatFloat(number, 'f', 1, 64)
	default:
		return Count(int64(math.Round(number)))
	}
}
