package decide

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// Turn is what the queue answers to a run.
type Turn struct {
	// Admitted: it is the run's turn.
	Admitted bool
	// Group that it waits or is admitted in, in words.
	Group string
	// Ahead is the number of runs that come first; no more than that, unless it is Exact.
	Ahead int
	Exact bool
	// Measured are the runs of the group that are admitted; only when Ahead is exact.
	Measured []types.NamespacedName
}

// Holds says whether a run has a place of its group, as its status tells: from its admission until nothing of it is
// left. Operators that knew no queue wrote no such condition; what they accepted had begun.
func Holds(run *benchv1alpha1.BenchmarkRun) bool {
	list := run.Status.Conditions
	switch admitted := condition.Find(list, benchv1alpha1.RunAdmitted); {
	case verdictWritten(run) && condition.IsFalse(list, benchv1alpha1.RunProgressing):
		return false
	case admitted != nil:
		return condition.IsTrue(list, benchv1alpha1.RunAdmitted)
	default:
		return condition.IsTrue(list, benchv1alpha1.RunAccepted)
	}
}

// Waits says whether a run is to be in the line.
func Waits(run *benchv1alpha1.BenchmarkRun) bool {
	return !Holds(run) && !verdictWritten(run) && run.DeletionTimestamp == nil &&
		!ptr.Deref(run.Spec.Suspend, false) && !ptr.Deref(run.Spec.Cancel, false)
}

// MadeNothing says whether a run is before its turn, so that nothing of its own is there to be read.
func MadeNothing(o *Observation) bool {
	return !verdictWritten(o.Run) && !o.admitted()
}

// admitted says whether it is the run's turn, or was.
func (o *Observation) admitted() bool { return Holds(o.Run) || o.Turn.Admitted && Waits(o.Run) }

// queued says whether the run waits for its turn.
func (v *view) queued() bool { return !v.admitted() }

// waiting decides on a run whose turn it is not.
func (v *view) waiting() *Decision {
	if v.admitted() {
		return nil
	}
	return &Decision{Leave: true, Status: v.running(), Wait: v.wait()}
}

// admission decides on a run whose turn it has just become: its status says so before anything of it is made. Whatever
// happens to the operator in between, a run that has begun is known to have.
func (v *view) admission() *Decision {
	if Holds(v.Run) {
		return nil
	}
	return &Decision{Leave: true, Status: v.running(), Wait: v.wait()}
}

// admittedCondition says whether it is the run's turn. What was said at its admission stays.
func (v *view) admittedCondition(c *condition.Setter) {
	const conditionType = benchv1alpha1.RunAdmitted
	before := condition.Find(v.Run.Status.Conditions, conditionType)
	switch {
	case v.stage == benchv1alpha1.StageQueued && ptr.Deref(v.Run.Spec.Suspend, false):
		c.False(conditionType, benchv1alpha1.ReasonSuspended, v.suspension())
	case v.stage == benchv1alpha1.StageQueued:
		c.False(conditionType, benchv1alpha1.ReasonQueued, short(v.place()))
	case condition.IsTrue(v.Run.Status.Conditions, conditionType):
		c.True(conditionType, before.Reason, before.Message)
	default:
		c.True(conditionType, benchv1alpha1.ReasonAdmitted, short("it is the run's turn in "+v.Turn.Group))
	}
}

// neverAdmitted says of a run that ends before its turn that none will come.
func neverAdmitted(c *condition.Setter) {
	if before := condition.Find(c.List, benchv1alpha1.RunAdmitted); before != nil && before.Status != conditionTrue {
		c.False(benchv1alpha1.RunAdmitted, before.Reason, "the run ended before it was its turn")
	}
}

// waitsForTurn is what a run in Queued waits for.
func (v *view) waitsForTurn() string {
	if ptr.Deref(v.Run.Spec.Suspend, false) {
		return v.suspension()
	}
	return v.place()
}

// place is where a run is in its line, in words.
func (v *view) place() string {
	turn := v.Turn
	switch {
	case turn.Group == "" || turn.Admitted:
		return "the run is about to get in line"
	case !turn.Exact:
		return fmt.Sprintf("no more than %d runs of %s come first", turn.Ahead, turn.Group)
	case turn.Ahead == 0:
		return fmt.Sprintf("the next run of %s%s", turn.Group, measured(turn.Measured))
	case turn.Ahead == 1:
		return fmt.Sprintf("1 run of %s comes first%s", turn.Group, measured(turn.Measured))
	default:
		return fmt.Sprintf("%d runs of %s come first%s", turn.Ahead, turn.Group, measured(turn.Measured))
	}
}

// mostNamed is how many of the runs that are measured now a message names.
const mostNamed = 3

func measured(runs []types.NamespacedName) string {
	if len(runs) == 0 {
		return ""
	}
	names := make([]string, 0, mostNamed)
	for _, run := range runs[:min(len(runs), mostNamed)] {
		names = append(names, run.String())
	}
	text := "; measured now: " + strings.Join(names, ", ")
	if more := len(runs) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
