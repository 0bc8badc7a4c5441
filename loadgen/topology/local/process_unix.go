//go:build unix && !linux

package local

import (
	"os"
	"syscall"
)

// ownGroup keeps a key that is pressed from the server, which is to end after the load.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process to end.
func terminate(process *os.Process) error { return process.Signal(syscall.SIGTERM) }
