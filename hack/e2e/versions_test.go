//go:build e2e

package e2e

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestVersions has every version of mongod that is at hand go through the same table: each topology that needs no
// mongos, with every document read back.
func TestVersions(t *testing.T) {
	t.Parallel()
	topologies := map[string]struct {
		target  func(version string) *benchv1alpha1.BenchmarkTargetSpec
		members int32
	}{
		"Standalone": {harness.Standalone, 1},
		"ReplicaSet": {func(version string) *benchv1alpha1.BenchmarkTargetSpec {
			spec := harness.ReplicaSet(version)
			spec.MongoDB.ReplicaSet.Members = new(int32(2))
			return spec
		}, 2},
		"Sharded": {func(version string) *benchv1alpha1.BenchmarkTargetSpec { return harness.Sharded(version, 2) }, 2},
	}
	for _, version := range []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"} {
		for topology, tc := range topologies {
			t.Run(version+" "+topology, func(t *testing.T) {
				t.Parallel()
				n := cluster.Namespace(t)
				run := harness.Run("bench", tc.target(version))
				run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
				n.Apply(t, run)

				ended := n.WaitSuccess(t, run)
				checkMeasured(t, ended, n.Report(t, ended))
				checkServer(t, ended, version, topology, tc.members)
			})
		}
	}
}
