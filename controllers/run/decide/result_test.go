package decide

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

func TestStatusFitsIntoItsLimit(t *testing.T) {
	status := &benchv1alpha1.BenchmarkRunStatus{
		Server: &benchv1alpha1.ServerFingerprint{},
		Result: &benchv1alpha1.Result{},
	}
	for range 16 {
		status.Server.StartupWarnings = append(status.Server.StartupWarnings, strings.Repeat("w", 512))
	}
	for i := range 32 {
		big := new(int64(1) << 50)
		step := benchv1alpha1.StepResult{
			Name: fmt.Sprintf("step-%d", i), Client: strings.Repeat("c", 128), Threads: new(int32(4096)), DurationMillis: big,
			RequestedOperationsPerSecond: big, AchievedOperationsPerSecond: big, DroppedOperations: big,
			ScheduleLagP99Micros: big, SteadyAfterMillis: big, Steadiness: new(benchv1alpha1.SteadinessReached),
			Search: &benchv1alpha1.SearchResult{FoundOperationsPerSecond: big, Trials: new(int32(100))},
		}
		status.Result.Sweeps = append(status.Result.Sweeps, benchv1alpha1.SweepResult{
			Name: fmt.Sprintf("%s-%d", strings.Repeat("s", 60), i), KneeThreads: new(int32(4096)),
			SaturationThreads: new(int32(4096)),
		})
		for k := range 32 {
			operation := benchv1alpha1.OperationResult{Name: fmt.Sprintf("%s-%d", strings.Repeat("o", 60), k)}
			fill(&operation, *big)
			step.Operations = append(step.Operations, operation)
		}
		status.Result.Steps = append(status.Result.Steps, step)
	}
	collect.Fit(status)
	if got := collect.Size(status); got > 48<<10 {
		t.Errorf("the status takes %d bytes", got)
	}
	if len(status.Result.Steps) != 1 || status.Result.Steps[0].Name != "step-31" || *status.Result.OmittedSteps != 31 {
		t.Errorf("left are %d steps from %q on, and %d are said to be omitted", len(status.Result.Steps),
			status.Result.Steps[0].Name, *status.Result.OmittedSteps)
	}
}

// TestStatusHasRoomForAllStepsOfAGrowth: a suite compares what is in statuses, so that a step without room would not be
// compared.
func TestStatusHasRoomForAllStepsOfAGrowth(t *testing.T) {
	w := newWorld(t)
	w.toVerdict()
	status := w.Run.Status.DeepCopy()
	status.Result.Steps = nil
	for i := range 32 {
		step := benchv1alpha1.StepResult{
			Name: fmt.Sprintf("insert-unacknowledged-%d00000000", 100+i), Client: "mongo-go-driver v2.4.0",
			Sent:       "retryWrites on, retryReads on, maxAdaptiveRetries 2, lsid, every document decoded, maxPoolSize 100",
			Steadiness: new(benchv1alpha1.SteadinessNotChecked), Operations: []benchv1alpha1.OperationResult{{Name: "insert"}},
		}
		fill(&step, 1234567)
		fill(&step.Operations[0], 1234567)
		status.Result.Steps = append(status.Result.Steps, step)
	}
	collect.Fit(status)
	if got := status.Result; len(got.Steps) != 32 || got.OmittedSteps != nil {
		t.Errorf("left are %d steps", len(got.Steps))
	}
}

// fill sets every number of a part of a status.
func fill(part any, number int64) {
	for _, field := range reflect.ValueOf(part).Elem().Fields() {
		switch field.Interface().(type) {
		case *int64:
			field.Set(reflect.ValueOf(&number))
		case *int32:
			field.Set(reflect.ValueOf(new(int32(number))))
		}
	}
}

func TestStatusThatFitsIsWhole(t *testing.T) {
	w := newWorld(t)
	w.toVerdict()
	if got := w.Run.Status.Result; len(got.Steps) != 2 || got.OmittedSteps != nil {
		t.Errorf("left are %d steps", len(got.Steps))
	}
}

func TestTrustedTellsAllDoubts(t *testing.T) {
	var list []metav1.Condition
	c := condition.In(&list, 1, birth)
	doubts := []result.Doubt{{Reason: "StartSkew", Message: "late"}, {Reason: "OperationErrors", Message: "bad"}}
	if reasons := trusted(c, doubts, nil); !slices.Equal(reasons, []string{"StartSkew", "OperationErrors"}) {
		t.Errorf("the reasons are %q", reasons)
	}
	got := condition.Find(list, benchv1alpha1.RunTrusted)
	if got.Reason != "StartSkew" || got.Message != "StartSkew: late; OperationErrors: bad" {
		t.Errorf("Trusted is %s: %s", got.Reason, got.Message)
	}
}

