package measure

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time of the process, user and system.
func cpuTime() time.Duration {
	var created, exited, system, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(self, &created, &exited, &system, &user)
	}
	if err != nil {
		return 0
	}
	return length(system) + length(user)
}

// length is a time that Windows tells in units of 100 ns.
func length(of syscall.Filetime) time.Duration {
	return time.Duration(int64(of.HighDateTime)<<32|int64(of.LowDateTime)) * 100
}
