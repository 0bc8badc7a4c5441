package result

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// largeDuet is what a long comparison of many lines comes to: its baseline is as large as the report itself.
func largeDuet(t *testing.T) reportv1.Report {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	report := hugeReport(t, 2, 300)
	step := reportv1.DuetStep{Name: "long", WindowMillis: 1000, ElapsedMillis: 4_000_000}
	for i := range 4000 {
		window := reportv1.DuetWindow{
			Side: []string{reportv1.SideCandidate, reportv1.SideBaseline}[i%2], AtMillis: int64(1000*i) + random.Int64N(50),
			Replies: random.Int64N(100_000),
		}
		if i%500 == 0 {
			window.Disturbed = "writes a checkpoint"
		}
		step.Windows = append(step.Windows, window)
	}
	for range 40 {
		line := reportv1.DuetLine{Metric: benchv1alpha1.MetricP99Micros, Verdict: benchv1alpha1.VerdictNotDetected}
		for i := range 240 {
			effect := random.Int64N(1000)
			line.Course = append(line.Course, reportv1.DuetPoint{
				AtMillis: int64(i) * 4000, EffectBasisPoints: effect, LowBasisPoints: effect - 500, HighBasisPoints: effect + 500,
			})
		}
		step.Lines = append(step.Lines, line)
	}
	report.Duet = &reportv1.Duet{
		Form: benchv1alpha1.DuetAlternating, Baseline: hugeReport(t, 2, 300), Steps: []reportv1.DuetStep{step},
	}
	return report
}

// duetKept is what the report of a duet still has, of each of its sides.
type duetKept struct {
	intervals, digits [2]int
	times, members    [2]bool
	windows, points   int
}

func whatIsKeptOfADuet(t *testing.T, encoded []byte) duetKept {
	t.Helper()
	got, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	step := got.Duet.Steps[0]
	kept := duetKept{windows: len(step.Windows), points: len(step.Lines[0].Course)}
	for i, side := range []reportv1.Report{got, got.Duet.Baseline} {
		operation := side.Steps[0].Operations[0]
		histogram, err := reportv1.DecodeHistogram(operation.ServiceTime)
		if err != nil {
			t.Fatal(err)
		}
		kept.intervals[i], kept.digits[i] = len(operation.Intervals), int(histogram.SignificantFigures())
		kept.times[i], kept.members[i] = operation.IntervalTimes != nil, side.Members != nil
	}
	if windows, disturbed := step.Measured(); windows != 4000 || disturbed != 8 {
		t.Errorf("it tells of %d windows, %d of them disturbed, want 4000 and 8", windows, disturbed)
	}
	if told := collectedDuet(got.Duet); told.Windows != 4000 || told.Disturbed != 8 {
		t.Errorf("the operator is told of %d windows, %d of them disturbed, want 4000 and 8", told.Windows, told.Disturbed)
	}
	return kept
}

func TestADuetGivesUpWhatMattersLeastFirst(t *testing.T) {
	report := largeDuet(t)
	before, err := reportv1.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	all, none, fine := [2]bool{true, true}, [2]bool{}, [2]int{3, 3}
	for name, tc := range map[string]struct {
		limit int
		want  duetKept
	}{
		"nothing when it fits":                      {1 << 20, duetKept{[2]int{300, 300}, fine, all, all, 4000, 240}},
		"then the intervals of both sides":          {190 << 10, duetKept{[2]int{150, 150}, fine, all, all, 4000, 240}},
		"then the times of intervals of both":       {130 << 10, duetKept{[2]int{150, 150}, fine, none, all, 4000, 240}},
		"then every other point of the courses":     {80 << 10, duetKept{[2]int{38, 38}, fine, none, all, 4000, 120}},
		"then the windows, before the histograms":   {20 << 10, duetKept{[2]int{1, 1}, fine, none, none, 8, 30}},
		"and at last all but sums, and the answers": {1300, duetKept{[2]int{1, 1}, [2]int{1, 1}, none, none, 8, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			encoded, err := EncodeWithin(report, tc.limit)
			if err != nil {
				t.Fatal(err)
			}
			if got := whatIsKeptOfADuet(t, encoded); got != tc.want || len(encoded) > tc.limit {
				t.Errorf("got %+v in %d bytes, want %+v", got, len(encoded), tc.want)
			}
		})
	}
	after, err := reportv1.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the report that was given changed")
	}
}

func TestTheEndOfACourseStays(t *testing.T) {
	course := []reportv1.DuetPoint{{AtMillis: 1}, {AtMillis: 2}, {AtMillis: 3}, {AtMillis: 4}}
	for _, want := range [][]int64{{2, 4}, {4}, {}} {
		course = everyOther(course)
		got := make([]int64, 0, len(course))
		for _, point := range course {
			got = append(got, point.AtMillis)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("points (-want +got):\n%s", diff)
		}
	}
}
