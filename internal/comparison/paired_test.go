package comparison_test

import (
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// drifting are two sides of which the second is 6 % slower in each repetition, on a machine that gets slower by a half
// meanwhile.
func drifting(repetitions int) comparison.Pair {
	baseline, candidate := make([]int64, 0, repetitions), make([]int64, 0, repetitions)
	for i := range repetitions {
		now := int64(10_000 + 5000*i/repetitions)
		baseline, candidate = append(baseline, now), append(candidate, now*106/100+int64(i%3))
	}
	pair := pairOf(readP99, baseline, candidate)
	pair.Paired = true
	return pair
}

func TestWhatMovesBothSidesOfAPairHidesNothing(t *testing.T) {
	settings := only(benchv1alpha1.MetricP99Micros)
	pair := drifting(10)
	line := comparison.Compare([]comparison.Pair{pair}, settings)[0]
	if line.Verdict != benchv1alpha1.VerdictRegressed || line.Test != benchv1alpha1.TestSignedRank {
		t.Errorf("as pairs: %s by %s, %q", line.Verdict, line.Test, line.Message)
	}
	pair.Paired = false
	line = comparison.Compare([]comparison.Pair{pair}, settings)[0]
	if line.Verdict != benchv1alpha1.VerdictNotDetected || line.Test != benchv1alpha1.TestRankSum {
		t.Errorf("as two samples: %s by %s, %q", line.Verdict, line.Test, line.Message)
	}
}

func TestARepetitionWithoutItsOtherSideIsNoPair(t *testing.T) {
	pair := drifting(10)
	pair.Baseline.Samples = pair.Baseline.Samples[1:]
	pair.Candidate.Samples = pair.Candidate.Samples[:8]
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))[0]
	if line.Test != benchv1alpha1.TestSignedRank || *line.Samples != 7 || *line.BaselineSamples != 7 {
		t.Errorf("%s of %d and %d runs, want SignedRank of the 7 repetitions that both have", line.Test,
			*line.BaselineSamples, *line.Samples)
	}
}

func TestTooFewPairsAreComparedAsTwoSamples(t *testing.T) {
	line := comparison.Compare([]comparison.Pair{drifting(5)}, only(benchv1alpha1.MetricP99Micros))[0]
	if line.Test != benchv1alpha1.TestRankSum ||
		!strings.Contains(line.Message, "too few repetitions to compare them pair") {
		t.Errorf("five pairs of one line: %s, %q", line.Test, line.Message)
	}
	// Ten repetitions, the default, bear 25 lines.
	for lines, want := range map[int]benchv1alpha1.ComparisonTest{
		25: benchv1alpha1.TestSignedRank, 26: benchv1alpha1.TestRankSum,
	} {
		pairs := make([]comparison.Pair, lines)
		for i := range pairs {
			pairs[i] = drifting(10)
		}
		if got := comparison.Compare(pairs, only(benchv1alpha1.MetricP99Micros))[0].Test; got != want {
			t.Errorf("ten pairs of each of %d lines: %s, want %s", lines, got, want)
		}
	}
}

func TestPairsOfCountsHaveDifferences(t *testing.T) {
	pair := pairOf(readError, []int64{0, 0, 0, 0, 0, 0, 0}, []int64{3, 4, 5, 6, 3, 2, 9})
	pair.Paired = true
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricErrorsPerMillion))[0]
	if line.Verdict != benchv1alpha1.VerdictRegressed || line.Test != benchv1alpha1.TestSignedRank {
		t.Errorf("%s by %s, %q", line.Verdict, line.Test, line.Message)
	}
}
