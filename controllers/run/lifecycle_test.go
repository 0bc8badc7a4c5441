package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestRunFromAcceptedToFinished goes through every stage. Each reconcile is done by a reconciler of its own, as if the
// manager were restarted between any two, and at each stage 50 reconciles without news must write nothing.
func TestRunFromAcceptedToFinished(t *testing.T) {
	t.Parallel()
	p := newPlay(t)

	p.provision()
	made := p.objects()
	p.load()
	p.measure()
	p.collect()
	p.checkResult()
	p.checkStages()
	p.checkCreatedOnce(len(made))
}

// provision takes a run from its creation to its Job.
func (p *play) provision() {
	p.t.Helper()
	p.idle()
	p.want(benchv1alpha1.RunAccepted, "True Valid")
	p.want(benchv1alpha1.RunProgressing, "True Provisioning")
	p.want(benchv1alpha1.RunTargetReady, "False PodsStarting")

	p.targetReady()
	p.idle()
	p.want(benchv1alpha1.RunTargetReady, "True TargetReady")
	p.want(benchv1alpha1.RunProgressing, "True Provisioning")
	for name, object := range p.objects() {
		if !metav1.IsControlledBy(object, p.run()) {
			p.t.Errorf("%s is not controlled by the run, so that nothing would remove it", name)
		}
	}
}

// load takes it to the end of the load.
func (p *play) load() {
	p.t.Helper()
	p.startPods(corev1.PodRunning)
	p.pass(2 * time.Second)
	p.podSays(0, runtest.Progress(runtest.StepPrepare, reportv1alpha1.ProgressWaiting, 0))
	p.podSays(1, runtest.Progress(runtest.StepLoad, reportv1alpha1.ProgressWaiting, 0))
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Loading")
	start := planv1alpha1.FormatStart(p.now.Add(time.Second))
	if got := p.gate()[planv1alpha1.GateKey(0)]; got != start {
		p.t.Errorf("the start of step 0 is %q, want %q, a second ahead", got, start)
	}

	p.pass(time.Second)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	p.idle()
	p.want(benchv1alpha1.RunDataLoaded, "False Loading")
	wantProgress := &benchv1alpha1.Progress{
		Step: "load", Percent: new(int32(40)), OperationsPerSecond: new(int64(8000)),
	}
	if diff := cmp.Diff(wantProgress, p.run().Status.Progress); diff != "" {
		p.t.Errorf("progress (-want +got):\n%s", diff)
	}

	p.pass(time.Second)
	p.allSay(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
	p.idle()
	p.want(benchv1alpha1.RunDataLoaded, "True Loaded")
	p.want(benchv1alpha1.RunProgressing, "True WarmingUp")
	if got := p.gate()[planv1alpha1.GateKey(0)]; got != start {
		p.t.Errorf("the start of step 0 was published as %q and is %q", start, got)
	}
}

// measure takes it to the end of the last step.
func (p *play) measure() {
	p.t.Helper()
	p.pass(time.Second)
	p.allSay(runtest.StepRead, reportv1alpha1.ProgressRunning, 50)
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Measuring")

	p.pass(time.Second)
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Collecting")
	if p.run().Status.Progress != nil {
		p.t.Error("progress is told when no step runs")
	}
}

// collect takes it to its end.
func (p *play) collect() {
	p.t.Helper()
	p.pass(time.Second)
	p.reportAll()
	p.idle()
	p.want(benchv1alpha1.RunTrusted, "True NoConcern")
	p.cleanUp()
}

// cleanUp takes a run that is complete to where nothing is left of it but its report.
func (p *play) cleanUp() {
	p.t.Helper()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	p.want(benchv1alpha1.RunProgressing, "True CleaningUp")
	if got, want := p.names(), []string{"ConfigMap r-report"}; !slices.Equal(got, want) {
		p.t.Errorf("left are %v, want %v", got, want)
	}

	p.pass(time.Second)
	p.collectGarbage()
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "False Finished")
}

func (p *play) gate() map[string]string {
	p.t.Helper()
	var gate corev1.ConfigMap
	p.get(naming.GateConfigMap(p.name.Name), &gate)
	return gate.Data
}

