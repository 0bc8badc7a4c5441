package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestADuetFromAcceptedToFinished goes through every stage of a run with a target of its own, and on the other side one
// of another name that has a dataset of its own. At each stage reconciles without news write nothing.
func TestADuetFromAcceptedToFinished(t *testing.T) {
	t.Parallel()
	p := newPlay(t, inTurns)
	p.must(environment.Client.Create(t.Context(), &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "old"},
		Spec:       *runtest.Run("", "").Spec.Target,
	}))

	p.provisionBoth()
	p.measureInTurns()
	p.finishDuet()
	p.checkDuet()
}

// inTurns makes a run a duet with the target "old", whose documents are in a database of their own.
func inTurns(run *benchv1alpha1.BenchmarkRun) {
	run.Spec.LoadGenerator.Pods = new(int32(1))
	run.Spec.Duet = &benchv1alpha1.Duet{
		Baseline: benchv1alpha1.DuetBaseline{
			TargetRef: benchv1alpha1.NameReference{Name: "old"},
			Spec: &runtime.RawExtension{
				Raw: []byte(`{"dataset": {"database": "before", "collections": [{"name": "people", "documentCount": 1000}]}}`),
			},
		},
		Thresholds: []benchv1alpha1.Threshold{{
			Metric: benchv1alpha1.MetricOperationsPerSecond, Step: new("read"), MinEffectPercent: new(int32(5)),
		}},
	}
}

// provisionBoth has both targets be ready, one after the other.
func (p *play) provisionBoth() {
	p.t.Helper()
	p.idle()
	p.want(benchv1alpha1.RunAccepted, "True Valid")
	if names := p.names(); !slices.Contains(names, "BenchmarkTarget r") {
		p.t.Errorf("the run's own target is not among %v", names)
	}
	p.targetReady()
	p.idle()
	if status := p.condition(benchv1alpha1.RunTargetReady); !strings.HasPrefix(status, "False ") {
		p.t.Errorf("with one target of two ready, TargetReady is %q", status)
	}
	if names := p.names(); slices.Contains(names, "Job r-load") {
		p.t.Errorf("the load begins before the baseline is ready: %v", names)
	}
	p.targetOfNameSays("old", benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady, "3 members")
	p.idle()
	p.want(benchv1alpha1.RunTargetReady, "True TargetReady")
}

// toldLine is what the load pod knows of the one line that is compared.
func toldLine(verdict benchv1alpha1.Verdict, decidedMillis int64) reportv1alpha1.DuetLine {
	return reportv1alpha1.DuetLine{
		Metric: benchv1alpha1.MetricOperationsPerSecond, Verdict: verdict, MinEffectPercent: 5, Baseline: 200, Candidate: 100,
		Pairs: 18, EffectBasisPoints: new(int64(-5000)), LowBasisPoints: new(int64(-5400)),
		HighBasisPoints: new(int64(-4600)), DecidedMillis: decidedMillis,
	}
}

// compared is the same in a status.
func compared(verdict benchv1alpha1.Verdict, message string) []benchv1alpha1.ComparisonLine {
	return []benchv1alpha1.ComparisonLine{{
		Variant: "candidate", Baseline: benchv1alpha1.DefaultBaselineName, Metric: benchv1alpha1.MetricOperationsPerSecond,
		Step: "read", Verdict: verdict, BaselineMedian: new(int64(200)), Median: new(int64(100)),
		Test: benchv1alpha1.TestSequential, BaselineSamples: new(int32(18)), Samples: new(int32(18)),
		EffectBasisPoints: new(int64(-5000)), LowBasisPoints: new(int64(-5400)), HighBasisPoints: new(int64(-4600)),
		Message: message,
	}}
}

