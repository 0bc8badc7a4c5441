package fleet

import (
	"context"
	"fmt"
	"path"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
)

const (
	// pace is the time between two things that a pod says: long enough for the manager to see each.
	pace = 200 * time.Millisecond
	// operations that each step had, of fast and, one of them, slow microseconds.
	operations, fast, slow = 500, 1000, 9000
)

// argument is what follows a flag among a Job's.
func argument(job *batchv1.Job, flag string) string {
	arguments := job.Spec.Template.Spec.Containers[0].Args
	for i := range len(arguments) - 1 {
		if arguments[i] == flag {
			return arguments[i+1]
		}
	}
	return ""
}

// topology is what a topology Job does: it answers who the server is.
func (n *node) topology(ctx context.Context, job *batchv1.Job) error {
	if err := process.Sleep(ctx, pace); err != nil {
		return err
	}
	return n.configs.Topology(ctx, argument(job, "--result-configmap"), reportv1.TopologyReport{
		Version: reportv1.Version,
		Server: reportv1.Server{
			Version: "6.0.5", Topology: "Standalone", StorageEngine: "wiredTiger", CacheMebibytes: 256, CPUCores: 2,
			Members: 1, DefaultWriteConcern: "w: 1",
		},
	})
}

// load is what a load pod does: it goes through the steps of its plan, says where it is, and reports.
func (n *node) load(ctx context.Context, job *batchv1.Job) error {
	encoded, err := n.plan(ctx, job)
	if err != nil {
		return err
	}
	plan, err := planv1.Decode([]byte(encoded))
	if err != nil {
		return err
	}
	reporter := &kube.Reporter{ConfigMaps: n.configs, Name: argument(job, "--pod-configmap-prefix") + "0"}
	began := time.Now()
	for index, step := range plan.Steps {
		if err := n.step(ctx, reporter, plan, index); err != nil {
			return fmt.Errorf("saying that it is in step %s: %w", step.Name, err)
		}
	}
	report, err := reported(plan, planv1.Hash([]byte(encoded)), began)
	if err != nil {
		return err
	}
	if err := reporter.Report(ctx, report); err != nil {
		return err
	}
	last := len(plan.Steps) - 1
	return say(ctx, reporter, reportv1.Progress{
		Step: last, State: reportv1.ProgressDone, Percent: 100, Dataset: mark(plan, plan.Steps[last].Kind),
	})
}

// plan is the one that a Job's pods are given.
func (n *node) plan(ctx context.Context, job *batchv1.Job) (string, error) {
	for _, volume := range job.Spec.Template.Spec.Volumes {
		if volume.Name != "plan" || volume.ConfigMap == nil {
			continue
		}
		var config corev1.ConfigMap
		key := client.ObjectKey{Namespace: job.Namespace, Name: volume.ConfigMap.Name}
		err := n.client.Get(ctx, key, &config)
		return config.Data[path.Base(argument(job, "--plan"))], err
	}
	return "", fmt.Errorf("job %s has no volume with a plan", job.Name)
}

// step says that a step begins, and of one that is measured how it goes on.
func (n *node) step(ctx context.Context, reporter *kube.Reporter, plan planv1.Plan, index int) error {
	step := plan.Steps[index]
	at := reportv1.Progress{
		Step: index, State: reportv1.ProgressRunning, WarmingUp: step.WarmupSeconds > 0, Dataset: mark(plan, step.Kind),
	}
	if err := say(ctx, reporter, at); err != nil || step.Kind != planv1.StepMeasure {
		return err
	}
	at.WarmingUp, at.Percent, at.OperationsPerSecond = false, 50, operations
	return say(ctx, reporter, at)
}

// mark is what the database says of its dataset in a step: the run before has changed documents, and so does this one.
func mark(plan planv1.Plan, kind planv1.StepKind) *reportv1.DatasetMark {
	state := reportv1.DatasetLoading
	switch kind {
	case planv1.StepVerify:
		state = reportv1.DatasetClean
	case planv1.StepMeasure:
		state = reportv1.DatasetDirty
	default:
	}
	return &reportv1.DatasetMark{Fingerprint: plan.Dataset, State: state}
}

// say writes where a pod is, and gives the manager the time to read it.
func say(ctx context.Context, reporter *kube.Reporter, at reportv1.Progress) error {
	if err := reporter.Progress(ctx, at); err != nil {
		return err
	}
	return process.Sleep(ctx, pace)
}

// reported is what a load pod measured: in each step the same.
func reported(plan planv1.Plan, hash string, start time.Time) (reportv1.Report, error) {
	times := reportv1.NewHistogram()
	if err := times.RecordValues(fast, operations-1); err != nil {
		return reportv1.Report{}, err
	}
	if err := times.RecordValue(slow); err != nil {
		return reportv1.Report{}, err
	}
	encoded, err := reportv1.EncodeHistogram(times)
	if err != nil {
		return reportv1.Report{}, err
	}
	report := reportv1.Report{
		Version: reportv1.Version, PlanHash: hash, LoadgenVersion: "bench", Driver: "none", Pods: 1,
	}
	for _, declared := range plan.Steps {
		step := reportv1.Step{
			Name: declared.Name, Kind: string(declared.Kind), IntendedStart: start, Start: start, MeasureStart: start,
			End: start.Add(time.Second), Threads: declared.Threads, IntervalMillis: 1000,
			Generator: reportv1.Generator{CPUMicros: 1, AvailableCPUMicros: 10, BusiestPodPercent: 10},
		}
		if declared.Kind == planv1.StepLoad {
			step.Documents = documents
		}
		for _, operation := range declared.Operations {
			step.Operations = append(step.Operations, reportv1.Operation{
				Name: operation.Name, Kind: string(operation.Kind), Count: operations, ServiceTime: encoded,
			})
		}
		report.Steps = append(report.Steps, step)
		start = step.End
	}
	return report, nil
}
