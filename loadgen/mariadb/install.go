package mariadb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

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
