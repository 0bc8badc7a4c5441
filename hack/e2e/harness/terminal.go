package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// columns of the terminal.
const columns = 120

// OnTerminal runs a program that has a pseudo-terminal for its input and output, and returns its exit code and what
// was to be seen.
func OnTerminal(t *testing.T, program *exec.Cmd) (code int, said string) {
	t.Helper()
	outside, inside := terminal(t)
	program.Stdin, program.Stdout, program.Stderr = inside, inside, inside
	program.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	_ = inside.Close()
	var seen bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		// It ends with an error when the last program closes its side.
		_, _ = seen.ReadFrom(outside)
	}()
	err := program.Wait()
	<-read
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running %s: %v", program, err)
	}
	return program.ProcessState.ExitCode(), seen.String()
}

// terminal opens a pseudo-terminal: what its user sees, and what a program does.
func terminal(t *testing.T) (outside, inside *os.File) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = outside.Close() })
	descriptor := int(outside.Fd())
	number, err := unix.IoctlGetInt(descriptor, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(descriptor, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(descriptor, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns})
	}
	if err != nil {
		t.Fatalf("setting up a terminal: %v", err)
	}
	inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return outside, inside
}

// KubectlFolder is where there is a kubectl: in PATH, or among what a local cluster is made of.
func KubectlFolder(t *testing.T) string {
	t.Helper()
	if found, err := exec.LookPath("kubectl"); err == nil {
		return filepath.Dir(found)
	}
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache", "mongobench")
	}
	found, err := filepath.Glob(filepath.Join(cache, "kubernetes", "*", "bin", "kubectl"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no kubectl, neither in PATH nor in %s/kubernetes (%v)", cache, err)
	}
	return filepath.Dir(slices.Max(found))
}
