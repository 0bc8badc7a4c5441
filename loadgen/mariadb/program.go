package mariadb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// ProgramName is what the program is called where it was installed.
const ProgramName = "loadgen"

// programMode lets every user run the program, and none change it.
const programMode = 0o555

// Install copies the running program into a folder, from which a container of another image runs it.
func Install(folder string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	if err := copyProgram(program, filepath.Join(folder, ProgramName)); err != nil {
		return fmt.Errorf("installing the program: %w", err)
	}
	return nil
}

// copyProgram gives the copy its name last, so that what has the name is whole. It may be repeated.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	copied, err := os.CreateTemp(filepath.Dir(to), ".installing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(copied.Name()) }()
	_, err = io.Copy(copied, source)
	if err := errors.Join(err, copied.Chmod(programMode), copied.Close()); err != nil {
		return err
	}
	return os.Rename(copied.Name(), to)
}
