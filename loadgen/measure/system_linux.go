package measure

import (
	"errors"
	"os"
	"syscall"
)

// syncData brings a file's data to the disk, and what is needed to read it again, as databases do with their journals.
func syncData(file *os.File) error {
	for {
		err := syscall.Fdatasync(int(file.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
