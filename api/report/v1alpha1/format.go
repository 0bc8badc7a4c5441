package v1alpha1

import "fmt"

// FormatMicros writes a number of microseconds for people, with three significant digits: 640µs, 1.84ms, 12.3s.
func FormatMicros(micros int64) string {
	const milli, second = 1_000, 1_000_000
	switch {
	case micros < milli:
		return fmt.Sprintf("%dµs", micros)
	case micros < second:
		return threeDigits(float64(micros)/milli) + "ms"
	default:
		return threeDigits(float64(micros)/second) + "s"
	}
}

func threeDigits(number float64) string {
	switch {
	case number < 9.995:
		return fmt.Sprintf("%.2f", number)
	case number < 99.95:
		return fmt.Sprintf("%.1f", number)
	default:
		return fmt.Sprintf("%.0f", number)
	}
}