func TestCleanupPolicies(t *testing.T) {
	const (
		keep      = benchv1alpha1.CleanupKeep
		onFailure = benchv1alpha1.CleanupKeepOnFailure
		remove    = benchv1alpha1.CleanupDelete
	)
	fail := func(w *world) { w.toLoading(); w.lose("Job"); w.settle() }
	cases := map[string]struct {
		policy benchv1alpha1.CleanupPolicy
		ttl    *int32
		play   func(*world)
		kept   bool
	}{
		"Delete removes after a success":         {remove, nil, (*world).toVerdict, false},
		"Delete removes after a failure":         {remove, nil, fail, false},
		"Delete knows no time to keep":           {remove, new(int32(60)), (*world).toVerdict, false},
		"KeepOnFailure removes after a success":  {onFailure, nil, (*world).toVerdict, false},
		"KeepOnFailure keeps after a failure":    {onFailure, nil, fail, true},
		"Keep keeps after a success":             {keep, nil, (*world).toVerdict, true},
		"Keep keeps after a failure":             {keep, nil, fail, true},
		"Keep keeps until its time is over":      {keep, new(int32(60)), (*world).toVerdict, true},
		"Keep with no time at all removes":       {keep, new(int32(0)), (*world).toVerdict, false},
		"Keep removes when its time is over":     {keep, new(int32(60)), later((*world).toVerdict, time.Minute), false},
		"KeepOnFailure removes after its time":   {onFailure, new(int32(60)), later(fail, time.Minute), false},
		"a policy that is changed later counts":  {keep, nil, change((*world).toVerdict, remove), false},
		"a policy that is changed keeps nothing": {remove, nil, change((*world).toVerdict, keep), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Spec.CleanupPolicy, w.Run.Spec.KeepSeconds = &tc.policy, tc.ttl
			tc.play(w)
			w.Pods = nil
			w.settle()
			if kept := len(w.Owned) > 0; kept != tc.kept {
				t.Errorf("kept are %v", remaining(&w.Observation))
			}
			if got := w.status(progressing); got != "False Finished" {
				t.Errorf("Progressing is %q", got)
			}
		})
	}
}

func later(play func(*world), wait time.Duration) func(*world) {
	return func(w *world) { play(w); w.settle(); w.pass(wait) }
}

func change(play func(*world), policy benchv1alpha1.CleanupPolicy) func(*world) {
	return func(w *world) { play(w); w.settle(); w.Run.Spec.CleanupPolicy = &policy }
}

func TestCleaningUpEndsAndNamesWhatRemains(t *testing.T) {
	w := newWorld(t)
	w.toVerdict()
	w.pass(cleaningTime - time.Second)
	w.settle()
	if got := w.status(progressing); got != "True CleaningUp" {
		t.Errorf("Progressing is %q", got)
	}
	w.pass(time.Second)
	w.settle()
	if got := w.status(progressing); got != "False Finished" {
		t.Errorf("Progressing is %q", got)
	}
	said := condition.Find(w.Run.Status.Conditions, progressing).Message
	if !strings.Contains(said, "Pod r-load-0, Pod r-load-1") {
		t.Errorf("Progressing says %q", said)
	}
}

// TestPlanOfAnOlderOperator: what the load pods were given stays the run's plan, whatever is compiled now.
func TestPlanOfAnOlderOperator(t *testing.T) {
	w := newWorld(t)
	w.toMeasuring()
	before := w.Run.Status.PlanHash
	w.Run.Spec.Seed = new(int64(99)) // As good as a compiler that has changed.
	w.settle()
	if w.Run.Status.PlanHash != before {
		t.Errorf("the plan's hash became %s", w.Run.Status.PlanHash)
	}
}

func TestPositionIgnoresWhatChangesAllTheTime(t *testing.T) {
	encoded := func(progress reportv1alpha1.Progress) map[string]string {
		text, err := reportv1alpha1.EncodeProgress(progress)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{reportv1alpha1.ProgressKey: string(text)}
	}
	ten := progress.Position(encoded(runtest.Progress(1, reportv1alpha1.ProgressRunning, 10)))
	twenty := progress.Position(encoded(runtest.Progress(1, reportv1alpha1.ProgressRunning, 20)))
	if diff := cmp.Diff(ten, twenty); diff != "" {
		t.Errorf("they differ:\n%s", diff)
	}
	next := progress.Position(encoded(runtest.Progress(2, reportv1alpha1.ProgressWaiting, 0)))
	if reflect.DeepEqual(next, ten) {
		t.Error("another step makes no difference")
	}
	if none := progress.Position(nil); !reflect.DeepEqual(none, reportv1alpha1.Progress{}) {
		t.Errorf("nothing said is %v", none)
	}
}

func TestSweepsAreInTheResult(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.Workload.Steps[1].Threads = nil
	w.Run.Spec.Workload.Steps[1].ThreadSweep = []int32{2, 4}
	w.toVerdict()
	result := w.Run.Status.Result
	names := make([]string, 0, len(result.Steps))
	for _, step := range result.Steps {
		names = append(names, step.Name)
	}
	if diff := cmp.Diff([]string{"read", "write-2", "write-4"}, names); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if len(result.Sweeps) != 1 || result.Sweeps[0].Name != "write" || result.Sweeps[0].SaturationThreads == nil {
		t.Errorf("sweeps are %+v", result.Sweeps)
	}
}
