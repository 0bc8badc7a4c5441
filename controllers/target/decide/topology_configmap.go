package decide

import (
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// topologyPlan tells the topology Job what to make. Its name tells its content.
func topologyPlan(t *benchv1alpha1.BenchmarkTarget) (*corev1.ConfigMap, error) {
	topology := planv1alpha1.Topology{
		Version:         planv1alpha1.Version,
		Kind:            planv1alpha1.TopologyKind(t.Spec.Topology),
		DeadlineSeconds: int(provisioningSeconds(t.Spec)),
	}
	if t.Spec.Topology != benchv1alpha1.TopologyExternal {
		topology.Members = memberHosts(t)
	}
	if t.Spec.Topology == benchv1alpha1.TopologyReplicaSet {
		topology.ReplicaSet = naming.ReplicaSet
	}
	encoded, err := planv1alpha1.EncodeTopology(topology)
	if err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{
		ObjectMeta: meta(t, naming.TopologyPlanConfigMap(t.Name, encoded), naming.ComponentTopology),
		Immutable:  new(true),
		Data:       map[string]string{naming.TopologyPlanKey: string(encoded)},
	}, nil
}

// topologyResult is what the topology Job answers in. It is made without content, because the Job may write only what
// exists, and what the Job writes is left alone.
func topologyResult(t *benchv1alpha1.BenchmarkTarget) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: meta(t, naming.TopologyResultConfigMap(t.Name), naming.ComponentTopology),
	}
}
