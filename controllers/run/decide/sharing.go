package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// sharedStages are those in which it is looked at who else is on the nodes of the members. Load pods have their places
// from the first on; others are counted from the second on.
var sharedStages = []string{
	benchv1alpha1.StageWarmingUp, benchv1alpha1.StageMeasuring, benchv1alpha1.StageCollecting,
}

// VicinityOf says on which nodes it is to be read who else is there, and for which load pod, if any, another node is to
// be looked for. That is done in every pass while steps after the load go on, by the stage of the pass before, until
// the reports are asked for; the other nodes once.
func VicinityOf(o *Observation) (nodes []string, beside *corev1.Pod) {
	said := condition.Find(o.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if said == nil || condition.Ended(o.Run) ||
		said.Reason != benchv1alpha1.StageWarmingUp && said.Reason != benchv1alpha1.StageMeasuring {
		return nil, nil
	}
	current, _ := load.Current(o.Pods)
	scene := collect.Scene{Members: o.Members, Pods: slices.Concat(current, o.GatewayPods)}
	if shared := scene.Beside(); len(shared) > 0 && o.Run.Status.Sharing == nil {
		beside = shared[0]
	}
	return scene.MemberNodes(), beside
}

// Neighbour says whether a pod on a node with a member is of another run or target, and at work.
func Neighbour(o *Observation, pod *corev1.Pod) bool {
	own := pod.Namespace == o.Run.Namespace &&
		(pod.Labels[naming.RunLabel] == o.Run.Name || pod.Labels[naming.TargetLabel] == TargetName(o.Run) ||
			o.Run.Spec.Duet != nil && pod.Labels[naming.TargetLabel] == BaselineName(o.Run))
	return !own && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// sharing is who else was on the nodes of the members, as far as it is known by now.
func sharing(s *state) *benchv1alpha1.NodeSharing {
	known := s.Run.Status.Sharing.DeepCopy()
	if s.Vicinity == nil || ends(s.Run) != nil || !slices.Contains(sharedStages, s.stage.name) {
		return known
	}
	if known == nil {
		known = &benchv1alpha1.NodeSharing{
			LoadPods: new(int32(len(s.scene().Beside()))), OtherNodes: s.Vicinity.OtherNodes,
		}
	}
	if s.stage.name != benchv1alpha1.StageWarmingUp {
		known.Neighbours = new(max(s.Vicinity.Neighbours, ptr.Deref(known.Neighbours, 0)))
	}
	return known
}
