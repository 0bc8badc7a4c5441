package junit_test

import (
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/junit"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
)

func TestTheLinesOfADuetAreTests(t *testing.T) {
	line := func(metric benchv1alpha1.Metric, verdict benchv1alpha1.Verdict) reportv1.DuetLine {
		return reportv1.DuetLine{
			Metric: metric, Verdict: verdict, Pairs: 12, DecidedMillis: 52_400, EffectBasisPoints: new(int64(-481)),
			LowBasisPoints: new(int64(-612)), HighBasisPoints: new(int64(-340)),
		}
	}
	report := reportv1.Report{Version: reportv1.Version}
	report.Duet = &reportv1.Duet{Baseline: report, Steps: []reportv1.DuetStep{{Name: "mixed", Lines: []reportv1.DuetLine{
		line(benchv1alpha1.MetricOperationsPerSecond, benchv1alpha1.VerdictRegressed),
		line(benchv1alpha1.MetricP50Micros, benchv1alpha1.VerdictUnchanged),
		line(benchv1alpha1.MetricP99Micros, benchv1alpha1.VerdictNotDetected),
	}}}}
	var written strings.Builder
	if err := junit.Run(&written, page.Source{Name: "pr", Report: report}); err != nil {
		t.Fatal(err)
	}
	text := "-4.8 % (-6.1 % to -3.4 %), by 12 pairs of windows, in 52.4 s"
	for _, want := range []string{
		`failures="1"`, `name="compared mixed throughput"`, `<failure type="Regressed" message="Regressed: ` + text,
		`name="compared mixed p50"`, "Unchanged: " + text, `name="compared mixed p99"`,
		`<skipped type="NotDetected" message="NotDetected: ` + text,
	} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("there is no %s in\n%s", want, written.String())
		}
	}
}

func TestADuetOfASuiteRestsOnPairsAndNotOnRuns(t *testing.T) {
	stored := upgrade(benchv1alpha1.FailOnNotDetected, allSucceeded, regressed, notPassed)
	inTurns := lineOf(benchv1alpha1.VerdictRegressed)
	inTurns.Test, inTurns.Message = benchv1alpha1.TestSequential, "known after 183 s, by 37 pairs of windows"
	stored.Lines = []benchv1alpha1.ComparisonLine{inTurns}
	document, _ := suiteOf(t, stored)
	_, said := outcome(t, document, variantClass, "throughput regressed find")
	if !strings.Contains(said, "by 37 pairs of windows") || strings.Contains(said, "runs against") {
		t.Errorf("it says %s", said)
	}
}
