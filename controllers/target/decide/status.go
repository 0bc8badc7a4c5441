package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

const (
	// lookForPods is when to look again for pods that should exist: why one could not be created is told by no watch.
	lookForPods = 3 * time.Second
	// lookForRoom is how often the nodes are looked at for a target that does not fit yet.
	lookForRoom = 2 * time.Second
	// lookForSecret is how often the Secret of an external target is looked for; other people's Secrets are not watched.
	lookForSecret = 5 * time.Second
	// lookForProvider is how often it is looked for what another operator makes, which takes seconds.
	lookForProvider = 2 * time.Second
)

// verdict is what the observation says of a target that was accepted.
type verdict struct {
	ready   bool
	stalled bool
	reason  string
	message string
	// connection and server are set once the target is ready.
	connection *benchv1alpha1.TargetConnection
	server     *benchv1alpha1.ServerFingerprint
	// again is when to look again; 0 is when something changes.
	again time.Duration
}

// progress judges a target that was accepted. A target that was given up stays so.
func progress(o Observation, status benchv1alpha1.BenchmarkTargetStatus) (
	benchv1alpha1.BenchmarkTargetStatus, time.Duration,
) {
	if condition.IsTrue(status.Conditions, benchv1alpha1.TargetStalled) {
		return status, 0
	}
	judge := judgeStarting
	if status.Connection != nil {
		judge = judgeReady
	}
	v := judge(o, status)
	conditions := condition.In(&status.Conditions, o.Target.Generation, o.Now)
	if v.ready {
		conditions.True(benchv1alpha1.TargetReady, benchv1alpha1.ReasonReady, v.message)
	} else {
		conditions.False(benchv1alpha1.TargetReady, v.reason, v.message)
	}
	if v.stalled {
		conditions.True(benchv1alpha1.TargetStalled, v.reason, v.message)
	} else {
		conditions.False(benchv1alpha1.TargetStalled, benchv1alpha1.ReasonNotStalled, "")
	}
	if v.connection != nil {
		status.Connection, status.Server = v.connection, v.server
	}
	return status, v.again
}

// judgeStarting judges a target that has never been ready. A fault that waiting does not mend ends it at once, any
// other when the time is up.
func judgeStarting(o Observation, status benchv1alpha1.BenchmarkTargetStatus) verdict {
	if held, ok := holding(o, status); ok {
		if held.stalled {
			return held
		}
		return held.within(o, status)
	}
	fault, faulty := startingFault(o)
	if faulty && fault.Terminal {
		return verdict{stalled: true, reason: fault.Reason, message: fault.Message}
	}
	if said, failed := topologyFailure(o); failed {
		if faulty {
			return verdict{stalled: true, reason: fault.Reason, message: fault.Message}
		}
		return verdict{stalled: true, reason: benchv1alpha1.ReasonTopologyFailed, message: said}
	}
	waiting := waitingFor(o)
	server, err := topologyAnswer(o)
	switch {
	case err != nil:
		return verdict{stalled: true, reason: benchv1alpha1.ReasonTopologyFailed, message: err.Error()}
	case server != nil && answerCounts(o) && len(readyMembers(o)) == len(memberNames(o.Target)):
		return verdict{ready: true, message: readyMessage(o.Target), connection: connection(o.Target), server: server}
	case faulty:
		waiting = verdict{reason: fault.Reason, message: fault.Message}
	}
	return waiting.within(o, status)
}

// holding is why the members are not made yet.
func holding(o Observation, status benchv1alpha1.BenchmarkTargetStatus) (verdict, bool) {
	if heldBack(o, status) {
		return verdict{reason: benchv1alpha1.ReasonDoesNotFit, message: short(o)}, true
	}
	if v, waits := awaitCommunity(o); waits {
		return v, true
	}
	return awaitCertificate(o)
}

// within gives up what is waited for once the deadline has passed, and otherwise says when to look again.
func (v verdict) within(o Observation, status benchv1alpha1.BenchmarkTargetStatus) verdict {
	allowed := time.Duration(*o.Target.Spec.ProvisioningSeconds()) * time.Second
	left := status.ProvisioningStartTime.Add(allowed).Sub(o.Now)
	if left > 0 {
		v.again = left
		if poll := pollInterval(o, status); poll > 0 {
			v.again = min(poll, left)
		}
		return v
	}
	v.stalled = true
	switch v.reason {
	case benchv1alpha1.ReasonPodsStarting, benchv1alpha1.ReasonTopologyPending:
		v.reason = benchv1alpha1.ReasonDeadlineExceeded
	}
	v.message = fmt.Sprintf("not ready within %d s (spec.%s.provisioningSeconds): %s", int(allowed.Seconds()),
		o.Target.Spec.Member(), v.message)
	return v
}

// pollInterval is how often to look at what no watch tells, or 0.
func pollInterval(o Observation, status benchv1alpha1.BenchmarkTargetStatus) time.Duration {
	switch {
	case waitsForSecret(o):
		return lookForSecret
	case waitsForCertificate(o), waitsForCommunity(o):
		return lookForProvider
	case heldBack(o, status):
		return lookForRoom
	case o.ApplyFault.Reason != "", len(o.MemberPods) < len(memberNames(o.Target)), len(o.TopologyPods) == 0:
		return lookForPods
	}
	return 0
}

