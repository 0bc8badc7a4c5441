package results

import (
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
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
	succeeded := condition.Find(status.Conditions, benchv1alpha1.RunSucceeded)
	g.sendCondition(runSucceeded, succeeded)
	g.sendCondition(runTrusted, condition.Find(status.Conditions, benchv1alpha1.RunTrusted))
	if condition.Ended(run) {
		g.sendTime(runCompletion, succeeded.LastTransitionTime.Time)
	}
}

// stageOf is the stage that a run is in; empty when it has not begun, or nothing is left to do.
func stageOf(status *benchv1alpha1.BenchmarkRunStatus) string {
	progressing := condition.Find(status.Conditions, benchv1alpha1.RunProgressing)
	if progressing == nil || progressing.Status != metav1.ConditionTrue {
		return ""
	}
	return progressing.Reason
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

// unknown is the value of a verdict that nobody can tell.
const unknown = -1

// sendSuite sends all metrics of one suite.
func sendSuite(metrics chan<- prometheus.Metric, suite *benchv1alpha1.BenchmarkSuite) {
	g := gauges{metrics: metrics, identity: []string{suite.Namespace, suite.Name}}
	status := &suite.Status
	g.sendCondition(suiteComplete, condition.Find(status.Conditions, benchv1alpha1.SuiteComplete))
	if regressed := condition.Find(status.Conditions, benchv1alpha1.SuiteRegressed); regressed != nil {
		// Unlike that of a run, an open verdict may be the last one, and its reason says what is missing.
		if regressed.Status == metav1.ConditionUnknown {
			g.send(suiteRegressed, unknown, regressed.Reason)
		}
		g.sendCondition(suiteRegressed, regressed)
	}
	if status.CompletionTime != nil {
		g.sendTime(suiteCompletion, status.CompletionTime.Time)
	}
	if runs := status.Runs; runs != nil {
		integer(g, suitePlanned, runs.Planned, one)
		integer(g, suiteUntrusted, runs.Untrusted, one)
		integer(g.of("active"), suiteRuns, runs.Active, one)
		integer(g.of("succeeded"), suiteRuns, runs.Succeeded, one)
		integer(g.of("failed"), suiteRuns, runs.Failed, one)
	}
	for _, variant := range status.Variants {
		v := g.of(variant.Name)
		integer(v.of("succeeded"), variantRuns, variant.Succeeded, one)
		integer(v.of("failed"), variantRuns, variant.Failed, one)
		integer(v, variantRate, variant.OperationsPerSecond, one)
		integer(v, variantLatency, variant.P99Micros, micros)
	}
	sendComparison(g, status.Comparison)
	integer(g, suiteOmittedChanges, status.OmittedLines, one)
}

// sendComparison sends the lines that say by how much a metric changed.
func sendComparison(g gauges, lines []benchv1alpha1.ComparisonLine) {
	type key struct{ variant, metric, step, operation string }
	sent := make(map[key]bool, len(lines))
	for _, line := range lines {
		// The list has no key of its own, and the same series twice would cost the whole scrape.
		k := key{line.Variant, string(line.Metric), line.Step, line.Operation}
		if sent[k] {
			continue
		}
		sent[k] = true
		of := g.of(line.Variant, string(line.Metric), line.Step, line.Operation, string(line.Verdict))
		integer(of, suiteChange, line.EffectBasisPoints, basisPoints)
		integer(of, suiteChangeLow, line.LowBasisPoints, basisPoints)
		integer(of, suiteChangeHigh, line.HighBasisPoints, basisPoints)
	}
}