// measureInTurns has the load pod load and measure both sides, and hand in its report.
func (p *play) measureInTurns() {
	p.t.Helper()
	p.startPods(corev1.PodRunning)
	marks := func(progress reportv1alpha1.Progress, state reportv1alpha1.DatasetState) reportv1alpha1.Progress {
		progress.Dataset = &reportv1alpha1.DatasetMark{Fingerprint: strings.Repeat("a", 64), State: state}
		progress.BaselineDataset = &reportv1alpha1.DatasetMark{Fingerprint: strings.Repeat("b", 64), State: state}
		return progress
	}
	p.pass(time.Second)
	loading := runtest.Progress(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	p.podSays(0, marks(loading, reportv1alpha1.DatasetLoading))
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Loading")
	p.wantDatasetOfBaseline(benchv1alpha1.DatasetLoading)

	p.pass(time.Minute)
	reading := runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressRunning, 50)
	reading.Lines = []reportv1alpha1.DuetLine{toldLine(benchv1alpha1.VerdictNotDetected, 0)}
	p.podSays(0, marks(reading, reportv1alpha1.DatasetClean))
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Measuring")
	want := compared(benchv1alpha1.VerdictNotDetected, "") // Why is told in the end.
	if diff := cmp.Diff(want, p.run().Status.Progress.Comparison); diff != "" {
		p.t.Errorf("what is known meanwhile (-want +got):\n%s", diff)
	}

	p.pass(time.Minute)
	p.handInDuet()
	p.podSays(0, marks(runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressDone, 100), reportv1alpha1.DatasetDirty))
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Collecting")
	p.wantDatasetOfBaseline(benchv1alpha1.DatasetDirty)
}

// wantDatasetOfBaseline looks at what is noted in the target of the baseline.
func (p *play) wantDatasetOfBaseline(state benchv1alpha1.DatasetState) {
	p.t.Helper()
	var target benchv1alpha1.BenchmarkTarget
	p.get("old", &target)
	want := []benchv1alpha1.DatasetStatus{{
		Database: "before", Fingerprint: strings.Repeat("b", 64), State: state, RunName: "r",
	}}
	if diff := cmp.Diff(want, target.Status.Datasets); diff != "" {
		p.t.Errorf("datasets of the baseline's target (-want +got):\n%s", diff)
	}
}

// handInDuet has the load pod leave a report of both sides of the plan that it was given.
func (p *play) handInDuet() {
	p.t.Helper()
	var given corev1.ConfigMap
	p.get(naming.PlanConfigMap("r", p.run().Status.PlanHash), &given)
	plan, err := planv1alpha1.Decode([]byte(given.Data[naming.PlanKey]))
	p.must(err)
	report, err := runtest.ReportOf(plan, 0, p.now)
	p.must(err)
	baseline, err := runtest.ReportOf(plan.Duet.Baseline, 0, p.now)
	p.must(err)
	window := func(side string, at int64) reportv1alpha1.DuetWindow {
		return reportv1alpha1.DuetWindow{Side: side, AtMillis: at, Replies: 100}
	}
	report.Duet = &reportv1alpha1.Duet{
		Form: plan.Duet.Form, Baseline: baseline,
		Steps: []reportv1alpha1.DuetStep{
			{
				Name: "read", WindowMillis: 1000, ElapsedMillis: 60_000, OmittedWindows: 70,
				Windows: []reportv1alpha1.DuetWindow{window("baseline", 0), window("candidate", 1200)},
				Lines:   []reportv1alpha1.DuetLine{toldLine(benchv1alpha1.VerdictRegressed, 60_000)},
			},
			{Name: "write", WindowMillis: 1000, ElapsedMillis: 10_000, OmittedWindows: 8},
		},
	}
	encoded, err := result.Encode(report)
	p.must(err)
	p.write(0, func(own *corev1.ConfigMap) {
		own.BinaryData = map[string][]byte{reportv1alpha1.ReportKey: encoded}
	})
}

// finishDuet takes it to its end. The run's own target goes with its load pod; that of the baseline is not the run's.
func (p *play) finishDuet() {
	p.t.Helper()
	p.pass(time.Second)
	p.collectAsked()
	p.idle()
	p.cleanUp()
	p.wantDatasetOfBaseline(benchv1alpha1.DatasetDirty)
}

// checkDuet looks at what the run says in the end.
func (p *play) checkDuet() {
	p.t.Helper()
	got := p.run().Status.Duet
	if got == nil || got.Fingerprint == nil || got.Server == nil || got.Server.Version != "6.0.5" {
		p.t.Fatalf("the duet is %+v, want what both sides were", got)
	}
	got = got.DeepCopy()
	got.Fingerprint, got.Server = nil, nil
	const message = "known after 60.0 s, by 18 pairs of windows: -54.0 % to -46.0 %"
	want := &benchv1alpha1.DuetResult{
		Baseline:   benchv1alpha1.DefaultBaselineName,
		Comparison: compared(benchv1alpha1.VerdictRegressed, message),
		Windows:    new(int32(80)), DisturbedWindows: new(int32(0)), ElapsedMillis: new(int64(70_000)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("the duet (-want +got):\n%s", diff)
	}
}
