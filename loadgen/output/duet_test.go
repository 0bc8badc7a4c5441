package output_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// duetReport is that of two sides whose throughput differs, and whose latency is not known to.
func duetReport(t *testing.T) reportv1.Report {
	t.Helper()
	compared := report(t)
	compared.Steps, compared.Pods = compared.Steps[3:4], 1
	baseline := compared
	baseline.Server.Version = "6.0.4"
	step := reportv1.DuetStep{Name: "mixed", WindowMillis: 1000, ElapsedMillis: 81_000}
	for i := range 80 {
		window := reportv1.DuetWindow{Side: reportv1.SideCandidate, AtMillis: int64(1000 * i), Replies: 950}
		if i%4 == 1 || i%4 == 2 {
			window.Side, window.Replies = reportv1.SideBaseline, 1000
		}
		if i/4 == 7 {
			window.Disturbed = "writes a checkpoint"
		}
		step.Windows = append(step.Windows, window)
	}
	step.Lines = []reportv1.DuetLine{
		{
			Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: benchv1alpha1.VerdictRegressed, MinEffectPercent: 5,
			Baseline: 1000, Candidate: 952, Pairs: 12, DecidedMillis: 52_400,
			EffectBasisPoints: new(int64(-481)), LowBasisPoints: new(int64(-612)), HighBasisPoints: new(int64(-340)),
		},
		{
			Metric: benchv1alpha1.MetricP99Micros, Operation: "read", Verdict: benchv1alpha1.VerdictNotDetected,
			MinEffectPercent: 5, Baseline: 2710, Candidate: 2755, Pairs: 9,
			EffectBasisPoints: new(int64(166)), LowBasisPoints: new(int64(-1100)), HighBasisPoints: new(int64(14_000)),
		},
		{Metric: benchv1alpha1.MetricP999Micros, Operation: "read", Verdict: benchv1alpha1.VerdictInconclusive},
	}
	compared.Duet = &reportv1.Duet{
		Form: benchv1alpha1.DuetAlternating, Baseline: baseline, Steps: []reportv1.DuetStep{step},
	}
	return compared
}

// shown is what a progress shows of steps that follow one another every six seconds, at some width.
func shown(t *testing.T, width int, plan planv1.Plan, steps ...reportv1.DuetStep) string {
	t.Helper()
	var got bytes.Buffer
	progress := output.NewProgress(screen.Of(&got, func() int { return width }), plan)
	tell := func(one reportv1.Progress) {
		if err := progress.Progress(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	tell(reportv1.Progress{State: reportv1.ProgressWaiting})
	for i, known := range steps {
		progress.Narrow(known)
		<-time.After(6 * time.Second)
		tell(reportv1.Progress{State: reportv1.ProgressRunning, Percent: 20 * (i + 1), OperationsPerSecond: 950})
	}
	progress.Abandon()
	return got.String()
}

// TestADuetIsShownWhileItNarrows shows the same step on a terminal, a narrow one, and in a log.
func TestADuetIsShownWhileItNarrows(t *testing.T) {
	plan := planv1.Plan{Steps: []planv1.Step{{Name: "mixed", Kind: planv1.StepMeasure, DurationSeconds: 100}}}
	step := duetReport(t).Duet.Steps[0]
	before := step
	before.Lines = []reportv1.DuetLine{{
		Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: benchv1alpha1.VerdictNotDetected,
		EffectBasisPoints: new(int64(-700)), LowBasisPoints: new(int64(-4500)), HighBasisPoints: new(int64(2500)),
	}}
	const (
		over  = "\r\x1b[K"
		first = "  throughput  -7.0 %  -45.0 % to +25.0 %    [  <=====+=====|=========>    ]"
		last  = "\n  throughput  -4.8 %  -6.1 % to -3.4 %  Regressed  [        <+>   |              ]" +
			"\n  read p99    +1.7 %  -11.0 % to ×2.40             [      <=======|==+==========>]" +
			"\n  read p99.9       -     not known yet             [              |              ]"
		cut = "\n  throughput  -4.8 %  -6.1 % to -3.4 %…\n  read p99    +1.7 %  -11.0 % to ×2.40…" +
			"\n  read p99.9       -     not known yet…"
	)
	back := func(lines int) string { return fmt.Sprintf("\x1b[%dA\r\x1b[J", lines) }
	for name, tc := range map[string]struct {
		width int
		want  string
	}{
		"a terminal has a drawing of each line": {
			100, over + "step 1/1 mixed" +
				over + "step 1/1 mixed  [####................]  20 %  950 ops/s  at most 24s left\n" + first +
				back(1) + "step 1/1 mixed  [########............]  40 %  950 ops/s  at most 18s left" + last +
				back(3) + "step 1/1 mixed  [############........]  60 %  950 ops/s  at most 12s left" + last + back(3),
		},
		"a narrow terminal has what there is room for": {
			40, over + "step 1/1 mixed" +
				over + "step 1/1 mixed  [####................]…\n  throughput  -7.0 %  -45.0 % to +25.0…" +
				back(1) + "step 1/1 mixed  [########............]…" + cut +
				back(3) + "step 1/1 mixed  [############........]…" + cut + back(3),
		},
		"a log has short lines, when they change": {
			0, "step 1/1 mixed\n" +
				"step 1/1 mixed   20 %  950 ops/s  at most 24s left\n  throughput -7.0 % (-45.0 % to +25.0 %)\n" +
				"step 1/1 mixed   40 %  950 ops/s  at most 18s left\n  throughput -4.8 % (-6.1 % to -3.4 %): Regressed\n" +
				"  read p99 +1.7 % (-11.0 % to ×2.40)\n  read p99.9 not known yet\n" +
				"step 1/1 mixed   60 %  950 ops/s  at most 12s left\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(tc.want, shown(t, tc.width, plan, before, step, step)); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestFormsOfADuet(t *testing.T) {
	for file, write := range map[string]func(io.Writer, reportv1.Report) error{
		"duet.txt": output.Text, "duet.md": markdown, "duet.csv": output.CSV,
	} {
		t.Run(file, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got, duetReport(t)); err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join("testdata", file), got.String())
		})
	}
}
