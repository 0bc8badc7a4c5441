//go:build e2e

package e2e

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestEncryptedConnections has members that take no other connections, sends the load through a gateway, and looks for
// what must not be seen meanwhile.
func TestEncryptedConnections(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.ReplicaSet("6.0.5")
	target.MongoDB.Security = &benchv1alpha1.SecuritySpec{
		TLS: &benchv1alpha1.TLSSpec{Mode: new(benchv1alpha1.TLSRequired)},
	}
	run := harness.Run("bench", target)
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	run.Spec.LoadGenerator.Through = new(benchv1alpha1.WayGateway)
	run.Spec.LoadGenerator.Gateway = &benchv1alpha1.Gateway{
		PoolSize: new(int32(8)), Resources: run.Spec.LoadGenerator.Resources,
	}
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	report := n.Report(t, ended)
	checkMeasured(t, ended, report)
	seen := harness.StepOf(t, report, "mixed").Gateways
	if len(seen) != 1 || seen[0].Lost || seen[0].Requests == 0 || seen[0].DatabaseMicros == 0 {
		t.Errorf("of the gateway is known: %+v", seen)
	}
	checkServer(t, ended, "6.0.5", "ReplicaSet", 3)
	if got := ended.Status.Server.TLS; got != "Enabled" {
		t.Errorf("the load's connections had TLS %q, want Enabled", got)
	}
	checkLeaks(t, n)
}

// TestWithoutAuthentication has a mongod that knows no users.
func TestWithoutAuthentication(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Standalone("6.0.5")
	target.MongoDB.Security = &benchv1alpha1.SecuritySpec{Authentication: new(benchv1alpha1.Disabled)}
	run := harness.Run("bench", target)
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	checkMeasured(t, ended, n.Report(t, ended))
	if secrets := n.Secrets(t); len(secrets) > 0 {
		t.Errorf("there are %d secrets, and none is needed", len(secrets))
	}
}
