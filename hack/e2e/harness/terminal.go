package harness

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// columns of the terminal.
const columns = 120

// OnTerminal runs a program that has a pseudo-terminal for its input and output, and returns its exit code and what
// was to be seen.
func OnTerminal(t *testing.T, program *exec.Cmd) (code int, said string) {
	t.Helper()
	outside, err := pty.StartWithSize(program, &pty.Winsize{Rows: 40, Cols: columns})
	if err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	defer func() { _ = outside.Close() }()
	var seen bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		// It ends with an error when the last program closes its side.
		_, _ = seen.ReadFrom(outside)
	}()
	err = program.Wait()
	<-read
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running %s: %v", program, err)
	}
	return program.ProcessState.ExitCode(), seen.String()
}

// KubectlFolder is where there is a kubectl: in PATH, or among what a local cluster is made of.
func KubectlFolder(t *testing.T) string {
	t.Helper()
	if found, err := exec.LookPath("kubectl"); err == nil {
		return filepath.Dir(found)
	}
	folder := testenv.Assets()
	if _, err := os.Stat(filepath.Join(folder, "kubectl")); err != nil {
		t.Fatalf("there is no kubectl in PATH, and in the cache neither: %v", err)
	}
	return folder
}
