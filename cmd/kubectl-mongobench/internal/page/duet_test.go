package page_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
)

// dueted is a report with a line that was decided, one that was not, and one of which nothing is known.
func dueted(t *testing.T) reportv1.Report {
	t.Helper()
	report := built(t, shape{seconds: 40, operations: 1, servers: 1})
	window := func(side string, at, replies int64, disturbed string) reportv1.DuetWindow {
		return reportv1.DuetWindow{Side: side, AtMillis: at, Replies: replies, Disturbed: disturbed}
	}
	point := func(at, effect, low, high int64) reportv1.DuetPoint {
		return reportv1.DuetPoint{AtMillis: at, EffectBasisPoints: effect, LowBasisPoints: low, HighBasisPoints: high}
	}
	report.Duet = &reportv1.Duet{Form: benchv1alpha1.DuetAlternating, Baseline: report, Steps: []reportv1.DuetStep{{
		Name: "mixed", WindowMillis: 2000, ElapsedMillis: 20_000, Windows: []reportv1.DuetWindow{
			window(reportv1.SideCandidate, 0, 1900, ""), window(reportv1.SideBaseline, 2000, 2000, ""),
			window(reportv1.SideBaseline, 4000, 2100, "writes a checkpoint"),
			window(reportv1.SideCandidate, 6000, 1901, "writes a checkpoint"),
		},
		Lines: []reportv1.DuetLine{
			{
				Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: benchv1alpha1.VerdictRegressed, MinEffectPercent: 5,
				DecidedMillis: 16_000, Course: []reportv1.DuetPoint{
					point(8000, -500, -9000, 90_000), point(12_000, -600, -1000, 20), point(16_000, -610, -810, -410),
				},
			},
			{
				Metric: benchv1alpha1.MetricP99Micros, Operation: "read", Verdict: benchv1alpha1.VerdictNotDetected,
				Course: []reportv1.DuetPoint{point(8000, 10, -100, 120)},
			},
			{Metric: benchv1alpha1.MetricP50Micros, Verdict: benchv1alpha1.VerdictInconclusive},
		},
	}}}
	return report
}

func TestADuetShowsHowItsBoundsNarrowed(t *testing.T) {
	part := dataOf(t, page.Source{Name: "one", Report: dueted(t)}).Duet
	if part == nil || len(part.Tables) != 1 || len(part.Plots) != 3 {
		t.Fatalf("got %+v, want a table, and a plot of each line of which something is known and of the windows", part)
	}
	if rows := len(part.Tables[0].Rows); rows != 3 {
		t.Errorf("the table has %d rows, want 3", rows)
	}
	want := page.Plot{
		Title: "Step mixed: change of throughput", Unit: "%", X: "since the first window", Timed: true, Band: true,
		Lines: []page.PlotLine{
			{Label: "change", X: page.Numbers{8, 12, 16}, Y: page.Numbers{-5, -6, -6.1}},
			{Label: "lower bound", X: page.Numbers{8, 12, 16}, Y: page.Numbers{-90, -10, -8.1}, Thin: true},
			{Label: "upper bound", X: page.Numbers{8, 12, 16}, Y: page.Numbers{900, 0.2, -4.1}, Thin: true},
		},
		Levels: []page.Level{{At: 0, Label: "no change"}, {At: 5, Dashed: true}, {At: -5, Dashed: true}},
		Marks:  []page.Mark{{At: 16, Kind: "action", Label: "Regressed"}},
	}
	got := part.Plots[0]
	seen := got.Range
	got.Range = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first line (-want +got):\n%s", diff)
	}
	checkSeen(t, seen)
	if open := part.Plots[1]; len(open.Marks) > 0 || len(open.Levels) != 1 {
		t.Errorf("the line that was not decided, of no margin, has the marks %v and the levels %v", open.Marks, open.Levels)
	}
}

// checkSeen wants the margins and the last bounds to be seen, and not the first ones, beside which all else would be a
// line.
func checkSeen(t *testing.T, seen *[2]float64) {
	t.Helper()
	if seen == nil || seen[0] > -8.1 || seen[1] < 5 || seen[0] < -40 || seen[1] > 40 {
		t.Errorf("what is seen is %v", seen)
	}
}

func TestADuetShowsTheWindowsOfBothSides(t *testing.T) {
	report := dueted(t)
	plot := dataOf(t, page.Source{Name: "one", Report: report}).Duet.Plots[2]
	wantLines := []page.PlotLine{
		{Label: "candidate", X: page.Numbers{0, 6}, Y: page.Numbers{950, 950.5}},
		{Label: "baseline", X: page.Numbers{2, 4}, Y: page.Numbers{1000, 1050}},
	}
	if diff := cmp.Diff(wantLines, plot.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	wantMarks := []page.Mark{{At: 4, To: new(8.0), Kind: "checkpoint", Label: "the other side did not rest"}}
	if diff := cmp.Diff(wantMarks, plot.Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	// So many windows are joined, and their throughput is averaged.
	step := &report.Duet.Steps[0]
	step.Windows = slices.Repeat(step.Windows, 1000)
	for _, line := range dataOf(t, page.Source{Name: "one", Report: report}).Duet.Plots[2].Lines {
		if len(line.X) > 700 || len(line.X) < 300 {
			t.Errorf("%s has %d points, of 2,000 windows", line.Label, len(line.X))
		}
		if line.Label == "candidate" && (line.Y[0] < 950 || line.Y[0] > 950.5) {
			t.Errorf("the first point is %v, want the mean of 950 and 950.5", line.Y[0])
		}
	}
}

func TestARunOfItsOwnHasNoDuet(t *testing.T) {
	report := built(t, shape{seconds: 40, operations: 1, servers: 1})
	if part := dataOf(t, page.Source{Name: "one", Report: report}).Duet; part != nil {
		t.Errorf("got %+v", part)
	}
}
