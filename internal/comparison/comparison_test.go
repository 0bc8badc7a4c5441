package comparison_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// TestVerdict goes through the table of the package's documentation: each row with the numbers next to where it ends.
func TestVerdict(t *testing.T) {
	higher := benchv1alpha1.HigherIsBetter
	wanted := limited(5, 95)
	wanted.Thresholds[0].Direction = &higher
	tests := map[string]struct {
		pair     comparison.Pair
		settings comparison.Settings
		want     benchv1alpha1.Verdict
		says     string
	}{
		"a latency that grew by more than matters regressed": {
			pair:     pairOf(readP99, []int64{1500, 1510, 1520, 1530, 1540}, []int64{1820, 1830, 1840, 1850, 1860}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictRegressed,
			says:     "p99 of find in step read: 1.84 ms, 21 % more than the baseline of 1.52 ms (19 to 23 %), p = 0.0079",
		},
		"a latency that shrank by more than matters improved": {
			pair:     pairOf(readP99, []int64{1820, 1830, 1840, 1850, 1860}, []int64{1500, 1510, 1520, 1530, 1540}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictImproved,
			says:     "p99 of find in step read: 1.52 ms, 17 % less than the baseline of 1.84 ms (-19 to -16 %), p = 0.0079",
		},
		"a throughput that grew improved": {
			pair:     pairOf(readRate, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1100, 1101, 1102, 1103, 1104}),
			settings: only(benchv1alpha1.MetricOperationsPerSecond),
			want:     benchv1alpha1.VerdictImproved,
			says:     "throughput in step read: 1,102/s, 10 % more than the baseline of 1,002/s (9.7 to 10 %), p = 0.0079",
		},
		"a direction that was given decides which change is for the worse": {
			pair:     pairOf(readP99, []int64{1500, 1510, 1520, 1530, 1540}, []int64{1820, 1830, 1840, 1850, 1860}),
			settings: wanted,
			want:     benchv1alpha1.VerdictImproved,
			says:     "21 % more",
		},
		"a difference that is certain and smaller than what matters is none": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1040, 1041, 1042, 1043, 1044}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictUnchanged,
			says:     "3.8 to 4.2 % at 95 % confidence: within the 5 % that matter",
		},
		"a difference that is certain, and perhaps as large as matters, is not detected": {
			pair:     pairOf(readP99, []int64{1000, 1010, 1020, 1005, 1015}, []int64{1030, 1045, 1075, 1040, 1065}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictNotDetected,
			says:     "a change, and it is not shown whether by the 5 % that matter",
		},
		"what is faster, perhaps by as much as matters, is not worse": {
			pair:     pairOf(readP99, []int64{1000, 1060, 1030, 1010, 1050}, []int64{990, 1030, 960, 980, 1020}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictNotWorse,
			says:     "not worse by the 5 % that matter",
		},
		"so is a throughput that is higher": {
			pair:     pairOf(readRate, []int64{990, 1030, 960, 980, 1020}, []int64{1000, 1060, 1030, 1010, 1050}),
			settings: only(benchv1alpha1.MetricOperationsPerSecond),
			want:     benchv1alpha1.VerdictNotWorse,
			says:     "not worse by the 5 % that matter",
		},
		"the same difference with a smaller limit regressed": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1040, 1041, 1042, 1043, 1044}),
			settings: limited(3, 95),
			want:     benchv1alpha1.VerdictRegressed,
		},
		"with a limit of nothing every difference that is certain matters": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1005, 1006, 1007, 1008, 1009}),
			settings: limited(0, 95),
			want:     benchv1alpha1.VerdictRegressed,
		},
		"with a limit of nothing what is not certain is not detected": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1001, 1002, 1003, 1004, 1005}),
			settings: limited(0, 95),
			want:     benchv1alpha1.VerdictNotDetected,
			says: "no more than chance gives; a change for the worse by 0.4 % would be found in 80 of 100 such " +
				"comparisons",
		},
		"values that are close together are shown to be unchanged": {
			pair:     pairOf(readP99, []int64{1000, 1010, 1020, 1005, 1015}, []int64{1001, 1011, 1021, 1006, 1016}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictUnchanged,
			says:     "within the 5 % that matter",
		},
		"values that vary by more are not shown to be": {
			pair:     pairOf(readP99, []int64{1000, 1100, 1200, 1050, 1150}, []int64{1020, 1110, 1210, 1040, 1160}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictNotDetected,
			says: "no more than chance gives; a change for the worse by 18 % would be found in 80 of 100 such " +
				"comparisons; about 38 runs of each would rule out 5 %, if nothing changed",
		},
		"a large difference that may be chance is neither": {
			pair:     pairOf(readP99, []int64{1000, 1900, 1100, 1050, 1800}, []int64{1450, 1880, 1950, 2000, 1890}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictNotDetected,
			says:     "no more than chance gives; a change for the worse by 74 %",
		},
		"three runs of each can never tell, however large the difference": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002}, []int64{9000, 9001, 9002}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "95 % confidence takes 4 runs of each, 1 more",
		},
		"four runs of each can, of a single line": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{9000, 9001, 9002, 9003}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictRegressed,
		},
		"a higher confidence takes more runs": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{9000, 9001, 9002, 9003}),
			settings: limited(5, 99),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "99 % confidence takes 5 runs of each, 1 more",
		},
		"what is missing of each side is told": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002}, []int64{9000, 9001}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "95 % confidence takes 4 runs of each, 2 more of the variant and 1 more of the baseline",
		},
		"a baseline without runs leaves nothing to say": {
			pair:     pairOf(readP99, nil, []int64{1000, 1001, 1002, 1003}),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "no run of the baseline has it",
		},
		"a step that statuses had no room for was measured": {
			pair:     crowdedOut(pairOf(readP99, []int64{1000, 1001}, []int64{1000, 1001, 1002, 1003}), 4),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictInconclusive,
			says: "no run of the baseline has it in its status, which had no room for the first 4 steps; the stored reports " +
				"have them",
		},
		"a variant without runs leaves nothing to say": {
			pair:     pairOf(readP99, []int64{1000, 1001, 1002, 1003}, nil),
			settings: only(benchv1alpha1.MetricP99Micros),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "no run of the variant has it",
		},
		"a threshold that no run has a figure for is a line": {
			pair:     pairOf(readP99, []int64{1000}, []int64{1000}),
			settings: only(benchv1alpha1.MetricLoadDocumentsPerSecond),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "throughput of the loading; no run has it",
		},
		"no errors against no errors are unchanged": {
			pair:     pairOf(readError, []int64{0, 0, 0, 0, 0}, []int64{0, 0, 0, 0, 0}),
			settings: only(benchv1alpha1.MetricErrorsPerMillion),
			want:     benchv1alpha1.VerdictUnchanged,
			says:     "errors in step read: 0 per million, the same as the baseline of 0 per million",
		},
		"errors where there were none regressed, however few": {
			pair:     pairOf(readError, []int64{0, 0, 0, 0, 0}, []int64{3, 4, 5, 4, 3}),
			settings: only(benchv1alpha1.MetricErrorsPerMillion),
			want:     benchv1alpha1.VerdictRegressed,
			says:     "4 per million, against the baseline of 0 per million; any change from 0 matters, p = 0.0079",
		},
		"a median beyond a fixed figure regressed": {
			pair:     pairOf(readP99, nil, []int64{2200, 2210, 2220, 2230, 2240, 2250}),
			settings: fixed(readP99),
			want:     benchv1alpha1.VerdictRegressed,
			says:     "2.23 ms, 11 % more than the baseline of 2.00 ms (10 to 12 %), p = 0.031",
		},
		"a median beyond a fixed figure by less than matters is unchanged": {
			pair:     pairOf(readP99, nil, []int64{2020, 2021, 2022, 2023, 2024, 2025}),
			settings: fixed(readP99),
			want:     benchv1alpha1.VerdictUnchanged,
			says:     "within the 5 % that matter",
		},
		"a fixed figure takes more runs than a baseline": {
			pair:     pairOf(readP99, nil, []int64{2200, 2210, 2220, 2230, 2240}),
			settings: fixed(readP99),
			want:     benchv1alpha1.VerdictInconclusive,
			says:     "95 % confidence takes 6 runs, 1 more",
		},
		"an interval that reaches back to a fixed figure says nothing certain": {
			pair:     pairOf(readP99, nil, []int64{2010, 2410, 2420, 2430, 2440, 2450}),
			settings: fixed(readP99),
			want:     benchv1alpha1.VerdictNotDetected,
			says:     "no more than chance gives",
		},
		"a throughput above a fixed figure improved": {
			pair:     pairOf(readRate, nil, []int64{2200, 2210, 2220, 2230, 2240, 2250}),
			settings: fixed(readRate),
			want:     benchv1alpha1.VerdictImproved,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			lines := comparison.Compare([]comparison.Pair{tc.pair}, tc.settings)
			if len(lines) != 1 {
				t.Fatalf("%d lines, want 1: %+v", len(lines), lines)
			}
			if lines[0].Verdict != tc.want || !strings.Contains(lines[0].Message, tc.says) {
				t.Errorf("got %s, %q\nwant %s, %q", lines[0].Verdict, lines[0].Message, tc.want, tc.says)
			}
			if got := comparison.Worst(lines); got != tc.want {
				t.Errorf("worst of one line is %s, want %s", got, tc.want)
			}
		})
	}
}

