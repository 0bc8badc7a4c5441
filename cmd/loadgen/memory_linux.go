package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// machineMemory is what the machine has, in bytes; the most there can be where that is not known.
func machineMemory() int64 {
	var machine unix.Sysinfo_t
	if err := unix.Sysinfo(&machine); err != nil {
		return math.MaxInt64
	}
	return int64(machine.Totalram) * int64(machine.Unit)
}
