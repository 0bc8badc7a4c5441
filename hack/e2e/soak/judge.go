package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
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

// fatal says whether a run whose pod was deleted cannot succeed any more. A load pod that is lost while loading is
// replaced.
func (k Kill) fatal(measuredFrom time.Time, tolerated bool) bool {
	switch k.Component {
	case Load:
		return k.Used && k.Certain && k.At.After(measuredFrom)
	case Member:
		return k.Used && k.Certain && !tolerated
	default:
		return false
	}
}

// reasons are those for which a run may fail when a pod of its own was deleted.
var reasons = map[Component][]string{
	// A load that had to be gone on with several times may not end in time.
	Load: {benchv1alpha1.ReasonLoadPodLost, benchv1alpha1.ReasonDeadlineExceeded},
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
	// MeasuredFrom and MeasuredUntil are the begin of the first step of a run that succeeded in which something was
	// measured, and the end of the last one.
	MeasuredFrom, MeasuredUntil time.Time
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
		if kill.fatal(outcome.MeasuredFrom, tolerated) && kill.At.Add(notice).Before(outcome.MeasuredUntil) {
			return fmt.Sprintf("it succeeded, and %s was deleted %s before the end of what it measured", kill,
				outcome.MeasuredUntil.Sub(kill.At).Round(time.Millisecond))
		}
	}
	return ""
}

// runName is the name of every run, and of its target.
const runName = "bench"

// Outcomes count how the runs ended.
type Outcomes struct {
	lock sync.Mutex
	// counts by the kind of the run and the reason that it ended for.
	counts map[[2]string]int
	// kills by the part, and by what became of the run.
	kills map[[2]string]int
	wrong int
	runs  int
}

func (o *Outcomes) add(kind, reason string, kills []Kill, wrong bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.runs++
	o.counts[[2]string{kind, reason}]++
	for _, kill := range kills {
		o.kills[[2]string{string(kill.Component), reason}]++
	}
	if wrong {
		o.wrong++
	}
}

// write prints how many runs of each kind ended how, and how runs ended whose pods were deleted.
func (o *Outcomes) write(to io.Writer) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if err := writeCounts(to, "kind of run", o.counts); err != nil {
		return err
	}
	if err := writeCounts(to, "deleted", o.kills); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "%d runs, %d with an end that is not the truth\n", o.runs, o.wrong)
	return err
}

// writeCounts prints a table with a row for each first and a column for each second key.
func writeCounts(to io.Writer, title string, counts map[[2]string]int) error {
	rows, columns := map[string]bool{}, map[string]bool{}
	for key := range counts {
		rows[key[0]], columns[key[1]] = true, true
	}
	names := slices.Sorted(maps.Keys(columns))
	table := present.NewTable([]string{title}, names...)
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		words := append(make([]string, 0, 1+len(names)), row)
		for _, column := range names {
			words = append(words, strconv.Itoa(counts[[2]string{row, column}]))
		}
		table.Add(words...)
	}
	return table.Write(to, false)
}