func (p *play) checkResult() {
	p.t.Helper()
	status := p.run().Status
	operation := func(name string) benchv1alpha1.StepResult {
		return benchv1alpha1.StepResult{
			Name: name, DurationMillis: new(int64(10000)), OperationsPerSecond: new(int64(100)),
			P99Micros: new(int64(1000)), Threads: new(int32(4)),
			Steadiness: new(benchv1alpha1.SteadinessNotChecked), // Ten seconds are too short to tell.
			LimitedBy: &benchv1alpha1.StepLimit{
				Cause: benchv1alpha1.LimitNothingSeen, Certainty: benchv1alpha1.LimitPossible,
				Because: "no server was observed in the window",
				Try:     "let a user with the role clusterMonitor measure, for at least some seconds",
			},
			Operations: []benchv1alpha1.OperationResult{{
				Name: name, Count: new(int64(1000)), Errors: new(int64(0)), OperationsPerSecond: new(int64(100)),
				MeanMicros: new(int64(1016)), P50Micros: new(int64(1000)), P95Micros: new(int64(1000)),
				P99Micros: new(int64(1000)), // There are too few operations for the p99.9.
				MaxMicros: new(int64(9007)), StdDevMicros: new(int64(358)),
			}},
		}
	}
	var stored corev1.ConfigMap
	p.get(naming.ReportConfigMap(p.name.Name), &stored)
	want := &benchv1alpha1.Result{
		Steps: []benchv1alpha1.StepResult{operation("read"), operation("write")},
		Load: &benchv1alpha1.LoadResult{
			Documents: new(int64(1000)), DurationMillis: new(int64(10000)), DocumentsPerSecond: new(int64(100)),
		},
		Report: benchv1alpha1.ReportReference{
			ConfigMapName: "r-report", SHA256: stored.Data[reportv1alpha1.DigestKey],
			Bytes: new(int64(len(stored.BinaryData[reportv1alpha1.ReportKey]))),
		},
	}
	if diff := cmp.Diff(want, status.Result); diff != "" {
		p.t.Errorf("result (-want +got):\n%s", diff)
	}
	wantSummary := &benchv1alpha1.RunSummary{
		Steps: new(int32(2)), Operations: new(int64(2000)), Errors: new(int64(0)), Step: "read",
		OperationsPerSecond: new(int64(100)), P99Micros: new(int64(1000)), P99: "1.00 ms",
		HighestP99Step: "read", HighestP99Micros: new(int64(1000)),
		LimitedBy: new(benchv1alpha1.LimitNothingSeen),
	}
	if diff := cmp.Diff(wantSummary, status.Summary); diff != "" {
		p.t.Errorf("summary (-want +got):\n%s", diff)
	}
	merged, err := reportv1alpha1.Decode(stored.BinaryData[reportv1alpha1.ReportKey])
	p.must(err)
	if merged.Pods != 2 || len(merged.Steps) != 5 || merged.PlanHash != status.PlanHash {
		p.t.Errorf("the stored report is of %d pods and %d steps", merged.Pods, len(merged.Steps))
	}
	if merged.Server.CPULimitMillicores != 700 {
		p.t.Errorf("the stored report says a CPU limit of %d, want the target's 700", merged.Server.CPULimitMillicores)
	}
	if status.Server == nil || status.Server.Version != "6.0.5" || status.TargetName != "r" {
		p.t.Errorf("the server is %v of target %q", status.Server, status.TargetName)
	}
}

func (p *play) checkStages() {
	p.t.Helper()
	var names []string
	var before time.Time
	for _, stage := range p.run().Status.Stages {
		names = append(names, stage.Name)
		if stage.CompletionTime == nil || stage.StartTime.Time.Before(before) {
			p.t.Errorf("stage %s has the times %v to %v", stage.Name, stage.StartTime, stage.CompletionTime)
			continue
		}
		before = stage.CompletionTime.Time
	}
	want := []string{"Provisioning", "Loading", "WarmingUp", "Measuring", "Collecting", "CleaningUp"}
	if !slices.Equal(names, want) {
		p.t.Errorf("stages are %v, want %v", names, want)
	}
}

// checkCreatedOnce looks in what was written for anything that was made twice.
func (p *play) checkCreatedOnce(objects int) {
	p.t.Helper()
	count := map[string]int{}
	for _, write := range p.writes.Done {
		if strings.HasPrefix(write, "create ") || strings.HasPrefix(write, "apply ") {
			count[write]++
		}
	}
	for write, times := range count {
		if times > 1 && write != "apply ConfigMap r-gate" {
			p.t.Errorf("%d times: %s", times, write)
		}
	}
	if len(count) != objects {
		p.t.Errorf("%d objects were made, want %d:\n%v", len(count), objects, count)
	}
}

func TestDeletedRunLeavesNothingToItsController(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	before := len(p.writes.Done)
	p.must(environment.Client.Delete(t.Context(), p.run()))
	result, err := p.reconcile()
	if err != nil || !result.IsZero() || len(p.writes.Done) != before {
		t.Errorf("a run that is gone: %v, %v, writes %v", result, err, p.writes.Done[before:])
	}
	for name, object := range p.objects() {
		if metav1.GetControllerOf(object) == nil {
			t.Errorf("%s has no owner, so that the garbage collector leaves it", name)
		}
	}
}

func TestRunThatIsBeingDeletedMakesNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	foreground := metav1.DeletePropagationForeground
	p.must(environment.Client.Delete(t.Context(), p.run(), &foregroundDelete{foreground}))
	p.idle()
	if len(p.writes.Done) > 0 {
		t.Errorf("written: %v", p.writes.Done)
	}
}