// waitingFor is what a target without a fault waits for.
func waitingFor(o Observation) verdict {
	if waitsForSecret(o) {
		return verdict{reason: benchv1alpha1.ReasonSecretNotFound, message: secretMessage(o)}
	}
	if len(readyMembers(o)) < len(memberNames(o.Target)) {
		if fault, ok := podfault.Restarted(o.MemberPods); ok {
			return verdict{reason: fault.Reason, message: fault.Message}
		}
		return verdict{reason: benchv1alpha1.ReasonPodsStarting, message: membersMessage(o)}
	}
	if lost := forgotten(o); lost != "" {
		return verdict{reason: benchv1alpha1.ReasonTopologyPending, message: lost}
	}
	message := topologyDoing(o.Target.Spec) + topologyLosses(o) + topologyHeld(o)
	return verdict{reason: benchv1alpha1.ReasonTopologyPending, message: message}
}

// topologyDoing says what the topology Job is there for.
func topologyDoing(spec benchv1alpha1.BenchmarkTargetSpec) string {
	switch {
	case preparesItself(spec):
		return "the server is being looked at"
	case spec.Topology() == benchv1alpha1.TopologyStandalone:
		return "the users are being made"
	case spec.Topology() == benchv1alpha1.TopologyReplicaSet:
		return "the replica set and its users are being made"
	case spec.Topology() == benchv1alpha1.TopologySharded:
		return "the shards and their users are being made"
	default:
		return "the database is being looked at"
	}
}

// topologyLosses says how often the topology Job had to begin again: each time it waits longer.
func topologyLosses(o Observation) string {
	if o.TopologyJob == nil || o.TopologyJob.Status.Failed == 0 {
		return ""
	}
	return fmt.Sprintf("; Job %s had to begin again, %d of its pods failed or were deleted", o.TopologyJob.Name,
		o.TopologyJob.Status.Failed)
}

func waitsForSecret(o Observation) bool {
	_, missing := missingSecret(o)
	return missing
}

func secretMessage(o Observation) string {
	secret, _ := missingSecret(o)
	if secret.State == SecretKeyMissing {
		return fmt.Sprintf("Secret %s has no key %s; put %s there", secret.Name, secret.Key, secret.Holds)
	}
	return fmt.Sprintf("no Secret %s with the label %s: %q exists; create it, with %s under the key %s", secret.Name,
		naming.ConnectionLabel, naming.ConnectionAllowed, secret.Holds, secret.Key)
}

// startingFault is the first fault of the members, of their creation, of the topology Job's pod, or of what the API
// server refused. That the topology program failed is not among them: the Job says so, with the program's own words.
func startingFault(o Observation) (podfault.Fault, bool) {
	if fault, ok := podfault.Diagnose(o.MemberPods, o.Now); ok {
		if room := short(o); fault.Reason == benchv1alpha1.ReasonUnschedulable && room != "" {
			fault.Message += "; counted by what pods ask for: " + room
		}
		return fault, true
	}
	if fault, ok := podfault.DiagnoseEvents(o.FailedCreates); ok {
		return fault, true
	}
	fault, ok := podfault.Diagnose(o.TopologyPods, o.Now)
	if ok && fault.Reason != benchv1alpha1.ReasonCrashed && !fault.Lost {
		return fault, true
	}
	return refusal(o), o.ApplyFault.Reason != ""
}

func seconds(t time.Time) *metav1.Time {
	return new(metav1.NewTime(t.UTC().Truncate(time.Second)))
}

// maxSetsNamed is how many sets a message names at most.
const maxSetsNamed = 8

// judgeReady judges a target that was ready.
func judgeReady(o Observation, status benchv1alpha1.BenchmarkTargetStatus) verdict {
	if ByCommunity(o.Target.Spec) {
		return judgeCommunity(o)
	}
	return judgeMembers(o, readySince(o, status))
}

// judgeMembers judges the members of a target that was ready. One that went away or restarted ends it: its cache is
// cold, its primary may be another one, and what is measured before and after is not the same thing. Where that is what
// is measured, it is waited for. A node that is silent for a while ends nothing, as long as nothing restarted.
func judgeMembers(o Observation, since time.Time) verdict {
	tolerated := toleratesRestarts(o.Target.Spec)
	fault, faulty := podfault.Diagnose(o.MemberPods, o.Now)
	gone := fault.Reason == benchv1alpha1.ReasonCrashed || tolerated && fault.Lost
	if faulty && fault.Terminal && !gone {
		return verdict{stalled: true, reason: fault.Reason, message: fault.Message}
	}
	what := restarted(o, since)
	switch {
	case what != "" && !tolerated:
		return verdict{stalled: true, reason: benchv1alpha1.ReasonMemberRestarted, message: what}
	case faulty && (what == "" || !gone):
		return verdict{reason: fault.Reason, message: fault.Message}
	case what != "":
		return verdict{reason: benchv1alpha1.ReasonMemberRestarting, message: what}
	}
	return verdict{ready: true, message: readyMessage(o.Target)}
}

