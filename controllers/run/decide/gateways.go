package decide

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// A load that goes through a gateway begins once the gateway serves. The load pods are told the addresses of its pods,
// so that none of these is made again:
//
//	target ready ──▶ the Job of the gateway ──▶ all of its pods serve ──▶ the Job of the load pods ──▶ ... ──▶ verdict
//	a pod of the gateway ends, or is lost ──▶ the run ends with GatewayFailed or GatewayLost

// gateway is that of a run, if its load goes through one.
type gateway struct{ *state }

func (s *state) gateway() gateway { return gateway{s} }

// wanted says whether the load goes through a gateway.
func (s gateway) wanted() bool { return s.load.Plan.Gateway != nil }

// addresses of the gateway's pods; empty while not all of them serve.
func (s gateway) addresses() []string {
	if s.GatewayJob == nil {
		return nil
	}
	return load.Serving(s.GatewayPods, load.Wanted(s.GatewayJob))
}

// serves says whether load pods may be made, as far as a gateway is concerned.
func (s gateway) serves() bool { return !s.wanted() || len(s.addresses()) > 0 }

// objects are what the gateway needs: who may reach it, and its pods, which stay as they are once they are there.
func (s gateway) objects() []desired.Object {
	job := s.GatewayJob
	if job == nil && s.wanted() && s.Job == nil && s.mayBegin() {
		made := pods(s.state)
		made.Settings = s.Quota.PlaceGateway(s.Settings.Pods(s.normal().LoadGenerator.Gateway.PodSettings))
		job = made.Gateway()
	}
	if job == nil {
		return nil
	}
	return []desired.Object{load.GatewayPolicy(s.Run), job}
}

// waitsFor is what a gateway that does not serve waits for.
func (s gateway) waitsFor() string {
	switch {
	case s.GatewayJob == nil:
		return "the Job of the gateway is being made"
	case load.Suspended(s.GatewayJob):
		return load.WaitsFor(s.GatewayJob)
	}
	if fault, ok := s.podFault(); ok {
		return "the gateway does not run: " + fault.Message
	}
	return "the gateway does not serve yet"
}

// described are the load pods with those of the gateway, in words.
func (s gateway) described() string {
	if s.wanted() {
		return fmt.Sprintf("%d pods of load and gateway", s.load.Plan.Pods+s.load.Plan.Gateway.Pods)
	}
	return present.Plural(int64(s.load.Plan.Pods), "load pod")
}

// starting is the Job whose pods a run waits for, with these: that of the load pods or, before there is one, that of
// the gateway.
func (o *Observation) starting() (*batchv1.Job, []corev1.Pod) {
	if o.Job == nil {
		return o.GatewayJob, o.GatewayPods
	}
	current, _ := load.Current(o.Pods)
	return o.Job, current
}

// gatewayFailed finds the pod of the gateway that was the first to fail, or that it has too few.
func gatewayFailed(s *state) *failure {
	if !s.gateway().wanted() || s.Job == nil && s.GatewayJob == nil {
		return nil
	}
	// When one fails, the Job controller deletes the others.
	ended, deleted := gatewayRole.first(s.GatewayPods, false, s.Now), gatewayRole.first(s.GatewayPods, true, s.Now)
	switch {
	case ended != nil:
		return forMembers(s, ended)
	case deleted != nil:
		return forMembers(s, deleted)
	}
	return s.gateway().lost()
}

// lost is what is to say of a gateway of which pods are gone.
func (s gateway) lost() *failure {
	failed := condition.OfJob(s.GatewayJob, batchv1.JobFailed)
	switch {
	case s.GatewayJob == nil:
		return because(benchv1alpha1.ReasonGatewayLost,
			"the Job of the gateway was deleted; a measurement is not started again: create another BenchmarkRun")
	case failed != nil:
		return because(benchv1alpha1.ReasonGatewayLost, "a pod of the gateway is gone, and its Job failed: %s: %s",
			failed.Reason, failed.Message)
	case s.Job != nil && len(s.GatewayPods) < load.Wanted(s.GatewayJob):
		return because(benchv1alpha1.ReasonGatewayLost, "the gateway has %d of %d pods: the others are gone",
			len(s.GatewayPods), load.Wanted(s.GatewayJob))
	}
	return nil
}

// role is what a pod of a run is there for, in the words of its failure.
type role struct {
	called    string
	container string
	// failed is the reason of one that ended with an error, lost that of one that was taken away.
	failed, lost string
}

var (
	loadRole = role{
		called: "load pod", container: naming.LoadContainer, failed: benchv1alpha1.ReasonLoadPodFailed,
		lost: benchv1alpha1.ReasonLoadPodLost,
	}
	gatewayRole = role{
		called: "gateway pod", container: naming.GatewayContainer, failed: benchv1alpha1.ReasonGatewayFailed,
		lost: benchv1alpha1.ReasonGatewayLost,
	}
)

// first is the first failure of pods that serve until they are deleted, among those that are, or are not.
func (r role) first(pods []corev1.Pod, deleted bool, now time.Time) *failure {
	var first *failure
	for i := range pods {
		pod := &pods[i]
		if (pod.DeletionTimestamp != nil) != deleted {
			continue
		}
		found := r.failure(pod, now)
		if found == nil && pod.Status.Phase == corev1.PodSucceeded {
			found = &failure{r.failed, fmt.Sprintf("%s %s ended without an error", r.called, pod.Name), happened(pod)}
		}
		if found != nil && (first == nil || found.since.Before(first.since)) {
			first = found
		}
	}
	return first
}

// failure says for what a pod alone would make the run fail; nil when it would not.
func (r role) failure(pod *corev1.Pod, now time.Time) *failure {
	fault, faulty := podfault.Diagnose([]corev1.Pod{*pod}, now)
	found := &failure{reason: fault.Reason, message: fault.Message, since: happened(pod)}
	switch {
	case faulty && fault.Reason == benchv1alpha1.ReasonOOMKilled:
		return found
	case faulty && fault.Reason == benchv1alpha1.ReasonNodeLost:
		found.reason = r.lost
		return found
	case pod.DeletionTimestamp != nil:
		found.reason = r.lost
		found.message = fmt.Sprintf("%s %s was deleted", r.called, pod.Name)
		return found
	case pod.Status.Phase == corev1.PodFailed:
		found.reason = r.failed
		switch podfault.ExitCode(pod, r.container) {
		case planv1alpha1.ExitOtherRelease:
			found.reason = benchv1alpha1.ReasonVersionSkew
		case planv1alpha1.ExitReplacedTooLate:
			found.reason = r.lost
		}
		if said := podfault.TerminationMessage(pod, r.container); said != "" {
			found.message = fmt.Sprintf("%s %s: %s", r.called, pod.Name, said)
		}
		return found
	case faulty && fault.Terminal:
		return found
	}
	return nil
}
