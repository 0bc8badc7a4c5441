package harness

import (
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
	// What is wrong is said in front of the table, which is long: of what a failure prints, first lines are shown most.
	verdict := connected.Summary.Verdict()
	if verdict != nil {
		fmt.Fprintln(os.Stderr, "e2e:", verdict)
	}
	if err := connected.Summary.Write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	if verdict != nil {
		return 1
	}
	return code
}
