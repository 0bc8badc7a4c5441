package observe

import (
	"syscall"
	"time"
)

// rusageThread asks getrusage for the calling thread alone.
const rusageThread = 1

// threadTime is the CPU time that the calling thread has used.
func threadTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
