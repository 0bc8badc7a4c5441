package local

import (
	"os"
	"syscall"
)

// ownGroup keeps a key that is pressed from the server, which is to end after the load.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends a process: here nobody can ask it to.
func terminate(process *os.Process) error { return process.Kill() }
