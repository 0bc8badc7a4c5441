//go:build unix && !linux

package wire

import "syscall"

func writeSocket(fd uintptr, bytes []byte) (int, error) {
	return syscall.Write(int(fd), bytes)
}

func readSocket(fd uintptr, bytes []byte) (int, error) {
	return syscall.Read(int(fd), bytes)
}
