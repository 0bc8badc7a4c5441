//go:build e2e

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestNothingIsWrittenToADisk keeps everything in memory, by an engine that does and by a disk that is none.
func TestNothingIsWrittenToADisk(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		engine              benchv1alpha1.EngineName
		medium              corev1.StorageMedium
		storage, persistent string
	}{
		"by the engine": {
			benchv1alpha1.EngineEphemeralForTest, corev1.StorageMediumDefault, "ephemeralForTest", "Transient",
		},
		"by the medium": {benchv1alpha1.EngineWiredTiger, corev1.StorageMediumMemory, "wiredTiger", "Durable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			target := harness.Standalone("6.0.5")
			target.MongoDB.Engine = &benchv1alpha1.EngineSpec{Name: &tc.engine}
			// Of which the data may take 1 GiB.
			target.MongoDB.Resources.Limits[corev1.ResourceMemory] = *harness.Quantity("1536Mi")
			target.MongoDB.Storage = harness.Directory(tc.medium)
			target.MongoDB.Storage.EmptyDir.SizeLimit = harness.Quantity("1Gi")
			run := harness.Run("bench", target)
			n.Apply(t, run)

			ended := n.WaitSuccess(t, run)
			checkMeasured(t, ended, n.Report(t, ended))
			checkServer(t, ended, "6.0.5", "Standalone", 1)
			server := ended.Status.Server
			if server.StorageEngine != tc.storage || server.Persistence != tc.persistent {
				t.Errorf("the server is %s, %s, want %s, %s", server.StorageEngine, server.Persistence, tc.storage, tc.persistent)
			}
		})
	}
}
