package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collecting says whether the reports are to be read: every load pod is done, or has ended in a run that ends, and
// there is no verdict yet. It returns the names of the ConfigMaps of the load pods in their order.
func Collecting(o *Observation) ([]string, bool) {
	if o.Run.DeletionTimestamp != nil || condition.Ended(o.Run) {
		return nil, false
	}
	s, err := look(o)
	if err != nil || s.stage.name != benchv1alpha1.StageCollecting && (ends(o.Run) == nil || !s.silentByNow()) {
		return nil, false
	}
	names := make([]string, 0, s.load.Plan.Pods)
	for i := range s.load.Plan.Pods {
		names = append(names, naming.PodConfigMap(o.Run.Name, i))
	}
	return names, true
}

// Lookup says what is to be read of where the pods of a run are once its report is stored. That is the last moment at
// which all of them are there, since the pass that reads the report writes the verdict, after which they go; and there
// is one such pass, so that these reads are made once per run.
func Lookup(o *Observation) (collect.Lookup, bool) {
	if o.Report == nil {
		return collect.Lookup{}, false
	}
	s, err := look(o)
	if _, collecting := Collecting(o); !collecting || err != nil {
		return collect.Lookup{}, false
	}
	return s.scene().Lookup(), true
}

// decideCollecting takes a run whose pods are done to its result.
func decideCollecting(s *state) Decision {
	c := collect.Reports{
		Run: s.Run, PlanHash: s.load.Hash, Stored: s.Report, Collection: s.Collection, Actions: s.actions(),
	}.Outcome()
	if c.Report != nil {
		return decideResult(s, *c.Report, c.Digest)
	}
	if missing := reportMissing(s, c); missing != nil {
		return Decision{Leave: true, Status: s.failed(missing)}
	}
	decision := Decision{Desired: runObjects(s), Status: s.running(), Wait: s.wait(), Changes: s.actions().Changes()}
	if c.Store != nil {
		decision.Desired = append(decision.Desired, c.Store)
	}
	return decision
}

func decideResult(s *state, stored reportv1alpha1.Report, digest string) Decision {
	summary, err := collect.Result(s.Run.Name, stored, digest)
	var doubts []result.Doubt
	if err == nil {
		doubts, err = result.Doubts(stored)
	}
	if err != nil {
		unreadable := because(benchv1alpha1.ReasonReportMissing, "%s", err.Error())
		return Decision{Leave: true, Status: s.failed(unreadable)}
	}
	status := s.succeeded(summary, s.scene().Fingerprint(s.load.Plan, s.Surroundings, stored), doubts,
		result.Remarks(stored))
	collect.ReadBack(status.Server, stored.Server)
	collect.Fit(&status)
	return Decision{Leave: true, Status: status}
}

// reportMissing is the verdict on a run whose reports do not come any more: the pods have ended, or had time enough.
func reportMissing(s *state, c collect.Outcome) *failure {
	due, _ := s.stage.due(s)
	over := !due.IsZero() && !s.Now.Before(due)
	if over && c.Store != nil {
		return because(benchv1alpha1.ReasonReportMissing, "%s", s.withTrouble("the merged report could not be stored"))
	}
	if len(c.Faults) == 0 || (!over && !s.completed()) {
		return nil
	}
	return because(benchv1alpha1.ReasonReportMissing,
		"the load pods ended, and their reports cannot be read: %s", strings.Join(c.Faults, "; "))
}

// keeps says whether target and pods of a run that has ended stay.
func keeps(run *benchv1alpha1.BenchmarkRun) bool {
	switch ptr.Deref(run.Spec.CleanupPolicy, "") {
	case benchv1alpha1.CleanupKeep:
		return true
	case benchv1alpha1.CleanupKeepOnFailure:
		return condition.IsFalse(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	default:
		return false
	}
}

// keptFor is for how much longer something is kept: not at all, for ever (0), or for a time.
func keptFor(o *Observation) (bool, time.Duration) {
	if !keeps(o.Run) {
		return false, 0
	}
	ttl := o.Run.Spec.TTLSecondsAfterFinished
	finished := condition.Find(o.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if ttl == nil || finished == nil || finished.Status != metav1.ConditionFalse {
		return true, 0
	}
	left := finished.LastTransitionTime.Add(time.Duration(*ttl) * time.Second).Sub(o.Now)
	return left > 0, max(left, 0)
}

// finished is the decision on a run that has nothing left to do: its status stays as it is. What it kept goes when its
// time is over, or when the cleanupPolicy was changed.
func finished(o *Observation) Decision {
	decision := Decision{Status: *o.Run.Status.DeepCopy(), Changes: act.Heal(o.Run, o.Members)}
	decision.Leave, decision.Wait = keptFor(o)
	return decision
}

// cleanUp removes, after the verdict, what the run made, and is finished when all of it is gone.
func cleanUp(o *Observation) Decision {
	decision := Decision{Changes: act.Heal(o.Run, o.Members)}
	decision.Leave, _ = keptFor(o)
	left := remaining(o)
	var over bool
	if entered := stageOf(o.Run.Status.Stages, benchv1alpha1.StageCleaningUp); entered != nil {
		over = o.Now.Sub(entered.StartTime.Time) >= cleaningTime
	}
	decision.Status = *o.Run.Status.DeepCopy()
	c := condition.In(&decision.Status.Conditions, o.Run.Generation, o.Now)
	stage := benchv1alpha1.ReasonFinished
	switch {
	case decision.Leave:
		c.False(benchv1alpha1.RunProgressing, stage, "the run has ended; what it made is kept, as its cleanupPolicy says")
		decision.Wait = ttlWait(o.Run)
	case len(left) == 0:
		c.False(benchv1alpha1.RunProgressing, stage, "the run has ended")
	case over:
		c.False(benchv1alpha1.RunProgressing, stage, condition.Short(fmt.Sprintf(
			"the run has ended; after %s these were still there: %s", cleaningTime, strings.Join(left, ", "))))
	default:
		stage = benchv1alpha1.StageCleaningUp
		c.True(benchv1alpha1.RunProgressing, stage, cleaningMessage)
		decision.Wait = pollPeriod
	}
	decision.Status.Stages = enter(o.Run.Status.Stages, stage, o.Now)
	return decision
}

func ttlWait(run *benchv1alpha1.BenchmarkRun) time.Duration {
	if run.Spec.TTLSecondsAfterFinished == nil {
		return 0
	}
	return max(time.Duration(*run.Spec.TTLSecondsAfterFinished)*time.Second, time.Millisecond)
}

// remaining names what a run has made and is still there: its objects, and pods that outlive their owners for a while.
func remaining(o *Observation) []string {
	left := make([]string, 0, len(o.Owned)+len(o.Pods)+len(o.TargetPods))
	for _, object := range o.Owned {
		left = append(left, kindOf(object)+" "+object.GetName())
	}
	for _, pod := range slices.Concat(o.Pods, o.TargetPods) {
		left = append(left, "Pod "+pod.Name)
	}
	slices.Sort(left)
	return left
}

// kindOf is the kind by the type's name: objects that a client returned do not carry it.
func kindOf(object any) string {
	name := fmt.Sprintf("%T", object)
	return name[strings.LastIndexByte(name, '.')+1:]
}
