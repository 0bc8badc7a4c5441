package duet

import (
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// verdicts are those that a line may have.
var verdicts = []benchv1alpha1.Verdict{
	benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictUnchanged, benchv1alpha1.VerdictRegressed,
	benchv1alpha1.VerdictNotDetected, benchv1alpha1.VerdictInconclusive,
}

// Compared are the lines of a step as a comparison with the baseline has them: of those that a load pod tells the ones
// that the plan asks for, since what a pod tells may be anything.
func Compared(plan planv1.Plan, step string, told []reportv1.DuetLine, baseline string) []benchv1alpha1.ComparisonLine {
	at := slices.IndexFunc(plan.Steps, func(s planv1.Step) bool { return s.Name == step })
	if at < 0 {
		return nil
	}
	var lines []benchv1alpha1.ComparisonLine
	for _, planned := range plan.Steps[at].Compare {
		for _, line := range told {
			known := line.Metric == planned.Metric && line.Operation == planned.Operation
			if known && slices.Contains(verdicts, line.Verdict) {
				lines = append(lines, compared(step, line, baseline))
				break
			}
		}
	}
	return lines
}

func compared(step string, line reportv1.DuetLine, baseline string) benchv1alpha1.ComparisonLine {
	pairs := int32(min(max(line.Pairs, 0), mostPairs))
	one := benchv1alpha1.ComparisonLine{
		Variant: reportv1.SideCandidate, Baseline: baseline, Metric: line.Metric, Step: step, Operation: line.Operation,
		Verdict: line.Verdict, EffectBasisPoints: line.EffectBasisPoints, LowBasisPoints: line.LowBasisPoints,
		HighBasisPoints: line.HighBasisPoints, Test: benchv1alpha1.TestSequential,
		Samples: &pairs, BaselineSamples: new(pairs), Message: because(line),
	}
	if line.Baseline > 0 && line.Candidate > 0 {
		one.BaselineMedian, one.Median = new(line.Baseline), new(line.Candidate)
	}
	return one
}

// mostPairs is more than a run has time for.
const mostPairs = 1_000_000

// because says how a line came to its verdict.
func because(line reportv1.DuetLine) string {
	pairs := present.Plural(int64(line.Pairs), "pair") + " of windows"
	bounds := present.Interval(line.LowBasisPoints, line.HighBasisPoints)
	switch {
	case line.DecidedMillis > 0:
		return fmt.Sprintf("known after %s, by %s: %s", present.Millis(line.DecidedMillis), pairs, bounds)
	case line.EffectBasisPoints != nil:
		return fmt.Sprintf("not known by %s: %s; it takes a longer durationSeconds", pairs, bounds)
	default:
		return fmt.Sprintf("not known by %s, which are too few; it takes a longer durationSeconds", pairs)
	}
}
