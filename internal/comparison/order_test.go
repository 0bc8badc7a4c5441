package comparison_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

func verdicts(of ...benchv1alpha1.Verdict) []benchv1alpha1.ComparisonLine {
	lines := make([]benchv1alpha1.ComparisonLine, 0, len(of))
	for _, verdict := range of {
		lines = append(lines, benchv1alpha1.ComparisonLine{Verdict: verdict})
	}
	return lines
}

func TestWorst(t *testing.T) {
	const (
		regressed, improved     = benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved
		unchanged, inconclusive = benchv1alpha1.VerdictUnchanged, benchv1alpha1.VerdictInconclusive
	)
	tests := map[string]struct {
		lines []benchv1alpha1.ComparisonLine
		want  benchv1alpha1.Verdict
	}{
		"nothing has no verdict":                     {lines: nil, want: ""},
		"what regressed outweighs all":               {lines: verdicts(unchanged, inconclusive, regressed), want: regressed},
		"an inconclusive one outweighs improvements": {lines: verdicts(improved, inconclusive), want: inconclusive},
		"an improvement outweighs no change":         {lines: verdicts(unchanged, improved), want: improved},
		"no change is left":                          {lines: verdicts(unchanged, unchanged), want: unchanged},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := comparison.Worst(tc.lines); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLinesAreSortedByWhatMattersMost(t *testing.T) {
	pairs := make([]comparison.Pair, 0, 7)
	for _, of := range []struct {
		name      string
		candidate []int64
	}{
		{"same", []int64{1000, 1001, 1002, 1003, 1004, 1005}},
		{"few", []int64{2000}},
		{"slower", []int64{1200, 1201, 1202, 1203, 1204, 1205}},
		{"faster", []int64{800, 801, 802, 803, 804, 805}},
		{"much-slower", []int64{2000, 2001, 2002, 2003, 2004, 2005}},
		{"none", nil},
		{"same-again", []int64{1001, 1002, 1003, 1004, 1005, 1006}},
	} {
		pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004, 1005}, of.candidate)
		pair.Candidate.Name = of.name
		pairs = append(pairs, pair)
	}
	lines := comparison.Compare(pairs, only(benchv1alpha1.MetricP99Micros))
	got := make([]string, 0, len(lines))
	for _, line := range lines {
		got = append(got, line.Variant+" "+string(line.Verdict))
	}
	want := []string{
		"much-slower Regressed", "slower Regressed", "faster Improved",
		"few Inconclusive", "none Inconclusive", "same Unchanged", "same-again Unchanged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestTrim(t *testing.T) {
	lines := verdicts(benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictUnchanged)
	kept, omitted := comparison.Trim(lines, 2)
	if len(kept) != 2 || omitted != 1 || kept[0].Verdict != benchv1alpha1.VerdictRegressed {
		t.Errorf("of three lines, two fit: kept %v, omitted %d", kept, omitted)
	}
	if kept, omitted := comparison.Trim(lines, 3); len(kept) != 3 || omitted != 0 {
		t.Errorf("of three lines, three fit: kept %v, omitted %d", kept, omitted)
	}
}
