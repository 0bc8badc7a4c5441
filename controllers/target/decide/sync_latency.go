package decide

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// syncContainers measure how long the volume of a member that holds data takes to bring a block to its disk, before
// the server is there: afterwards the two would be in each other's way. Durable writes depend on nothing so much.
func syncContainers(s product.Set, images product.Images) []corev1.Container {
	if !s.Measured {
		return nil
	}
	return []corev1.Container{{
		Name:            naming.SyncLatencyContainer,
		Image:           images.Loadgen,
		Args:            []string{"sync-latency", "--dir", naming.DataPath},
		Resources:       s.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    s.DataMounts(),
	}}
}

// syncLatency is what those containers said, of the slowest volume; nil where none said anything, and where the volume
// is in memory.
func syncLatency(o Observation) (p50, p99 *int64) {
	var slowest reportv1alpha1.SyncMicros
	for i := range o.MemberPods {
		for _, container := range o.MemberPods[i].Status.InitContainerStatuses {
			ended := container.State.Terminated
			if container.Name != naming.SyncLatencyContainer || ended == nil || ended.ExitCode != 0 {
				continue
			}
			var said reportv1alpha1.SyncMicros
			if json.Unmarshal([]byte(ended.Message), &said) == nil && said.P99 > slowest.P99 {
				slowest = said
			}
		}
	}
	return known(slowest.P50), known(slowest.P99)
}
