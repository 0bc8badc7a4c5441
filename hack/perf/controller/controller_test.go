package controller_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// pods and window are those of a large run: 16 load pods that measure five minutes a step.
const (
	pods   = 16
	window = 5 * time.Minute
)

var birth = time.Date(2026, time.November, 21, 3, 0, 0, 0, time.UTC)

// sample is the run that has every kind of operation, on many load pods.
func sample(tb testing.TB) *benchv1alpha1.BenchmarkRun {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "config", "samples", "operations.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.Unmarshal(content, run); err != nil {
		tb.Fatal(err)
	}
	run.Namespace, run.UID, run.CreationTimestamp = "bench", "run-1", metav1.NewTime(birth)
	run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Pods: new(int32(pods))}
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(pods))}
	for i := range run.Spec.Workload.Steps {
		run.Spec.Workload.Steps[i].Threads = new(int32(pods))
	}
	return run
}

func BenchmarkCompile(b *testing.B) {
	run := sample(b)
	b.ReportAllocs()
	for b.Loop() {
		encoded, err := planv1.Encode(spec.Compile(run.Spec))
		if err != nil {
			b.Fatal(err)
		}
		_ = planv1.Hash(encoded)
	}
}

// placed is a run whose target is ready, so that a decision makes the objects of all load pods.
func placed(tb testing.TB) decide.Observation {
	tb.Helper()
	run := sample(tb)
	target := &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: "shared", Generation: 1},
		Spec:       targettest.MongoDB("6.0.5"),
		Status: benchv1alpha1.BenchmarkTargetStatus{
			Conditions: []metav1.Condition{{
				Type: benchv1alpha1.TargetReady, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonReady,
				ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(birth),
			}},
			Connection: &benchv1alpha1.TargetConnection{
				URI: new("mongodb://shared.bench.svc"), CredentialsSecretName: new("shared-load"),
			},
		},
	}
	run.Spec.Target, run.Spec.TargetRef = nil, &benchv1alpha1.NameReference{Name: target.Name}
	observation := decide.Observation{
		Now: birth.Add(time.Second), Run: run, Target: target, Turn: decide.Turn{Admitted: true},
	}
	observation.Settings.LoadgenImage = "loadgen:1"
	run.Status = decide.Decide(observation).Status
	return observation
}

func TestADecisionAboutAPlacedRunMakesTheObjectsOfEveryLoadPod(t *testing.T) {
	decision := decide.Decide(placed(t))
	if got := len(decision.Desired); decision.Leave || got < pods {
		t.Errorf("the decision makes %d objects (leave %t), want at least one for each of %d load pods: %+v",
			got, decision.Leave, pods, decision.Status.Conditions)
	}
}

func BenchmarkDecide(b *testing.B) {
	observation := placed(b)
	b.ReportAllocs()
	for b.Loop() {
		if decision := decide.Decide(observation); decision.Leave {
			b.Fatal("nothing was decided")
		}
	}
}

// reports are those of all load pods, of latencies from 100 µs to a second.
func reports(tb testing.TB) []reportv1.Report {
	tb.Helper()
	plan := spec.Compile(sample(tb).Spec)
	encoded, err := planv1.Encode(plan)
	if err != nil {
		tb.Fatal(err)
	}
	histogram := reportv1.NewHistogram()
	var count int64
	for micros := int64(100); micros < 1_000_000; micros += micros / 50 {
		if err := histogram.RecordValues(micros, 10); err != nil {
			tb.Fatal(err)
		}
		count += 10
	}
	times, err := reportv1.EncodeHistogram(histogram)
	if err != nil {
		tb.Fatal(err)
	}
	intervals := make([]int64, window/time.Second)
	intervals[0] = count
	all := make([]reportv1.Report, pods)
	for pod := range all {
		all[pod] = reportv1.Report{Version: reportv1.Version, PlanHash: planv1.Hash(encoded), Pods: 1}
		for _, declared := range plan.Steps {
			if declared.Kind != planv1.StepMeasure {
				continue
			}
			step := reportv1.Step{
				Name: declared.Name, Kind: string(declared.Kind), IntendedStart: birth, Start: birth, MeasureStart: birth,
				End: birth.Add(window), Threads: 1, IntervalMillis: 1000,
			}
			for _, operation := range declared.Operations {
				step.Operations = append(step.Operations, reportv1.Operation{
					Name: operation.Name, Kind: string(operation.Kind), Count: count, ServiceTime: times, Intervals: intervals,
				})
			}
			all[pod].Steps = append(all[pod].Steps, step)
		}
	}
	return all
}

func TestTheReportsOfAllLoadPodsAreMerged(t *testing.T) {
	merged, err := result.Merge(reports(t))
	if err != nil || merged.Pods != pods {
		t.Errorf("%d pods were merged, %v; want %d", merged.Pods, err, pods)
	}
}

func BenchmarkMerge(b *testing.B) {
	all := reports(b)
	b.ReportAllocs()
	for b.Loop() {
		merged, err := result.Merge(all)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := result.Summarise(merged); err != nil {
			b.Fatal(fmt.Errorf("summarising: %w", err))
		}
	}
}
