package v1alpha1

import (
	"fmt"
	"strconv"
	"time"
)

// GateKey is the key of a gate ConfigMap's data that holds the start instant of the plan's step with this index.
func GateKey(step int) string {
	return fmt.Sprintf("start-%d", step)
}

// ActionKey is the key of a gate ConfigMap's data under which the operator notes the UID of the pod that it does an
// action of a step to.
func ActionKey(step, action int) string {
	return fmt.Sprintf("action-%d-%d", step, action)
}

// FormatStart writes a start instant as the gate holds it: nanoseconds since 1970.
func FormatStart(start time.Time) string {
	return strconv.FormatInt(start.UnixNano(), 10)
}

// ParseStart reads what FormatStart wrote.
func ParseStart(text string) (time.Time, error) {
	nanos, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading start instant %q: %w", text, err)
	}
	return time.Unix(0, nanos), nil
}
