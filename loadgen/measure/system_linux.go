package measure

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// rusageThread asks getrusage for the calling thread alone.
const rusageThread = 1

// ThreadTime is the CPU time that the calling thread has used; 0 where that is not known.
func ThreadTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// syncData brings a file's data to the disk, and what is needed to read it again, as databases do with their journals.
func syncData(file *os.File) error {
	for {
		err := syscall.Fdatasync(int(file.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
