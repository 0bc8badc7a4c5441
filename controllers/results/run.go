package results

import (
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// sendRun sends all metrics of one run.
func sendRun(metrics chan<- prometheus.Metric, run *benchv1alpha1.BenchmarkRun) {
	g := gauges{metrics: metrics, identity: []string{
		run.Namespace, run.Name, run.Labels[suite.Label], run.Labels[suite.VariantLabel],
	}}
	sendCourse(g, run)
	if run.Status.Result != nil {
		sendResult(g, run.Status.Result)
	}
}

// sendCourse sends where the run is, and how it ended.
func sendCourse(g gauges, run *benchv1alpha1.BenchmarkRun) {
	status := &run.Status
	current := stageOf(status)
	for _, stage := range status.Stages {
		switch {
		case stage.CompletionTime != nil:
			g.send(runDuration, stage.CompletionTime.Sub(stage.StartTime.Time).Seconds(), stage.Name)
		case stage.Name == current:
			g.sendTime(runStageStart, stage.StartTime.Time, stage.Name)
		}
	}
	succeeded := find(status.Conditions, benchv1alpha1.RunSucceeded)
	g.sendCondition(runSucceeded, succeeded)
	g.sendCondition(runTrusted, find(status.Conditions, benchv1alpha1.RunTrusted))
	if hasEnded(succeeded) {
		g.sendTime(runCompletion, succeeded.LastTransitionTime.Time)
	}
}

// stageOf is the stage that a run is in; empty when it has not begun, or nothing is left to do.
func stageOf(status *benchv1alpha1.BenchmarkRunStatus) string {
	progressing := find(status.Conditions, benchv1alpha1.RunProgressing)
	if progressing == nil || progressing.Status != metav1.ConditionTrue {
		return ""
	}
	return progressing.Reason
}

func hasEnded(succeeded *metav1.Condition) bool {
	return succeeded != nil && succeeded.Status != metav1.ConditionUnknown
}

func sendResult(g gauges, result *benchv1alpha1.Result) {
	integer(g, runResultRate, result.OperationsPerSecond, one)
	integer(g, runResultLatency, result.P99Micros, micros)
	integer(g, runOmittedSteps, result.OmittedSteps, one)
	if load := result.Load; load != nil {
		integer(g, runLoadDocuments, load.Documents, one)
		integer(g, runLoadDuration, load.DurationMillis, millis)
		integer(g, runLoadRate, load.DocumentsPerSecond, one)
	}
	for i, size := range result.Growth {
		checkpoint := g.of(strconv.Itoa(i + 1))
		integer(checkpoint, runDatasetDocuments, size.Documents, one)
		integer(checkpoint, runDatasetBytes, size.DataBytes, one)
		integer(checkpoint, runStorageBytes, size.StorageBytes, one)
		integer(checkpoint, runIndexBytes, size.IndexBytes, one)
	}
	for _, sweep := range result.Sweeps {
		integer(g.of(sweep.Name), runKnee, sweep.KneeThreads, one)
		integer(g.of(sweep.Name), runSaturation, sweep.SaturationThreads, one)
	}
	for i := range result.Steps {
		sendStep(g.of(result.Steps[i].Name), &result.Steps[i])
	}
}

func sendStep(g gauges, step *benchv1alpha1.StepResult) {
	integer(g, stepDuration, step.DurationMillis, millis)
	integer(g, stepThreads, step.Threads, one)
	integer(g, stepRequested, step.RequestedOperationsPerSecond, one)
	integer(g, stepAchieved, step.AchievedOperationsPerSecond, one)
	integer(g, stepDropped, step.DroppedOperations, one)
	integer(g, stepScheduleLag, step.ScheduleLagP99Micros, micros)
	integer(g, stepDocuments, step.Documents, one)
	integer(g, stepDrain, step.DrainMillis, millis)
	integer(g, stepSent, step.SentDocuments, one)
	integer(g, stepArrived, step.ArrivedDocuments, one)
	if search := step.Search; search != nil {
		integer(g, stepFound, search.FoundOperationsPerSecond, one)
		integer(g, stepTrials, search.Trials, one)
	}
	if step.Steadiness != nil {
		g.send(stepSteady, truth(*step.Steadiness == benchv1alpha1.SteadinessReached))
	}
	integer(g, stepSteadyAfter, step.SteadyAfterMillis, millis)
	for _, action := range step.Actions {
		sendAction(g.of(action.Name), action)
	}
	for i := range step.Operations {
		sendOperation(g.of(step.Operations[i].Name), &step.Operations[i])
	}
}

func sendAction(g gauges, action benchv1alpha1.ActionResult) {
	g.send(actionSucceeded, truth(action.Error == ""))
	integer(g, actionAt, action.AtMillis, millis)
	integer(g, actionOutage, action.OutageMillis, millis)
	integer(g, actionRecovery, action.RecoveryMillis, millis)
}

func sendOperation(g gauges, operation *benchv1alpha1.OperationResult) {
	integer(g, operationRate, operation.OperationsPerSecond, one)
	integer(g, operationCount, operation.Count, one)
	integer(g, operationErrors, operation.Errors, one)
	integer(g, operationRetry, operation.Retries, one)
	integer(g, operationUntold, operation.Unacknowledged, one)
	integer(g, operationMax, operation.MaxMicros, micros)
	integer(g, serviceP99, operation.ServiceP99Micros, micros)
	integer(g, firstP50, operation.FirstDocumentP50Micros, micros)
	integer(g, firstP99, operation.FirstDocumentP99Micros, micros)
	sendLatency(g, operation)
}

// sendLatency sends a summary, which is the type that Prometheus has for quantiles.
func sendLatency(g gauges, operation *benchv1alpha1.OperationResult) {
	if operation.Count == nil || operation.MeanMicros == nil {
		return
	}
	timed := *operation.Count
	if operation.Unacknowledged != nil {
		timed = max(0, timed-*operation.Unacknowledged)
	}
	quantiles := make(map[float64]float64, 4)
	for quantile, figure := range map[float64]*int64{
		0.5: operation.P50Micros, 0.95: operation.P95Micros, 0.99: operation.P99Micros, 0.999: operation.P999Micros,
	} {
		switch {
		case figure == nil:
		case timed == 0 && operation.Unacknowledged != nil:
			// What was not timed has no latency, which Prometheus writes so.
			quantiles[quantile] = math.NaN()
		default:
			quantiles[quantile] = float64(*figure) / float64(micros)
		}
	}
	sum := float64(*operation.MeanMicros) * float64(timed) / float64(micros)
	metric, err := prometheus.NewConstSummary(operationLatency, uint64(timed), sum, quantiles, g.identity...)
	if err == nil {
		g.metrics <- metric
	}
}
