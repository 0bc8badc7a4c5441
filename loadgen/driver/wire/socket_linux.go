package wire

import (
	"syscall"
	"unsafe"
)

// The socket never blocks, so the scheduler need not be told of these system calls. Telling it is not free, and one
// that takes more than some microseconds, as sending over the loopback interface does, would have its processor taken
// away by another thread, which has to be woken up for that.

func writeSocket(fd uintptr, bytes []byte) (int, error) {
	return socketCall(syscall.SYS_WRITE, fd, bytes)
}

func readSocket(fd uintptr, bytes []byte) (int, error) {
	return socketCall(syscall.SYS_READ, fd, bytes)
}

func socketCall(number, fd uintptr, bytes []byte) (int, error) {
	if len(bytes) == 0 {
		return 0, nil
	}
	//nolint:gosec // The kernel gets a slice's own bytes and their number.
	n, _, failure := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(&bytes[0])), uintptr(len(bytes)))
	if failure != 0 {
		return -1, failure
	}
	return int(n), nil
}
