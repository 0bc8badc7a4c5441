package mariadb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// Start makes this process the server, with its arguments, and leaves a process beside it that writes what the server
// uses into a file: this very program, called with the arguments that are given, a process number and the file. So the
// server is the process that the container was started with, and gets its signals. It returns only after an error.
func Start(ctx context.Context, server, writer []string, file string) error {
	program, err := exec.LookPath(server[0])
	if err != nil {
		return fmt.Errorf("looking for the server: %w", err)
	}
	if err := UsageFolder(file); err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("looking for this program: %w", err)
	}
	arguments := slices.Concat(writer, []string{strconv.Itoa(os.Getpid()), file})
	// It is not to end with this context, which is that of a program that will be another one.
	beside := exec.CommandContext(context.WithoutCancel(ctx), own, arguments...) //nolint:gosec // It is this program.
	beside.Stderr = os.Stderr
	if err := beside.Start(); err != nil {
		return fmt.Errorf("starting what looks at the server: %w", err)
	}
	//nolint:gosec // Who starts a server says which.
	if err := syscall.Exec(program, server, os.Environ()); err != nil {
		_ = beside.Process.Kill()
		return fmt.Errorf("starting %s: %w", program, err)
	}
	return nil
}