func toleratesRestarts(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.MemberRestarts() == benchv1alpha1.MemberRestartsTolerate
}

// readySince is when the target became ready: when the topology Job ended, by the same clock that dates the pods. The
// condition stands in for a Job that is not there; by itself it would forget the time when a node was silent in
// between.
func readySince(o Observation, status benchv1alpha1.BenchmarkTargetStatus) time.Time {
	if o.TopologyJob != nil && o.TopologyJob.Status.CompletionTime != nil {
		return o.TopologyJob.Status.CompletionTime.Time
	}
	if ready := condition.Find(status.Conditions, benchv1alpha1.TargetReady); ready != nil {
		return ready.LastTransitionTime.Time
	}
	return o.Now
}

// restarted says in words which member went away or started again after an instant; empty is none. A restart that is
// tolerated is over once the member is ready again.
func restarted(o Observation, since time.Time) string {
	tolerated := toleratesRestarts(o.Target.Spec)
	for _, name := range memberNames(o.Target) {
		i := slices.IndexFunc(o.MemberPods, func(pod corev1.Pod) bool { return pod.Name == name })
		if i < 0 {
			return fmt.Sprintf("pod %s was deleted after the target was ready", name)
		}
		what := restart(&o.MemberPods[i], since)
		if over := tolerated && isReady(&o.MemberPods[i]); what != "" && !over {
			return what
		}
	}
	return ""
}

func restart(pod *corev1.Pod, since time.Time) string {
	container := serverOf(pod)
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Sprintf("pod %s is being deleted after the target was ready", pod.Name)
	case pod.CreationTimestamp.After(since):
		return fmt.Sprintf("pod %s was replaced after the target was ready", pod.Name)
	case startedAgain(pod, since):
		return fmt.Sprintf("pod %s, container %s ended after the target was ready: %s",
			pod.Name, container, podfault.TerminationMessage(pod, container))
	}
	return ""
}

// serverOf is the name of a member's container that runs the server. Webhooks may put others before it and after it,
// such as the proxy of a service mesh.
func serverOf(pod *corev1.Pod) string {
	at := slices.IndexFunc(pod.Spec.Containers, func(c corev1.Container) bool { return slices.Contains(servers, c.Name) })
	if at < 0 {
		return ""
	}
	return pod.Spec.Containers[at].Name
}

// servers are the names of the containers that run one.
var servers = append(catalogue.Programs(), naming.MongosContainer)

// startedAgain wants a restart to be counted as well as dated, because the node that dates it has a clock of its own.
func startedAgain(pod *corev1.Pod, since time.Time) bool {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name != serverOf(pod) {
			continue
		}
		if container.State.Terminated != nil {
			return true
		}
		last := container.LastTerminationState.Terminated
		return container.RestartCount > 0 && last != nil && last.FinishedAt.After(since)
	}
	return false
}

// memberNames are the names of the members' pods, of all sets; none for an external target.
func memberNames(t *benchv1alpha1.BenchmarkTarget) []string {
	all := make([][]string, 0, len(sets(t.Spec)))
	for _, s := range sets(t.Spec) {
		all = append(all, s.Pods(t))
	}
	return slices.Concat(all...)
}

// readyMembers are the names of the members' pods that are ready.
func readyMembers(o Observation) map[string]bool {
	ready := map[string]bool{}
	for i := range o.MemberPods {
		if isReady(&o.MemberPods[i]) {
			ready[o.MemberPods[i].Name] = true
		}
	}
	return ready
}

func isReady(pod *corev1.Pod) bool {
	ready := podfault.Condition(pod, corev1.PodReady)
	return pod.DeletionTimestamp == nil && ready != nil && ready.Status == corev1.ConditionTrue
}

// membersMessage says how many members are ready, and which are missing; of more than one set which set has not all.
func membersMessage(o Observation) string {
	all, ready := sets(o.Target.Spec), readyMembers(o)
	wanted := 0
	var behind []string
	for _, s := range all {
		wanted += s.Members
		running := 0
		for _, name := range s.Pods(o.Target) {
			if ready[name] {
				running++
			}
		}
		if running < s.Members {
			behind = append(behind, fmt.Sprintf("%s: %d of %d", s.Name, running, s.Members))
		}
	}
	message := fmt.Sprintf("%d of %d members are ready", len(ready), wanted)
	if len(all) == 1 || len(behind) == 0 {
		return message + missing(o)
	}
	behind = present.First(behind, maxSetsNamed, "and %d more sets")
	return fmt.Sprintf("%s (%s)", message, strings.Join(behind, ", "))
}

// missing names the members that are not ready, the first of many.
func missing(o Observation) string {
	const most = 8
	ready := readyMembers(o)
	names := slices.DeleteFunc(memberNames(o.Target), func(name string) bool { return ready[name] })
	if len(names) == 0 {
		return ""
	}
	return "; not ready: " + strings.Join(present.First(names, most, "%d more"), ", ")
}
