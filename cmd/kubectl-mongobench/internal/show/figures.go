package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

const unknown = "-"

// number is a Number; a dash when there is none.
func number[T int32 | int64](value *T) string {
	if value == nil {
		return unknown
	}
	return Number(int64(*value))
}

// Number writes a whole number with its thousands apart.
func Number(value int64) string {
	digits := strconv.FormatInt(value, 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

func micros(value *int64) string {
	if value == nil {
		return unknown
	}
	return reportv1.FormatMicros(*value)
}

// InUnit writes a figure in the unit of its metric; a dash when there is none.
func InUnit(metric benchv1alpha1.Metric, value *int64) string {
	switch {
	case strings.HasSuffix(string(metric), "Micros"):
		return micros(value)
	case value != nil && strings.HasSuffix(string(metric), "Bytes"):
		return output.Size(*value)
	}
	return number(value)
}

// percent writes hundredths of a percent as a change.
func percent(basisPoints *int64) string {
	if basisPoints == nil {
		return unknown
	}
	return fmt.Sprintf("%+.1f %%", float64(*basisPoints)/100)
}

// between is the interval of a change.
func between(low, high *int64) string {
	if low == nil || high == nil {
		return unknown
	}
	return fmt.Sprintf("%+.1f to %+.1f %%", float64(*low)/100, float64(*high)/100)
}

// age is how long ago something was, as kubectl writes it.
func age(at, now time.Time) string {
	if at.IsZero() {
		return unknown
	}
	return duration.HumanDuration(now.Sub(at))
}

func or(text string) string {
	if text == "" {
		return unknown
	}
	return text
}
