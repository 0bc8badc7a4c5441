package runtest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// The steps of the plan of Run.
const (
	StepPrepare = iota
	StepLoad
	StepVerify
	StepRead
	StepWrite
)

// Documents that Run loads.
const Documents = 1000

// CPUModel of the machines of the load pods.
const CPUModel = "Some CPU @ 2.50GHz"

// Run is a run of two load pods against a replica set of its own: a step with a warm-up, and one without.
func Run(namespace, name string) *benchv1alpha1.BenchmarkRun {
	step := func(name string, kind benchv1alpha1.OperationKind, warmup *int32) benchv1alpha1.Step {
		return benchv1alpha1.Step{
			Name: name, WarmupSeconds: warmup, DurationSeconds: new(int32(10)), Threads: new(int32(4)),
			Operations: []benchv1alpha1.Operation{{Name: name, Request: benchv1alpha1.Request{Kind: kind}}},
		}
	}
	return &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			Target: new(targettest.Set("6.0.5", benchv1alpha1.DefaultMembers)),
			Dataset: benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{
				{Name: "people", DocumentCount: new(int64(Documents))},
			}},
			Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{
				step("read", benchv1alpha1.OperationFindOne, new(int32(5))),
				step("write", benchv1alpha1.OperationInsertOne, nil),
			}},
			LoadGenerator: &benchv1alpha1.LoadGenerator{Pods: new(int32(2))},
		},
	}
}

// Connection is how load pods reach a target.
func Connection(target string) *benchv1alpha1.TargetConnection {
	return &benchv1alpha1.TargetConnection{
		URI:                   new("mongodb://" + target + "-mongod-0." + target + "-members.bench.svc/?replicaSet=rs0"),
		CredentialsSecretName: new(target + "-load"),
	}
}

// Server is what the servers of a target said of themselves.
func Server() *benchv1alpha1.ServerFingerprint {
	return &benchv1alpha1.ServerFingerprint{
		Version: "6.0.5", StorageEngine: "wiredTiger", Members: new(int32(3)), CPULimitMillicores: new(int64(700)),
	}
}

// Progress is what a load pod writes of where it is.
func Progress(step int, state reportv1alpha1.ProgressState, percent int) reportv1alpha1.Progress {
	return reportv1alpha1.Progress{Step: step, State: state, Percent: percent, OperationsPerSecond: int64(100 * percent)}
}

// Report is what one load pod of a run answers: 500 operations of each step, of 1 ms and, one of them, 9 ms.
func Report(run *benchv1alpha1.BenchmarkRun, pod int, start time.Time) (reportv1alpha1.Report, error) {
	return ReportOf(spec.Compile(run.Spec), pod, start)
}

// ReportOf is the same of a plan.
func ReportOf(plan planv1alpha1.Plan, pod int, start time.Time) (reportv1alpha1.Report, error) {
	encoded, err := planv1alpha1.Encode(plan)
	if err != nil {
		return reportv1alpha1.Report{}, err
	}
	report := reportv1alpha1.Report{
		Version: reportv1alpha1.Version, PlanHash: planv1alpha1.Hash(encoded), LoadgenVersion: "test", Driver: "test",
		Pods: 1, Machines: []reportv1alpha1.Machine{{CPUModel: CPUModel, Swappiness: "60", CgroupVersion: 2}},
	}
	for _, declared := range plan.Steps {
		step, err := stepReport(declared, plan.Pods, start)
		if err != nil {
			return reportv1alpha1.Report{}, err
		}
		start = step.End
		if !declared.Kind.Alone() || pod == 0 {
			report.Steps = append(report.Steps, step)
		}
	}
	return report, nil
}

func stepReport(declared planv1alpha1.Step, pods int, start time.Time) (reportv1alpha1.Step, error) {
	const operations, fast, slow, window = 500, 1000, 9000, 10 * time.Second
	step := reportv1alpha1.Step{
		Name: declared.Name, Kind: string(declared.Kind), IntendedStart: start, Start: start, MeasureStart: start,
		End: start.Add(window), Threads: declared.Threads / pods, IntervalMillis: 1000, SweepOf: declared.SweepOf,
		Generator: reportv1alpha1.Generator{CPUMicros: 1, AvailableCPUMicros: 10, BusiestPodPercent: 10, Processors: 2},
	}
	if declared.Kind == planv1alpha1.StepLoad {
		step.Documents = Documents / int64(pods)
	}
	times := reportv1alpha1.NewHistogram()
	if err := times.RecordValues(fast, operations-1); err != nil {
		return step, err
	}
	if err := times.RecordValue(slow); err != nil {
		return step, err
	}
	encoded, err := reportv1alpha1.EncodeHistogram(times)
	for _, action := range declared.Actions {
		step.Actions = append(step.Actions, reportv1alpha1.Action{
			Name: action.Name, Type: string(action.Type), AtMillis: int64(action.AfterSeconds) * 1000,
			UntilMillis: window.Milliseconds(), OutageMicros: 2_345_678, RecoveryMillis: new(int64(4000)),
		})
	}
	for _, operation := range declared.Operations {
		step.Operations = append(step.Operations, reportv1alpha1.Operation{
			Name: operation.Name, Kind: string(operation.Kind), Count: operations, ServiceTime: encoded,
		})
	}
	return step, err
}
