package decide

import (
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// actionPatience is how long after its time an action is still carried out. What comes later than that would not be
// where the time line has it.
const actionPatience = 60 * time.Second

// Change is what is to be done to a member's pod.
type Change struct {
	// Pod as it was observed: another one of the same name is left alone.
	Pod *corev1.Pod
	// Delete it. Otherwise Partition is the value of the label that cuts it off, or empty to take that away.
	Delete    bool
	Partition string
}

// asked is an action that load pod 0 asks for.
type asked struct {
	reportv1alpha1.ActionRequest
	action planv1alpha1.Action
	// step is the name of the step.
	step string
}

// asked lists what load pod 0 asks for. What the plan does not have, or is not the operator's to do, was not asked for.
func (v *view) asked() []asked {
	if len(v.progress) == 0 || v.progress[0] == nil {
		return nil
	}
	var all []asked
	for _, request := range v.progress[0].Requests {
		if request.Step < 0 || request.Step >= len(v.plan.Steps) {
			continue
		}
		step := v.plan.Steps[request.Step]
		if request.Action < 0 || request.Action >= len(step.Actions) || !step.Actions[request.Action].Type.ByOperator() {
			continue
		}
		all = append(all, asked{request, step.Actions[request.Action], step.Name})
	}
	return all
}

// key is where the gate has the UID of the pod that the action is done to.
func (a asked) key() string { return planv1alpha1.ActionKey(a.Step, a.Action) }

// ends is when a partition does, and when any other action is to be done.
func (a asked) ends() time.Time {
	return a.At.Add(time.Duration(a.action.DurationSeconds) * time.Second)
}

// late says that it is too late to begin.
func (a asked) late(now time.Time) bool { return now.After(a.ends().Add(actionPatience)) }

// recorded is the UID of the pod that an action is or was done to; empty for one that was not begun.
func (v *view) recorded(a asked) string {
	gate := v.ConfigMaps[naming.GateConfigMap(v.Run.Name)]
	if gate == nil {
		return ""
	}
	return gate.Data[a.key()]
}

// member is the pod that a host:port leads to; nil when the target has none of that name.
func (v *view) member(host string) *corev1.Pod {
	name, _, _ := strings.Cut(host, ":")
	name, _, _ = strings.Cut(name, ".")
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// recordActions adds to the gate which pod each action is done to, before it is done: so it is done to that very pod,
// once, whoever looks again and whatever the clocks say. What is deleted must have been there when it was asked for.
func (v *view) recordActions(gate *corev1.ConfigMap) {
	if !v.stepRuns() {
		return
	}
	for _, a := range v.asked() {
		pod := v.member(a.Member)
		if pod == nil || v.recorded(a) != "" || a.late(v.Now) {
			continue
		}
		begun := pod.DeletionTimestamp == nil && !pod.CreationTimestamp.After(a.At)
		if a.action.Type == planv1alpha1.ActionPartition {
			begun = v.cutOff(pod)
		}
		if begun {
			gate.Data = withKey(gate.Data, a.key(), string(pod.UID))
		}
	}
}

func withKey(data map[string]string, key, value string) map[string]string {
	data = maps.Clone(data)
	if data == nil {
		data = map[string]string{}
	}
	data[key] = value
	return data
}

// changes are what the actions do to pods now.
func (v *view) changes() []Change {
	if !v.stepRuns() {
		return healing(&v.Observation)
	}
	var changes []Change
	for _, a := range v.asked() {
		pod := v.member(a.Member)
		if a.action.Type == planv1alpha1.ActionDeletePod && pod != nil && v.recorded(a) == string(pod.UID) &&
			pod.DeletionTimestamp == nil && !a.late(v.Now) {
			changes = append(changes, Change{Pod: pod, Delete: true})
		}
	}
	return append(changes, v.partitions()...)
}

// undone says of each action that was asked for, and for which it is too late or whose step is over, why it was not
// carried out; by the index of the request.
func (v *view) undone() map[int]string {
	why := map[int]string{}
	for i, a := range v.asked() {
		if v.stepRuns() && !a.late(v.Now) {
			continue
		}
		pod := v.member(a.Member)
		recorded := v.recorded(a)
		switch {
		case recorded == "" && pod == nil:
			why[i] = "the target has no pod of member " + a.Member
		case recorded == "":
			why[i] = fmt.Sprintf("the operator did not come to it within %s", a.ends().Add(actionPatience).Sub(a.At))
		case a.action.Type == planv1alpha1.ActionDeletePod && pod != nil && recorded == string(pod.UID) &&
			pod.DeletionTimestamp == nil:
			why[i] = fmt.Sprintf("pod %s could not be deleted", pod.Name)
		}
	}
	return why
}

// failActions writes into a report which of the operator's actions were not carried out.
func (v *view) failActions(report *reportv1alpha1.Report) {
	all := v.asked()
	for i, why := range v.undone() {
		result.Fail(report, all[i].step, all[i].action.Name, why)
	}
}

// leftAlone tells of the actions for which it is too late, in words that follow those of what the run does.
func (v *view) leftAlone() string {
	var told strings.Builder
	all := v.asked()
	undone := v.undone()
	for i, a := range all {
		if why, ok := undone[i]; ok {
			fmt.Fprintf(&told, "; action %q of step %q was left alone: %s", a.action.Name, a.step, why)
		}
	}
	return told.String()
}

// targetRefuses decides on a run of which something cannot be done to the target that it refers to.
func (v *view) targetRefuses() *Decision {
	if v.inline() || v.Target == nil || v.began() {
		return nil
	}
	if errs := validation.ValidateReferring(v.Run, v.Target); len(errs) > 0 {
		return &Decision{Leave: true, Status: rejected(&v.Observation, errs)}
	}
	return nil
}

// disturbed says whether a member of a target that tolerates it is away because of an action: it went away while the
// step of the action was measured, or shortly after that. How long it takes to come back is for the deadlines to bound.
func (v *view) disturbed(since time.Time) bool {
	if v.Target == nil || !tolerates(v.Target) {
		return false
	}
	for _, a := range v.asked() {
		if v.least/2 <= a.Step || !since.After(a.ends().Add(actionPatience)) {
			return true
		}
	}
	return false
}
