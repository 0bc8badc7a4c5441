package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// A load pod that is lost before anything is measured is made again by its Job, and goes on from where the lost one
// was. No step begins meanwhile:
//
//	lost while loading   ──▶ the Job makes it again, up to load.MaxReplacements times for each index
//	its node is silent   ──▶ the Job waits for it to end; after silentTime the run does no longer
//	lost while measuring ──▶ the run ends with LoadPodLost, and with what was measured until then

// silentTime is how long a run waits for a load pod whose node does not answer, and which for that reason does not end
// and is not made again: until the node is back, or Kubernetes forgets it.
const silentTime = removalTime

// losses are what a run makes of the loss of load pods.
type losses struct{ *state }

func (s *state) losses() losses { return losses{s} }

// replaces says whether the loss of a pod is no failure of the run, for another takes its place.
func (s losses) replaces(pod *corev1.Pod) bool {
	return s.measuredSince().IsZero() && s.gone(pod) && load.Replaceable(s.Job, pod) && !s.silent(pod)
}

// silent says whether nothing was heard of a pod's node for so long that it is not waited for.
func (s losses) silent(pod *corev1.Pod) bool {
	since := podfault.SilentSince(pod)
	return !since.IsZero() && s.Now.Sub(since) >= silentTime
}

// measuredSince is when it was too late to replace a load pod: when the start of the first step after the loading was
// published, or when the only pod came to it. Zero while it is not.
func (s losses) measuredSince() time.Time {
	first := s.load.Plan.AfterLoading()
	if gate := s.ConfigMaps[naming.GateConfigMap(s.Run.Name)]; gate != nil {
		start, err := planv1alpha1.ParseStart(gate.Data[planv1alpha1.GateKey(first)])
		if err == nil {
			return start.Add(-gateLead)
		}
	}
	loading := stageOf(s.Run.Status.Stages, benchv1alpha1.StageLoading)
	switch {
	case !s.load.Measured() && (s.load.Plan.Pods > 1 || !s.load.Reached(first)):
		return time.Time{}
	case loading == nil || loading.CompletionTime == nil:
		return s.Now
	default:
		return loading.CompletionTime.Time
	}
}

// gone says whether a pod has ended before its time, or will, or is not heard of.
func (s losses) gone(pod *corev1.Pod) bool {
	fault, faulty := podfault.Diagnose([]corev1.Pod{*pod}, s.Now)
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || faulty && fault.Lost
}

// endJob says whether the Job is about to end because of a pod that was lost while measuring: the one that takes its
// place ends with an error, upon which the others are told to end.
func (s losses) endJob() bool {
	return !s.complete() || slices.ContainsFunc(s.mayFail(), func(pod *corev1.Pod) bool {
		return s.gone(pod) && load.Replaceable(s.Job, pod)
	})
}

// mayFail are the pods for whose end the run may fail: the current ones, and those that were replaced only after the
// loading, which is too late.
func (s losses) mayFail() []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range s.current {
		pods = append(pods, &s.current[i])
	}
	since := s.measuredSince()
	if since.IsZero() {
		return pods
	}
	for i := range s.replaced {
		if happened(&s.replaced[i]).After(since) {
			pods = append(pods, &s.replaced[i])
		}
	}
	return pods
}

// replacing names the load pods that are missing at present; empty when there are none.
func (s losses) replacing() string {
	var lost []string
	for i := range s.current {
		pod := &s.current[i]
		found := loadRole.failure(pod, s.Now)
		if found == nil || !s.replaces(pod) {
			continue
		}
		lost = append(lost, fmt.Sprintf("%s, and is replaced (%d of at most %d times)", found.message,
			load.Predecessors(pod)+1, load.MaxReplacements))
	}
	if len(lost) == 0 {
		return ""
	}
	return "; " + strings.Join(lost, "; ")
}

// replacedBefore says how often the pod that a run fails for was replaced.
func replacedBefore(pod *corev1.Pod) string {
	if count := load.Predecessors(pod); count > 0 {
		return fmt.Sprintf("; it had taken the place of others that were lost, %d in all", count)
	}
	return ""
}

// complete says whether every load pod is there, and has itself said where it is: what a lost one said last may look as
// if all were ready.
func (s losses) complete() bool {
	if len(s.current) < load.Wanted(s.Job) {
		return false
	}
	for i := range s.current {
		pod := &s.current[i]
		if s.replaces(pod) {
			return false
		}
		if load.Predecessors(pod) > 0 && !s.load.SaidBy(pod) {
			return false
		}
	}
	return true
}
