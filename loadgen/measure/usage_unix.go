//go:build unix

package measure

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time of the process, user and system.
func cpuTime() time.Duration {
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return 0
	}
	return time.Duration(self.Utime.Nano() + self.Stime.Nano())
}
