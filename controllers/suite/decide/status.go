package decide

import (
	"fmt"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// maxVariants is how many variants a status may have.
const maxVariants = 200

// rejected is the status of a suite whose content is not accepted. All else that it says is of the content before.
func rejected(o *Observation, reason, message string) benchv1alpha1.BenchmarkSuiteStatus {
	status := *o.Suite.Status.DeepCopy()
	c := condition.In(&status.Conditions, o.Suite.Generation, o.Now)
	c.False(accepted, reason, condition.Short(message))
	c.False(complete, benchv1alpha1.ReasonSuiteInvalid, "nothing is done until the specification is accepted")
	c.Unknown(regressed, benchv1alpha1.ReasonNotCompared, notComplete)
	c.Unknown(passed, benchv1alpha1.ReasonNotCompared, notComplete)
	if status.Schedule != nil {
		status.Schedule.NextScheduleTime = nil
	}
	return status
}

const notComplete = "the suite is not complete"

// status is that of a suite which is not complete, or has been before and stays so.
func (r *revision) status(starting bool) benchv1alpha1.BenchmarkSuiteStatus {
	status := r.common(starting)
	c := condition.In(&status.Conditions, r.Suite.Generation, r.Now)
	r.accept(c)
	if r.settled {
		reason, message := tally{r}.outcome(*status.Runs)
		c.True(complete, reason, message)
	} else {
		reason, message := tally{r}.awaited(*status.Runs)
		c.False(complete, reason, message)
		c.Unknown(regressed, benchv1alpha1.ReasonNotCompared, notComplete)
		c.Unknown(passed, benchv1alpha1.ReasonNotCompared, notComplete)
	}
	status.History = r.trimmed(status.History, r.settled && status.AcknowledgedUntil == nil)
	return status
}

// common is what every status of an accepted suite has.
func (r *revision) common(starting bool) benchv1alpha1.BenchmarkSuiteStatus {
	status := *r.Suite.Status.DeepCopy()
	if !r.present() {
		status = benchv1alpha1.BenchmarkSuiteStatus{
			Revision: r.Plan.Revision, Conditions: status.Conditions, History: status.History, ChangePoints: status.ChangePoints,
			Occasion: r.Plan.Occasion, Schedule: status.Schedule, RunNow: status.RunNow,
		}
	}
	if r.settled { // Runs may have been removed since; what was counted stands.
		return status
	}
	status.StartTime, status.CompletionTime = r.started(), nil
	status.Runs, status.Variants = tally{r}.counts(), tally{r}.variants()
	if r.searches() {
		status.Search = newSearch(r, r.slots).status()
	}
	if status.StartTime == nil && (starting || *status.Runs.Active > 0) {
		status.StartTime = new(r.instant())
	}
	if status.StartTime != nil {
		status.History = entered(status.History, r.Plan.Revision, *status.StartTime)
		status.History[0].Occasion = r.Plan.Occasion
	}
	return status
}

// instant is the time, as a status holds it.
func (o *Observation) instant() metav1.Time { return metav1.NewTime(o.Now.UTC()).Rfc3339Copy() }

func (r *revision) accept(c *condition.Setter) {
	message := present.Plural(int64(len(r.slots)), "run") + " of " +
		present.Plural(int64(len(r.Plan.Variants)), "variant")
	if r.searches() {
		message = fmt.Sprintf("a search through %s, of which the whole matrix would be %s",
			present.Plural(int64(len(r.Plan.Variants)), "variant"), present.Plural(int64(len(r.Plan.Slots)), "run"))
	}
	if warning := suite.Warning(r.Suite, r.Plan); warning != "" {
		message += "; " + warning
	}
	if r.Plan.Kept {
		message += "; another release of the operator began this revision, and this one, with other defaults, goes on with " +
			"it: the next change of spec has all variants that they concern measured anew"
	}
	c.True(accepted, benchv1alpha1.ReasonValid, message)
}

// tally counts the runs of a revision, and says what they come to.
type tally struct{ *revision }

// awaited is the reason for which a suite is not complete.
func (t tally) awaited(runs benchv1alpha1.RunCounts) (reason, message string) {
	ended := fmt.Sprintf("%d of %d runs have ended", *runs.Succeeded+*runs.Failed, *runs.Planned)
	switch {
	case t.stopped != "":
		return benchv1alpha1.ReasonRunsPending, t.whyStopped(t.stopped) + "; runs that had begun are being cancelled"
	case t.suspended():
		return benchv1alpha1.ReasonSuiteSuspended, "spec.suspend is true; " + ended + t.goingOn()
	default:
		return benchv1alpha1.ReasonRunsPending, ended + occasions(t).askedFor()
	}
}

// goingOn says how many runs of a suspended suite go on to their end; empty when there are none.
func (t tally) goingOn() string {
	var count int64
	for _, s := range t.slots {
		if s.run != nil && !condition.Ended(s.run) && begun(s.run) && !ptr.Deref(s.run.Spec.Suspend, false) {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return "; " + present.Plural(count, "run") + " in progress may go on to the end"
}

// outcome is the reason with which a suite is complete.
func (t tally) outcome(runs benchv1alpha1.RunCounts) (reason, message string) {
	// Once complete, the runs that it speaks of may be gone.
	if was := t.Suite.Status.Conditions; t.settled && condition.IsTrue(was, complete) {
		return condition.Find(was, complete).Reason, condition.Find(was, complete).Message
	}
	reason = t.outcomeReason(runs)
	some := fmt.Sprintf("%d of %d runs succeeded, %d failed", *runs.Succeeded, *runs.Planned, *runs.Failed)
	switch reason {
	case benchv1alpha1.ReasonAllSucceeded:
		message = "every run succeeded"
		if *runs.Untrusted > 0 {
			message += fmt.Sprintf("; %d of them in doubt", *runs.Untrusted)
		}
	case benchv1alpha1.ReasonSomeFailed, benchv1alpha1.ReasonSearched:
		message = some + t.failures()
	default:
		message = t.whyStopped(reason) + "; " + some
	}
	return reason, message
}

// outcomeReason rests, once a suite was complete, on what outlives its runs.
func (t tally) outcomeReason(runs benchv1alpha1.RunCounts) string {
	switch {
	case !t.settled && t.stopped != "":
		return t.stopped
	case t.searches() && *runs.Succeeded+*runs.Failed >= *runs.Planned:
		return benchv1alpha1.ReasonSearched
	case *runs.Failed == 0 && *runs.Succeeded >= *runs.Planned:
		return benchv1alpha1.ReasonAllSucceeded
	case *runs.Succeeded+*runs.Failed >= *runs.Planned:
		return benchv1alpha1.ReasonSomeFailed
	case ptr.Deref(t.Suite.Spec.StopOnFailure, false) && *runs.Failed > 0 && !t.late():
		return benchv1alpha1.ReasonStoppedOnFailure
	default:
		return benchv1alpha1.ReasonTimedOut
	}
}

func (t tally) whyStopped(reason string) string {
	if reason == benchv1alpha1.ReasonTimedOut {
		return "spec.timeoutSeconds passed"
	}
	return "a run did not succeed, and spec.stopOnFailure is true"
}

// failures names the first few runs that failed, with their reasons.
func (t tally) failures() string {
	const few = 3
	var said []string
	for _, s := range t.slots {
		if !t.failed(s) {
			continue
		}
		if len(said) == few {
			said = append(said, "...")
			break
		}
		said = append(said, s.Name+" ("+condition.Reason(s.run.Status.Conditions, benchv1alpha1.RunSucceeded)+")")
	}
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, ", ")
}

// counts are those of the revision's runs.
func (t tally) counts() *benchv1alpha1.RunCounts {
	var active, succeeded, failed, untrusted int32
	for _, s := range t.slots {
		switch {
		case t.failed(s):
			failed++
		case t.ended(s):
			succeeded++
			if t.inDoubt(s) {
				untrusted++
			}
		case s.run != nil && !condition.Ended(s.run):
			active++
		}
	}
	return &benchv1alpha1.RunCounts{
		Planned: new(int32(len(t.slots))), Active: &active, Succeeded: &succeeded, Failed: &failed, Untrusted: &untrusted,
	}
}

func (t tally) inDoubt(s slot) bool {
	if s.run == nil {
		return len(s.sample.Doubts) > 0
	}
	return condition.IsFalse(s.run.Status.Conditions, benchv1alpha1.RunTrusted)
}

// variants are what is known of each variant so far.
func (t tally) variants() []benchv1alpha1.VariantStatus {
	all := make([]benchv1alpha1.VariantStatus, len(t.Plan.Variants))
	throughputs, latencies := make([][]int64, len(all)), make([][]int64, len(all))
	for i, variant := range t.Plan.Variants {
		all[i] = benchv1alpha1.VariantStatus{
			Name: variant.Name, SpecHash: variant.Hash, Succeeded: new(int32), Failed: new(int32),
		}
	}
	for _, s := range t.slots {
		switch shown := &all[s.Variant]; {
		case t.failed(s):
			*shown.Failed++
		case t.ended(s):
			*shown.Succeeded++
			if shown.Step == "" {
				shown.Step = fastest(s)
			}
			throughput, latency := figuresOf(s, shown.Step)
			throughputs[s.Variant] = known(throughputs[s.Variant], throughput)
			latencies[s.Variant] = known(latencies[s.Variant], latency)
		}
	}
	for i := range all {
		all[i].OperationsPerSecond, all[i].P99Micros = median(throughputs[i]), median(latencies[i])
	}
	return all[:min(len(all), maxVariants)]
}

// known adds a value to others if there is one.
func known(values []int64, value *int64) []int64 {
	if value == nil {
		return values
	}
	return append(values, *value)
}

// fastest is the step with the highest throughput of a run that succeeded, or of what is kept of it.
func fastest(s slot) string {
	if s.run != nil {
		return ptr.Deref(s.run.Status.Summary, benchv1alpha1.RunSummary{}).Step
	}
	step, highest := "", -1.0
	for _, figure := range s.sample.Figures {
		if figure.Operation == "" && figure.Metric == benchv1alpha1.MetricOperationsPerSecond && figure.Value > highest {
			step, highest = figure.Step, figure.Value
		}
	}
	return step
}

// figuresOf are those of one step of a run that succeeded. Of a run that is gone they are there as far as its sample
// has them.
func figuresOf(s slot, step string) (throughput, latency *int64) {
	if s.run == nil {
		return kept(s.sample, benchv1alpha1.MetricOperationsPerSecond, step),
			kept(s.sample, benchv1alpha1.MetricP99Micros, step)
	}
	if summary := s.run.Status.Summary; summary != nil && summary.Step == step {
		return summary.OperationsPerSecond, summary.P99Micros
	}
	for i := range s.run.Status.Result.Steps {
		if found := &s.run.Status.Result.Steps[i]; found.Name == step {
			return found.OperationsPerSecond, found.P99Micros
		}
	}
	return nil, nil
}

// kept is what a sample has of a step as a whole, to a whole number.
func kept(sample *comparison.Sample, metric benchv1alpha1.Metric, step string) *int64 {
	value := sample.Value(comparison.Key{Metric: metric, Step: step})
	if value == nil {
		return nil
	}
	return new(int64(math.Round(*value)))
}

// median is the middle of some values, or the mean of the two in the middle; nil of none.
func median(values []int64) *int64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return new(low + (high-low)/2)
}

// Refused is the status of a suite of which the API server does not take what was planned.
func Refused(o *Observation, cause error) benchv1alpha1.BenchmarkSuiteStatus {
	return rejected(o, benchv1alpha1.ReasonVariantInvalid, cause.Error())
}

// Troubled is a status that says what could not be written, for people: it is tried again. Nothing is complete that is
// not stored.
func Troubled(o *Observation, decision Decision, trouble error) benchv1alpha1.BenchmarkSuiteStatus {
	status := decision.Status
	if decision.Unstored != nil {
		status = *decision.Unstored
	}
	if condition.IsTrue(status.Conditions, complete) {
		return status
	}
	c := condition.In(&status.Conditions, o.Suite.Generation, o.Now)
	c.False(complete, benchv1alpha1.ReasonRunsPending, condition.Short(trouble.Error()))
	return status
}
