package harness

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

// Main connects to the cluster under test, runs the tests of a package, and prints the table of its scenarios. It
// returns the code to exit with, for a TestMain: 1 also when the manager needed too much memory.
func Main(m *testing.M, into **Cluster) int {
	connected, err := Connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	*into = connected
	code := m.Run()
	if err := errors.Join(connected.Summary.Write(os.Stdout), connected.Summary.Verdict()); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	return code
}
