package local

import (
	"os"
	"syscall"
)

// ownGroup keeps a key that is pressed from the server, which is to end after the load, and has it end with this
// process however that ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// terminate asks a process to end.
func terminate(process *os.Process) error { return process.Signal(syscall.SIGTERM) }
