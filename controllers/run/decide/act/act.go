package act

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
)

// Patience is how long after its time an action is still carried out. What comes later than that would not be
// where the time line has it.
const Patience = 60 * time.Second

// Actions are what load pod 0 asks for, and what there is to do it to.
type Actions struct {
	Run *benchv1alpha1.BenchmarkRun
	Now time.Time
	// Load has what is asked for. Running says that load pods are at a step, which must not be over.
	Load    *progress.Load
	Running bool
	// Gate is the one that was observed, or nil.
	Gate *corev1.ConfigMap
	// Members of the target.
	Members []corev1.Pod
	// CutOff are the names of those that the run's policy cuts off.
	CutOff []string
}

// request is an action that load pod 0 asks for.
type request struct {
	reportv1alpha1.ActionRequest
	action planv1alpha1.Action
	// step is the name of the step.
	step string
}

// requests lists what load pod 0 asks for. What the plan does not have, or is not the operator's to do, was not asked
// for.
func (a *Actions) requests() []request {
	var all []request
	for _, asked := range a.Load.First().Requests {
		if asked.Step < 0 || asked.Step >= len(a.Load.Plan.Steps) {
			continue
		}
		step := a.Load.Plan.Steps[asked.Step]
		if asked.Action < 0 || asked.Action >= len(step.Actions) || !step.Actions[asked.Action].Type.ByOperator() {
			continue
		}
		found := request{asked, step.Actions[asked.Action], step.Name}
		if !slices.ContainsFunc(all, func(r request) bool { return r.key() == found.key() }) {
			all = append(all, found)
		}
	}
	return all
}

// key is where the gate has the UID of the pod that the action is done to.
func (r request) key() string { return planv1alpha1.ActionKey(r.Step, r.Action) }

// ends is when a partition does, and when any other action is to be done.
func (r request) ends() time.Time {
	return r.At.Add(time.Duration(r.action.DurationSeconds) * time.Second)
}

// late says that it is too late to begin.
func (r request) late(now time.Time) bool { return now.After(r.ends().Add(Patience)) }

// recorded is the UID of the pod that an action is or was done to; empty for one that was not begun.
func (a *Actions) recorded(r request) string {
	if a.Gate == nil {
		return ""
	}
	return a.Gate.Data[r.key()]
}

// member is the pod that a host:port leads to; nil when the target has none of that name.
func (a *Actions) member(host string) *corev1.Pod {
	name, _, _ := strings.Cut(host, ":")
	name, _, _ = strings.Cut(name, ".")
	for i := range a.Members {
		if a.Members[i].Name == name {
			return &a.Members[i]
		}
	}
	return nil
}

// undone says of each action that was asked for, and for which it is too late or whose step is over, why it was not
// carried out; by the index of the request.
func (a *Actions) undone() map[int]string {
	why := map[int]string{}
	for i, r := range a.requests() {
		if a.Running && !r.late(a.Now) {
			continue
		}
		pod := a.member(r.Member)
		recorded := a.recorded(r)
		switch {
		case recorded == "" && pod == nil:
			why[i] = "the target has no pod of member " + r.Member
		case recorded == "":
			why[i] = fmt.Sprintf("the operator did not come to it within %s", r.ends().Add(Patience).Sub(r.At))
		case r.action.Type == benchv1alpha1.ActionDeletePod && pod != nil && recorded == string(pod.UID) &&
			pod.DeletionTimestamp == nil:
			why[i] = fmt.Sprintf("pod %s could not be deleted", pod.Name)
		}
	}
	return why
}

// Undone lists which of the operator's actions were not carried out, for the report.
func (a *Actions) Undone() []reportv1alpha1.UndoneAction {
	var undone []reportv1alpha1.UndoneAction
	why := a.undone()
	for i, r := range a.requests() {
		if message, ok := why[i]; ok {
			undone = append(undone, reportv1alpha1.UndoneAction{Step: r.step, Action: r.action.Name, Why: message})
		}
	}
	return undone
}

// Missed names the actions for which it is too late, in words that follow those of what the run does.
func (a *Actions) Missed() string {
	var told strings.Builder
	undone := a.undone()
	for i, r := range a.requests() {
		if why, ok := undone[i]; ok {
			fmt.Fprintf(&told, "; action %q of step %q was left alone: %s", r.action.Name, r.step, why)
		}
	}
	return told.String()
}

// Disturbed says whether a member of a target that tolerates it is away because of an action: it went away while the
// step of the action was measured, or shortly after that. How long it takes to come back is for the deadlines to bound.
func (a *Actions) Disturbed(target *benchv1alpha1.BenchmarkTarget, since time.Time) bool {
	if target == nil || target.Spec.MemberRestarts() != benchv1alpha1.MemberRestartsTolerate {
		return false
	}
	for _, r := range a.requests() {
		if a.Load.Index() <= r.Step || !since.After(r.ends().Add(Patience)) {
			return true
		}
	}
	return false
}

// Record adds to the gate which pod each action is done to, before it is done: so it is done to that very pod,
// once, whoever looks again and whatever the clocks say. What is deleted must have been there when it was asked for.
func (a *Actions) Record(gate *corev1.ConfigMap) {
	if !a.Running {
		return
	}
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if pod == nil || a.recorded(r) != "" || r.late(a.Now) {
			continue
		}
		begun := pod.DeletionTimestamp == nil && !pod.CreationTimestamp.After(r.At)
		if r.action.Type == benchv1alpha1.ActionPartition {
			begun = slices.Contains(a.CutOff, pod.Name)
		}
		if begun {
			if gate.Data == nil {
				gate.Data = map[string]string{}
			}
			gate.Data[r.key()] = string(pod.UID)
		}
	}
}

// Deletions are the pods that are to be deleted now, as they were observed: another one of the same name is left alone.
func (a *Actions) Deletions() []*corev1.Pod {
	if !a.Running {
		return nil
	}
	var pods []*corev1.Pod
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if r.action.Type == benchv1alpha1.ActionDeletePod && pod != nil && a.recorded(r) == string(pod.UID) &&
			pod.DeletionTimestamp == nil && !r.late(a.Now) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// ToCutOff are the names of the members that are to be cut off now. One that took the place of another is left alone.
func (a *Actions) ToCutOff() []string {
	if !a.Running {
		return nil
	}
	var names []string
	for _, r := range a.requests() {
		pod := a.member(r.Member)
		if r.action.Type != benchv1alpha1.ActionPartition || pod == nil || !a.Now.Before(r.ends()) {
			continue
		}
		if before := a.recorded(r); before == "" || before == string(pod.UID) {
			names = append(names, pod.Name)
		}
	}
	return names
}

// NextEnd is how long the next end of a partition is away; 0 when there is none.
func (a *Actions) NextEnd() time.Duration {
	var next time.Duration
	for _, r := range a.requests() {
		left := r.ends().Sub(a.Now)
		if r.action.Type == benchv1alpha1.ActionPartition && left > 0 && (next == 0 || left < next) {
			next = left
		}
	}
	return next
}
