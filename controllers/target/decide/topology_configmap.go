package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// topologyPlan tells the topology Job what to make. Its name tells its content.
func topologyPlan(t *benchv1alpha1.BenchmarkTarget) (*corev1.ConfigMap, error) {
	topology := planv1alpha1.Topology{
		Version:         planv1alpha1.Version,
		Kind:            planv1alpha1.TopologyKind(t.Spec.Topology),
		ServerVersion:   ptr.Deref(t.Spec.Version, ""),
		DeadlineSeconds: int(*t.Spec.ProvisioningSeconds),
	}
	if uriSecret(t) != nil {
		topology.Kind, topology.ServerVersion = planv1alpha1.TopologyExternal, ""
	} else {
		topology.Databases = t.Spec.Databases
		topology.WithoutUsers = product.WithoutUsers(t.Spec)
		for _, s := range sets(t.Spec) {
			addSet(t, s, &topology)
		}
	}
	if len(topology.Mongos) > 0 {
		shareOut(t.Spec, &topology)
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

func addSet(t *benchv1alpha1.BenchmarkTarget, s product.Set, topology *planv1alpha1.Topology) {
	if routes(s) {
		topology.Mongos = s.Hosts(t)
		return
	}
	replicaSet := planv1alpha1.ReplicaSet{Name: s.Name, Role: s.Role, Members: s.Hosts(t)}
	if t.Spec.Topology == benchv1alpha1.TopologyStandalone {
		replicaSet.Name = ""
	}
	topology.Sets = append(topology.Sets, replicaSet)
}

// shareOut says how the documents may move between shards.
func shareOut(spec benchv1alpha1.BenchmarkTargetSpec, topology *planv1alpha1.Topology) {
	sharded := spec.Sharded
	topology.ChunkSizeMebibytes = int(ptr.Deref(sharded.ChunkSizeMebibytes, 0))
	balancer := sharded.Balancer
	topology.Balancer = planv1alpha1.Balancer{
		Mode:  string(*balancer.Mode),
		Start: ptr.Deref(balancer.WindowStart, ""),
		Stop:  ptr.Deref(balancer.WindowStop, ""),
	}
}

// topologyResult is what the topology Job answers in. It is made without content, because the Job may write only what
// exists, and what the Job writes is left alone.
func topologyResult(t *benchv1alpha1.BenchmarkTarget) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: meta(t, naming.TopologyResultConfigMap(t.Name), naming.ComponentTopology),
	}
}
