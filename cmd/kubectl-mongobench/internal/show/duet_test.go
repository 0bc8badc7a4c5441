package show_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

// duetLines are one that is decided, one that is not, and one of which nothing is known.
func duetLines() []benchv1alpha1.ComparisonLine {
	return []benchv1alpha1.ComparisonLine{
		{
			Variant: "candidate", Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "mixed",
			Verdict: benchv1alpha1.VerdictRegressed, Samples: new(int32(12)),
			BaselineMedian: new(int64(1000)), Median: new(int64(952)),
			EffectBasisPoints: new(int64(-481)), LowBasisPoints: new(int64(-612)), HighBasisPoints: new(int64(-340)),
			Message: "known after 52.4 s, by 12 pairs of windows: -6.1 % to -3.4 %",
		},
		{
			Variant: "candidate", Metric: benchv1alpha1.MetricP99Micros, Step: "mixed", Operation: "read",
			Samples: new(int32(9)),
			Verdict: benchv1alpha1.VerdictNotDetected, BaselineMedian: new(int64(2710)), Median: new(int64(2755)),
			EffectBasisPoints: new(int64(166)), LowBasisPoints: new(int64(-1100)), HighBasisPoints: new(int64(1400)),
			Message: "not known by 9 pairs of windows: -11.0 % to +14.0 %; it takes a longer durationSeconds",
		},
		{
			Variant: "candidate", Metric: benchv1alpha1.MetricP999Micros, Step: "mixed",
			Verdict: benchv1alpha1.VerdictInconclusive,
		},
	}
}

func TestARunSaysWhatItWasComparedWith(t *testing.T) {
	run := object[benchv1alpha1.BenchmarkRun](t, "run.yaml")
	run.Status.Duet = &benchv1alpha1.DuetResult{
		Baseline: "6.0.4", Comparison: duetLines(), OmittedLines: new(int32(2)), Windows: new(int32(80)),
		DisturbedWindows: new(int32(4)), ElapsedMillis: new(int64(81_000)),
		Server: &benchv1alpha1.ServerFingerprint{Product: "MongoDB", Version: "6.0.4"},
	}
	golden(t, "duet.txt", func(to io.Writer) error { return show.Run(to, false, run) })
}

// narrowing is a run whose duet is being measured.
func narrowing(name string) benchv1alpha1.BenchmarkRun {
	run := benchv1alpha1.BenchmarkRun{}
	run.Name = name
	run.Status.Conditions = conditions([3]string{"Progressing", "True", "Measuring"})
	run.Status.Progress = &benchv1alpha1.Progress{
		Step: "mixed", Percent: new(int32(40)), OperationsPerSecond: new(int64(950)), Comparison: duetLines(),
	}
	return run
}

func TestARunShowsWhatIsKnownByNow(t *testing.T) {
	run := narrowing("pr")
	got := show.StateOfRun(&run).Known
	want := []present.Narrowing{
		{
			Name: "throughput", Effect: new(int64(-481)), Low: new(int64(-612)), High: new(int64(-340)), Answer: "Regressed",
		},
		{Name: "read p99", Effect: new(int64(166)), Low: new(int64(-1100)), High: new(int64(1400))},
		{Name: "p99.9"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}

func TestASuiteShowsWhatIsKnownOfItsRuns(t *testing.T) {
	names := func(runs ...benchv1alpha1.BenchmarkRun) []string {
		all := show.StateOfSuite(&benchv1alpha1.BenchmarkSuite{}, runs).Known
		found := make([]string, 0, len(all))
		for _, known := range all {
			found = append(found, known.Name)
		}
		return found
	}
	ended := narrowing("ended")
	ended.Status.Conditions = conditions([3]string{"Succeeded", "True", "Completed"})
	if diff := cmp.Diff([]string{"throughput", "read p99", "p99.9"}, names(ended, narrowing("one"))); diff != "" {
		t.Errorf("of the only run under way (-want +got):\n%s", diff)
	}
	want := []string{"one throughput", "one read p99", "one p99.9", "two throughput", "two read p99", "two p99.9"}
	if diff := cmp.Diff(want, names(narrowing("one"), narrowing("two"))); diff != "" {
		t.Errorf("of two runs (-want +got):\n%s", diff)
	}
}

func TestAScreenShowsHowADuetNarrows(t *testing.T) {
	run := narrowing("pr")
	written := func(width int) string {
		var to strings.Builder
		shown := &show.Screen{Line: screen.Of(&to, func() int { return width })}
		shown.Show(show.StateOfRun(&run), 7*time.Second)
		shown.Show(show.StateOfRun(&run), 13*time.Second)
		shown.Clear()
		return to.String()
	}
	log := "    7.0 s  Measuring     mixed   40 %  950 ops/s\n" +
		"  throughput -4.8 % (-6.1 % to -3.4 %): Regressed\n  read p99 +1.7 % (-11.0 % to +14.0 %)\n" +
		"  p99.9 not known yet\n   13.0 s  Measuring     mixed   40 %  950 ops/s\n"
	if diff := cmp.Diff(log, written(0)); diff != "" {
		t.Errorf("in a log (-want +got):\n%s", diff)
	}
	drawn := strings.Split(written(100), "\x1b[3A\r\x1b[J")
	want := `
  throughput  -4.8 %    -6.1 % to -3.4 %  Regressed  [        <+>   |              ]
  read p99    +1.7 %  -11.0 % to +14.0 %             [      <=======|==+====>      ]
  p99.9            -       not known yet             [              |              ]`
	if len(drawn) != 3 || drawn[2] != "" || !strings.HasSuffix(drawn[1], want) {
		t.Errorf("on a terminal it is\n%q", drawn)
	}
}