func TestLineHasEveryNumberOfTheComparison(t *testing.T) {
	pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004, 1005}, []int64{1200, 1201, 1202, 1203, 1204})
	got := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))
	want := []benchv1alpha1.ComparisonLine{{
		Variant: "b", Baseline: "a", Metric: benchv1alpha1.MetricP99Micros, Step: "read", Operation: "find",
		Verdict:        benchv1alpha1.VerdictRegressed,
		BaselineMedian: ptr.To[int64](1003), Median: ptr.To[int64](1202),
		BaselineSamples: ptr.To[int32](6), Samples: ptr.To[int32](5),
		EffectBasisPoints: ptr.To[int64](1990),
		LowBasisPoints:    ptr.To[int64](1960), HighBasisPoints: ptr.To[int64](2020),
		Test: benchv1alpha1.TestRankSum, DetectableBasisPoints: ptr.To[int64](509),
		// 2 of (11 over 5) orders.
		PMillionths: ptr.To[int64](4330),
		Message:     "p99 of find in step read: 1.20 ms, 20 % more than the baseline of 1.00 ms (20 to 20 %), p = 0.0043",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestConfidenceIsThatOfAllLinesTogether(t *testing.T) {
	changed := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1200, 1201, 1202, 1203, 1204})
	tests := map[string]struct {
		pairs       int
		want        benchv1alpha1.Verdict
		wantMillion *int64
		says        string
	}{
		"five runs of each bear six lines": {
			pairs: 6, want: benchv1alpha1.VerdictRegressed, wantMillion: ptr.To[int64](47620), says: "p = 0.048",
		},
		"and not seven": {
			pairs: 7, want: benchv1alpha1.VerdictInconclusive, wantMillion: ptr.To[int64](55556),
			says: "95 % confidence over 7 lines takes 6 runs of each, 1 more",
		},
		"nor ten": {
			pairs: 10, want: benchv1alpha1.VerdictInconclusive, wantMillion: ptr.To[int64](79366),
			says: "95 % confidence over 10 lines takes 6 runs of each, 1 more",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pairs := slices.Repeat([]comparison.Pair{changed}, tc.pairs)
			lines := comparison.Compare(pairs, only(benchv1alpha1.MetricP99Micros))
			for _, line := range lines {
				if line.Verdict != tc.want || !strings.Contains(line.Message, tc.says) {
					t.Errorf("got %s, %q", line.Verdict, line.Message)
				}
				if diff := cmp.Diff(tc.wantMillion, line.PMillionths); diff != "" {
					t.Errorf("p (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestLinesThatCannotBeTestedDoNotCount(t *testing.T) {
	changed := pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{1200, 1201, 1202, 1203})
	unlike := pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{1200, 1201, 1202, 1203})
	unlike.Candidate.Samples[0].Fingerprint = map[string]string{"version": "7.0.0", "kernels": "6.1.0"}
	few := pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{1200})
	none := pairOf(readP99, nil, []int64{1200})
	lines := comparison.Compare([]comparison.Pair{unlike, few, none, changed}, only(benchv1alpha1.MetricP99Micros))
	if got := lines[0].Verdict; got != benchv1alpha1.VerdictRegressed {
		t.Errorf("of four runs among lines that cannot be tested, got %s, %q", got, lines[0].Message)
	}
	for _, line := range lines[1:] {
		if line.Verdict != benchv1alpha1.VerdictInconclusive || line.PMillionths != nil {
			t.Errorf("got %s with p %v, %q", line.Verdict, line.PMillionths, line.Message)
		}
	}
}

func TestAChangeByMoreThanDoubleIsToldAsAFactor(t *testing.T) {
	pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{23500, 23501, 23502, 23503, 23504})
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))[0]
	want := "p99 of find in step read: 23.5 ms, 23.5 times the baseline of 1.00 ms ("
	if !strings.HasPrefix(line.Message, want) {
		t.Errorf("got %q, want %q", line.Message, want)
	}
}
