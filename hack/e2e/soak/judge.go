package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Component is the part that a pod plays: the value of the label app.kubernetes.io/component, or Manager.
type Component string

// The parts whose pods are deleted.
const (
	Topology Component = "topology"
	Member   Component = "mongod"
	Load     Component = "load"
	Manager  Component = "manager"
)

// notice is how long after its pod was deleted a load may still have been measured: the kubelet has to be told, and a
// process that is asked to end may take a moment.
const notice = 5 * time.Second

// Kill is a pod that was deleted.
type Kill struct {
	Component Component
	Pod       string
	At        time.Time
	// Used says that the run was measuring with the pod, or had begun to: of a member, that the target was ready before
	// and after; of a load pod, that it had not ended.
	Used bool
	// Certain is false when what Used says changed at the moment of the deletion.
	Certain bool
}

func (k Kill) String() string {
	state := "used"
	switch {
	case !k.Certain:
		state = "perhaps used"
	case !k.Used:
		state = "not used"
	}
	return fmt.Sprintf("%s %s (%s)", k.Component, k.Pod, state)
}

// named says whether a message is about the pod: by its name, of a member of many by its set, of a load pod, whose
// object may be gone, by its index among them, of a topology pod by its Job, whose every pod has another name.
func (k Kill) named(message string) bool {
	if strings.Contains(message, k.Pod) {
		return true
	}
	parts := strings.Split(k.Pod, "-")
	switch {
	case k.Component == Member && len(parts) > 1:
		return strings.Contains(message, parts[len(parts)-2]+": ")
	case k.Component == Load && len(parts) > 1:
		index := "pod " + parts[len(parts)-2]
		return strings.Contains(message, index+" ") || strings.Contains(message, index+",")
	case k.Component == Topology && len(parts) > 1:
		return strings.Contains(message, "Job "+strings.Join(parts[:len(parts)-1], "-")+" ")
	}
	return false
}

// fatal says whether a run whose pod was deleted cannot succeed any more.
func (k Kill) fatal(tolerated bool) bool {
	switch k.Component {
	case Load:
		return k.Used && k.Certain
	case Member:
		return k.Used && k.Certain && !tolerated
	default:
		return false
	}
}

// reasons are those for which a run may fail when a pod of its own was deleted.
var reasons = map[Component][]string{
	Load: {benchv1alpha1.ReasonLoadPodLost},
	// A member that is deleted before the target is ready may keep it from getting so, in time or at all.
	// A set that has lost most of its members with their data cannot be mended: the others end over and over, since they
	// find no member to copy from.
	Member: {
		benchv1alpha1.ReasonTargetLost, benchv1alpha1.ReasonTargetFailed, benchv1alpha1.ReasonDeadlineExceeded,
		benchv1alpha1.ReasonCrashed,
	},
	// A topology Job begins again, each time after a longer wait, until the target's time is over.
	Topology: {benchv1alpha1.ReasonDeadlineExceeded},
}

// Outcome is how a run ended.
type Outcome struct {
	Succeeded bool
	Reason    string
	Message   string
	// MeasuredUntil is the end of the last step of a run that succeeded.
	MeasuredUntil time.Time
}

// Judge says what is wrong with an outcome; nothing when it is the truth. Tolerated says that the run's target bears
// the loss of members.
func Judge(outcome Outcome, kills []Kill, tolerated bool) string {
	if outcome.Succeeded {
		return judgeSuccess(outcome, kills, tolerated)
	}
	var possible []string
	for _, kill := range kills {
		allowed := reasons[kill.Component]
		if allowed == nil || kill.Component == Load && kill.Certain && !kill.Used {
			continue
		}
		possible = append(possible, kill.String())
		if kill.named(outcome.Message) && slices.Contains(allowed, outcome.Reason) {
			return ""
		}
	}
	if len(possible) == 0 {
		return "it failed, and nothing was deleted that it could fail for"
	}
	return "it failed, and its reason and message are of none of " + strings.Join(possible, ", ")
}

func judgeSuccess(outcome Outcome, kills []Kill, tolerated bool) string {
	for _, kill := range kills {
		if kill.fatal(tolerated) && kill.At.Add(notice).Before(outcome.MeasuredUntil) {
			return fmt.Sprintf("it succeeded, and %s was deleted %s before the end of what it measured", kill,
				outcome.MeasuredUntil.Sub(kill.At).Round(time.Millisecond))
		}
	}
	return ""
}
