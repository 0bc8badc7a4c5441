package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// maxWorst is how many lines a message speaks of.
const maxWorst = 3

// complete stores the samples, compares them, and says how.
func (r *revision) complete() Decision {
	compared := r.answer()
	completed := r.completionTime()
	kept, err := archive{r.Observation}.keep(compared, completed.Time)
	if err != nil {
		return r.failedToKeep(err)
	}
	// What is stored are measurements, which no acknowledgement changes.
	acknowledgements{r}.acknowledge(&compared)
	decision := Decision{Changes: r.changes(), Status: r.completed(compared, kept), Unstored: new(r.status(false))}
	archive{r.Observation}.store(&decision, kept)
	upkeep{r}.placeTargets(&decision)
	upkeep{r}.retain(&decision)
	decision.Wait = r.wait(decision.Status)
	return decision
}

// answer is what the runs say: a comparison, or what was searched.
func (r *revision) answer() compared {
	if !r.searches() {
		return r.compare()
	}
	return compared{result: comparison.Result{
		Suite: r.Suite.Name, Revision: r.Plan.Revision, Sides: r.sides(), Search: newSearch(r, r.slots).status(),
	}}
}

func (r *revision) completed(compared compared, kept archived) benchv1alpha1.BenchmarkSuiteStatus {
	status := r.common(true)
	status.CompletionTime = new(r.completionTime())
	lines, omitted := comparison.Trim(compared.result.Lines, comparison.MostLines)
	status.Comparison, status.OmittedLines = lines, nil
	if omitted > 0 {
		status.OmittedLines = new(int32(omitted))
	}
	status.Result = kept.reference
	status.ChangePoints, status.AcknowledgedUntil = kept.changePoints, compared.acknowledgedUntil
	c := condition.In(&status.Conditions, r.Suite.Generation, r.Now)
	r.accept(c)
	reason, message := tally{r}.outcome(*status.Runs)
	if !strings.HasSuffix(message, kept.remark) {
		message += kept.remark
	}
	c.True(complete, reason, condition.Short(message))
	if status.Search = compared.result.Search; status.Search != nil {
		r.concludeSearch(c, status.Search)
	} else {
		compared.verdict(c)
		gate(c, *spec.NormaliseSuite(r.Suite.Spec).FailOn, reason)
	}
	present := &status.History[0]
	present.CompletionTime, present.ResultConfigMapName = status.CompletionTime, &kept.reference.ConfigMapName
	present.Verdict = nil
	if worst := comparison.Worst(compared.result.Lines); status.Search == nil && worst != "" {
		present.Verdict = &worst
	}
	status.History = r.trimmed(status.History, status.AcknowledgedUntil == nil)
	return status
}

// completionTime of the revision is now, unless it has been complete before.
func (r *revision) completionTime() metav1.Time {
	if r.settled {
		return *r.Suite.Status.CompletionTime
	}
	return r.instant()
}

// verdict writes the condition Regressed.
func (r compared) verdict(c *condition.Setter) {
	worst := comparison.Worst(r.counted())
	remarks := strings.Join(r.remarks, "; ")
	switch {
	case worst == benchv1alpha1.VerdictRegressed:
		c.True(regressed, benchv1alpha1.ReasonRegressed, condition.Short(join(r.worst(worst), remarks)))
	case r.noBaseline != "":
		c.Unknown(regressed, benchv1alpha1.ReasonNoBaseline, condition.Short(join(r.noBaseline, remarks)))
	case worst == benchv1alpha1.VerdictInconclusive:
		c.Unknown(regressed, benchv1alpha1.ReasonInconclusive, condition.Short(join(r.worst(worst), remarks)))
	case r.incomplete:
		c.Unknown(regressed, benchv1alpha1.ReasonInconclusive, condition.Short(remarks))
	case worst == benchv1alpha1.VerdictNotDetected:
		c.Unknown(regressed, benchv1alpha1.ReasonNotDetected, condition.Short(join(r.worst(worst), remarks)))
	case r.acknowledgedUntil != nil:
		c.False(regressed, benchv1alpha1.ReasonAcknowledged, condition.Short(remarks))
	default:
		c.False(regressed, benchv1alpha1.ReasonNoRegression, condition.Short(join(r.summary(), remarks)))
	}
}

// verdicts are those that stand behind the reasons of the condition Regressed.
var verdicts = map[string]benchv1alpha1.Verdict{
	benchv1alpha1.ReasonRegressed:    benchv1alpha1.VerdictRegressed,
	benchv1alpha1.ReasonInconclusive: benchv1alpha1.VerdictInconclusive,
	benchv1alpha1.ReasonNotDetected:  benchv1alpha1.VerdictNotDetected,
}

// gate writes the condition Passed from that of Regressed, and from the reason with which the suite is complete. A
// suite without a baseline passes: it has nothing to be worse than, and its own first revision is always such a one.
func gate(c *condition.Setter, failOn benchv1alpha1.FailOn, completeReason string) {
	verdict := c.Find(regressed)
	switch {
	case completeReason != benchv1alpha1.ReasonAllSucceeded:
		c.False(passed, completeReason, "not all runs succeeded")
	case comparison.Fails(failOn, verdicts[verdict.Reason]):
		c.False(passed, verdict.Reason, condition.Short(fmt.Sprintf("spec.failOn is %s: %s", failOn, verdict.Message)))
	default:
		c.True(passed, verdict.Reason, condition.Short(fmt.Sprintf("spec.failOn is %s: %s", failOn, verdict.Message)))
	}
}

// worst are the first lines of a verdict, in words.
func (r compared) worst(verdict benchv1alpha1.Verdict) string {
	var said []string
	for _, line := range r.counted() {
		if line.Verdict != verdict {
			continue
		}
		if len(said) == maxWorst {
			said = append(said, "and more, see status.comparison")
			break
		}
		said = append(said, spoken(line))
	}
	return strings.Join(said, "; ")
}

func (r compared) summary() string {
	metrics, improved := present.Plural(int64(len(r.result.Lines)), "metric"), 0
	for _, line := range r.result.Lines {
		if line.Verdict == benchv1alpha1.VerdictImproved {
			improved++
		}
	}
	switch {
	case len(r.result.Lines) == 0:
		return "no variant differs from the baseline " + r.baseline
	case improved > 0:
		return fmt.Sprintf("%s compared with %s: %d improved, none regressed", metrics, r.baseline, improved)
	default:
		return metrics + " compared with " + r.baseline + ": none is worse by as much as matters"
	}
}

// spoken is a line in words.
func spoken(line benchv1alpha1.ComparisonLine) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", line.Variant, line.Metric)
	if line.Step != "" {
		text.WriteString(" of " + line.Step)
	}
	if line.Operation != "" {
		text.WriteString("/" + line.Operation)
	}
	if line.EffectBasisPoints != nil {
		fmt.Fprintf(&text, " %+.1f %%", float64(*line.EffectBasisPoints)/100)
	}
	text.WriteString(" against " + line.Baseline)
	open := line.Verdict == benchv1alpha1.VerdictInconclusive || line.Verdict == benchv1alpha1.VerdictNotDetected
	if open && line.Message != "" {
		text.WriteString(" (" + line.Message + ")")
	}
	return text.String()
}

func join(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "; " + second
}

// failedToKeep leaves a suite incomplete whose result cannot be stored.
func (r *revision) failedToKeep(err error) Decision {
	decision := Decision{Changes: r.changes(), Status: r.status(false), Wait: pollPeriod}
	decision.Status = Troubled(r.Observation, decision, err)
	return decision
}
