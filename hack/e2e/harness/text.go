package harness

import (
	"time"
)

// Millis writes milliseconds as people do.
func Millis(value int64) string {
	return (time.Duration(value) * time.Millisecond).String()
}
