package results

import (
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
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
	send(g, ofResult, result)
	if result.Load != nil {
		send(g, ofLoad, result.Load)
	}
	for i := range result.Growth {
		send(g.of(strconv.Itoa(i+1)), ofCheckpoint, &result.Growth[i])
	}
	for i := range result.Sweeps {
		send(g.of(result.Sweeps[i].Name), ofSweep, &result.Sweeps[i])
	}
	for i := range result.Steps {
		sendStep(g.of(result.Steps[i].Name), &result.Steps[i])
	}
}

// send sends the figures of a part of a result.
func send[S any](g gauges, metrics []metric[S], part *S) {
	for _, metric := range metrics {
		integer(g, metric.description, metric.in.Get(part), unit(metric.unit))
	}
}

func sendStep(g gauges, step *benchv1alpha1.StepResult) {
	send(g, ofMeasured, step)
	if step.Steadiness != nil {
		g.send(stepSteady, truth(*step.Steadiness == benchv1alpha1.SteadinessReached))
	}
	for i := range step.Actions {
		action := g.of(step.Actions[i].Name)
		action.send(actionSucceeded, truth(step.Actions[i].Error == ""))
		send(action, ofDone, &step.Actions[i])
	}
	for i := range step.Operations {
		operation := g.of(step.Operations[i].Name)
		send(operation, ofTimed, &step.Operations[i])
		sendLatency(operation, &step.Operations[i])
	}
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
	quantiles := make(map[float64]float64, len(figure.Percentiles))
	for _, percentile := range figure.Percentiles {
		switch found := percentile.In().Get(operation); {
		case found == nil:
		case timed == 0 && operation.Unacknowledged != nil:
			// What was not timed has no latency, which Prometheus writes so.
			quantiles[percentile.Quantile] = math.NaN()
		default:
			quantiles[percentile.Quantile] = float64(*found) / float64(micros)
		}
	}
	sum := float64(*operation.MeanMicros) * float64(timed) / float64(micros)
	metric, err := prometheus.NewConstSummary(operationLatency, uint64(timed), sum, quantiles, g.identity...)
	if err == nil {
		g.metrics <- metric
	}
}
