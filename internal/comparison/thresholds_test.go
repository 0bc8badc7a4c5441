package comparison_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// TestWhatIsCompared reads which lines there are, and the limit of each from the message of a change of 10 %.
func TestWhatIsCompared(t *testing.T) {
	const (
		rate = benchv1alpha1.MetricOperationsPerSecond
		p99  = benchv1alpha1.MetricP99Micros
		mean = benchv1alpha1.MetricMeanMicros
	)
	tests := map[string]struct {
		thresholds []benchv1alpha1.Threshold
		figures    []benchv1alpha1.Figure
		want       []string
	}{
		"by default the throughput of all operations and the p99 of each, of every step": {
			want: []string{
				"OperationsPerSecond warm ", "OperationsPerSecond read ",
				"P99Micros warm find", "P99Micros read find", "P99Micros read scan",
			},
		},
		"a step that is named is the only one": {
			thresholds: []benchv1alpha1.Threshold{{Metric: rate, Step: new("read")}},
			want:       []string{"OperationsPerSecond read "},
		},
		"an operation that is named has a throughput of its own": {
			thresholds: []benchv1alpha1.Threshold{{Metric: rate, Operation: new("find")}},
			want:       []string{"OperationsPerSecond warm find", "OperationsPerSecond read find"},
		},
		"what names more takes a figure from what names less": {
			thresholds: []benchv1alpha1.Threshold{
				{Metric: p99},
				{Metric: p99, Step: new("read"), Operation: new("scan")},
				{Metric: p99, Step: new("read")},
			},
			want: []string{"P99Micros warm find", "P99Micros read scan", "P99Micros read find"},
		},
		"two thresholds of the same make one line": {
			thresholds: []benchv1alpha1.Threshold{
				{Metric: mean, Step: new("warm")}, {Metric: mean, Step: new("warm"), MinEffectPercent: ptr.To[int32](50)},
			},
			want: []string{"MeanMicros warm find"},
		},
		"a step that no run has is a line": {
			thresholds: []benchv1alpha1.Threshold{{Metric: rate}, {Metric: p99, Step: new("raed")}},
			want:       []string{"OperationsPerSecond warm ", "OperationsPerSecond read ", "P99Micros raed "},
		},
		"of fixed figures only what has one is compared": {
			figures: []benchv1alpha1.Figure{{Metric: p99, Step: new("read"), Value: ptr.To[int64](1000)}},
			want:    []string{"P99Micros read find", "P99Micros read scan"},
		},
		"a fixed figure needs no threshold": {
			thresholds: []benchv1alpha1.Threshold{{Metric: rate}},
			figures:    []benchv1alpha1.Figure{{Metric: mean, Step: new("warm"), Value: ptr.To[int64](1000)}},
			want:       []string{"MeanMicros warm find"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			side := comparison.Side{Name: "b", Samples: []comparison.Sample{twoSteps()}}
			pair := comparison.Pair{Candidate: side}
			if tc.figures == nil {
				pair.Baseline = side
			}
			settings := comparison.Settings{Thresholds: tc.thresholds, Figures: tc.figures}
			lines := comparison.Compare([]comparison.Pair{pair}, settings)
			got := make([]string, 0, len(lines))
			for _, line := range lines {
				got = append(got, fmt.Sprintf("%s %s %s", line.Metric, line.Step, line.Operation))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// twoSteps is a sample of a step with one operation and a step with two.
func twoSteps() comparison.Sample {
	var sample comparison.Sample
	add := func(metric benchv1alpha1.Metric, step, operation string) {
		key := comparison.Key{Metric: metric, Step: step, Operation: operation}
		sample.Figures = append(sample.Figures, comparison.Figure{Key: key, Value: 1000})
	}
	for _, step := range []string{"warm", "read"} {
		add(benchv1alpha1.MetricOperationsPerSecond, step, "")
		for _, operation := range []string{"find", "scan"} {
			if step == "warm" && operation == "scan" {
				continue
			}
			add(benchv1alpha1.MetricOperationsPerSecond, step, operation)
			add(benchv1alpha1.MetricMeanMicros, step, operation)
			add(benchv1alpha1.MetricP99Micros, step, operation)
		}
	}
	return sample
}

func TestTheNearestThresholdHasTheLimits(t *testing.T) {
	settings := comparison.Settings{Thresholds: []benchv1alpha1.Threshold{
		{Metric: benchv1alpha1.MetricP99Micros, MinEffectPercent: ptr.To[int32](5)},
		{Metric: benchv1alpha1.MetricP99Micros, Step: new("read"), MinEffectPercent: ptr.To[int32](50)},
	}}
	pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003}, []int64{1200, 1201, 1202, 1203})
	// The general threshold is about no other step, and has no line.
	lines := comparison.Compare([]comparison.Pair{pair}, settings)
	if len(lines) != 1 || lines[0].Verdict != benchv1alpha1.VerdictUnchanged {
		t.Errorf("20 %% more with a limit of 50 %%: %+v", lines)
	}
}
