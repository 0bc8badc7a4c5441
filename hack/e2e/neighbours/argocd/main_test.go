//go:build e2e

package argocd

import (
	"os"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// cluster is the cluster under test.
var cluster *harness.Cluster

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &cluster)) }
