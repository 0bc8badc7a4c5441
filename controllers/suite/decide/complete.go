package decide

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

const (
	// maxLines is how much of a comparison a status holds.
	maxLines = 48
	// maxWorst is how many lines a message speaks of.
	maxWorst = 3
)

// completing says whether the revision is to be compared now: its last run has ended, or what it is compared by
// changed.
func (v *view) completing() bool {
	if !v.settled {
		return v.allEnded()
	}
	was := condition.Find(v.Suite.Status.Conditions, regressed)
	return was == nil || was.Reason == benchv1alpha1.ReasonNotCompared || was.ObservedGeneration != v.Suite.Generation ||
		v.awaitsBaseline(v.Suite.Status.Conditions)
}

// awaitsBaseline says whether a suite is complete but for another one.
func (v *view) awaitsBaseline(conditions []metav1.Condition) bool {
	baseline := v.Suite.Spec.Baseline
	return baseline != nil && baseline.Suite != nil && condition.IsTrue(conditions, complete) &&
		condition.Reason(conditions, regressed) == benchv1alpha1.ReasonNoBaseline
}

// complete stores the samples, compares them, and says how.
func (v *view) complete() Decision {
	compared := v.compare()
	completed := v.completionTime()
	kept, err := v.keep(compared, completed.Time)
	if err != nil {
		return v.failedToKeep(err)
	}
	decision := Decision{Changes: v.changes(), Status: v.completed(compared, kept), Unstored: new(v.status(false))}
	v.storeResult(&decision, kept)
	v.storeHistory(&decision, kept)
	v.placeTargets(&decision)
	v.retain(&decision)
	decision.Wait = v.wait(decision.Status)
	return decision
}

func (v *view) completed(compared compared, kept kept) benchv1alpha1.BenchmarkSuiteStatus {
	status := v.common(true)
	status.CompletionTime = new(v.completionTime())
	lines, omitted := comparison.Trim(compared.result.Lines, maxLines)
	status.Comparison, status.OmittedLines = lines, nil
	if omitted > 0 {
		status.OmittedLines = new(int32(omitted))
	}
	status.Result = kept.reference
	status.ChangePoints = kept.changePoints
	c := condition.New(status.Conditions, v.Suite.Generation, v.Now)
	v.accept(c)
	reason, message := v.outcome(*status.Runs)
	if !strings.HasSuffix(message, kept.remark) {
		message += kept.remark
	}
	c.True(complete, reason, short(message))
	compared.verdict(c)
	status.Conditions = c.List
	present := &status.History[0]
	present.CompletionTime, present.ResultConfigMapName = status.CompletionTime, &kept.reference.ConfigMapName
	present.Verdict = nil
	if worst := comparison.Worst(compared.result.Lines); worst != "" {
		present.Verdict = &worst
	}
	status.History = v.trimmed(status.History, true)
	return status
}

// completionTime of the revision is now, unless it has been complete before.
func (v *view) completionTime() metav1.Time {
	if v.settled {
		return *v.Suite.Status.CompletionTime
	}
	return v.instant()
}

// verdict writes the condition Regressed.
func (r compared) verdict(c *condition.Setter) {
	worst := comparison.Worst(r.result.Lines)
	remarks := strings.Join(r.remarks, "; ")
	switch {
	case worst == benchv1alpha1.VerdictRegressed:
		c.True(regressed, benchv1alpha1.ReasonRegressed, short(join(r.worst(worst), remarks)))
	case r.noBaseline != "":
		c.Unknown(regressed, benchv1alpha1.ReasonNoBaseline, short(join(r.noBaseline, remarks)))
	case worst == benchv1alpha1.VerdictInconclusive:
		c.Unknown(regressed, benchv1alpha1.ReasonInconclusive, short(join(r.worst(worst), remarks)))
	case r.incomplete:
		c.Unknown(regressed, benchv1alpha1.ReasonInconclusive, short(remarks))
	default:
		c.False(regressed, benchv1alpha1.ReasonNoRegression, short(join(r.summary(), remarks)))
	}
}

// worst are the first lines of a verdict, in words.
func (r compared) worst(verdict benchv1alpha1.Verdict) string {
	var said []string
	for _, line := range r.result.Lines {
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
	improved := 0
	for _, line := range r.result.Lines {
		if line.Verdict == benchv1alpha1.VerdictImproved {
			improved++
		}
	}
	switch {
	case len(r.result.Lines) == 0:
		return "no variant differs from the baseline " + r.baseline
	case improved > 0:
		return fmt.Sprintf("%s compared with %s: %d improved, none regressed",
			count(len(r.result.Lines), "metric"), r.baseline, improved)
	default:
		return count(len(r.result.Lines), "metric") + " compared with " + r.baseline + ": unchanged"
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
	if line.Verdict == benchv1alpha1.VerdictInconclusive && line.Message != "" {
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
func (v *view) failedToKeep(err error) Decision {
	decision := Decision{Changes: v.changes(), Status: v.status(false), Wait: pollPeriod}
	decision.Status = Troubled(v.Observation, decision, err)
	return decision
}
