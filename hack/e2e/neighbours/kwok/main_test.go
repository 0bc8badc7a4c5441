//go:build e2e

package kwok

import (
	"fmt"
	"os"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// cluster is the cluster under test.
var cluster *harness.Cluster

func TestMain(m *testing.M) {
	connected, err := harness.Connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	cluster = connected
	code := m.Run()
	if err := cluster.Summary.Write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: writing the summary:", err)
		code = 1
	}
	if err := cluster.Summary.Verdict(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}
