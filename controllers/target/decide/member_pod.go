package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// stopSeconds is more than a mongod needs to write its last checkpoint; 11 s was seen. It is less than the 30 s within
// which a run must be gone, because a mongod that has just been started, as after a lack of memory, does not hear the
// signal and is killed when the time is over. Its journal makes that harmless.
const stopSeconds = 20

// memberPod is the pod of each member of a set.
func memberPod(t *benchv1alpha1.BenchmarkTarget, s product.Set, images product.Images) corev1.PodSpec {
	placement := ptr.Deref(t.Spec.Placement, benchv1alpha1.PlacementSpec{})
	pod := catalogue.Of(t.Spec).Pod(product.Member{Target: t, Set: s, Images: images})
	pod.InitContainers = slices.Concat(syncContainers(s, images), pod.InitContainers)
	pod.AutomountServiceAccountToken = new(false)
	pod.EnableServiceLinks = new(false)
	pod.TerminationGracePeriodSeconds = new(int64(stopSeconds))
	pod.NodeSelector = placement.NodeSelector
	pod.Tolerations = placement.Tolerations
	pod.Affinity = affinity(t, s)
	pod.TopologySpreadConstraints = spreadConstraints(t, s)
	return pod
}
