//go:build !linux

package observe

import "time"

// threadTime is not known elsewhere.
func threadTime() time.Duration {
	return 0
}
