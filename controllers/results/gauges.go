package results

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

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
	if run.Status.Summary != nil {
		sendSummary(g, run.Status.Summary)
	}
	if run.Status.Result != nil {
		sendResult(g, run.Status.Result)
	}
	if run.Status.Duet != nil {
		sendDuet(g, run.Status.Duet)
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
	g.sendCondition(runKept, condition.Find(status.Conditions, benchv1alpha1.RunObjectivesKept))
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

// sendSummary sends the figures over all steps, and those of single steps with the step's name.
func sendSummary(g gauges, summary *benchv1alpha1.RunSummary) {
	send(g, ofTotals, summary)
	send(g.of(summary.Step), ofFastest, summary)
	send(g.of(summary.HighestP99Step), ofSlowest, summary)
}

func sendResult(g gauges, result *benchv1alpha1.Result) {
	send(g, ofResult, result)
	if result.Load != nil {
		send(g, ofLoad, result.Load)
	}
	if cost := result.Cost; cost != nil {
		g.send(costInfo, 1, cost.Currency, cost.PriceList)
		send(g, ofCost, cost)
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
	if step.Steadiness != nil && *step.Steadiness != benchv1alpha1.SteadinessNotChecked {
		g.send(stepSteady, truth(*step.Steadiness == benchv1alpha1.SteadinessReached))
	}
	if limit := step.LimitedBy; limit != nil {
		g.send(stepLimited, 1, string(limit.Cause), string(limit.Certainty))
	}
	for i := range step.Actions {
		action := g.of(step.Actions[i].Name)
		action.send(actionSucceeded, truth(step.Actions[i].Error == ""))
		send(action, ofDone, &step.Actions[i])
	}
	for i := range step.Objectives {
		declared := &step.Objectives[i]
		objective := g.of(declared.Operation).of(strconv.Itoa(i + 1)).of(declared.Percent)
		integer(objective, objectiveLimit, &declared.LimitMicros, micros)
		objective.send(objectiveKept, truth(declared.Outcome == benchv1alpha1.ObjectiveKept))
		integer(objective, objectiveOperations, declared.Operations, one)
		integer(objective, objectiveWithin, declared.WithinLimit, one)
	}
	for i := range step.Groups {
		send(g.of(step.Groups[i].Name), ofWorked, &step.Groups[i])
	}
	for i := range step.Operations {
		operation := g.of(step.Operations[i].Name)
		send(operation, ofTimed, &step.Operations[i])
		sendLatency(operation, &step.Operations[i])
	}
}

// sendLatency sends a summary, which is the type that Prometheus has for quantiles. It is of all operations that were
// timed, those that failed included. A quantile that the status does not have there were too few operations for.
func sendLatency(g gauges, operation *benchv1alpha1.OperationResult) {
	if operation.Count == nil {
		return
	}
	var timed int64
	if operation.MeanMicros != nil {
		timed = *operation.Count - ptr.Deref(operation.Unacknowledged, 0) + ptr.Deref(operation.Errors, 0)
	}
	quantiles := make(map[float64]float64, len(figure.Percentiles)+len(operation.Percentiles))
	for _, asked := range operation.Percentiles {
		if percent, err := strconv.ParseFloat(asked.Percentile, 64); err == nil && asked.Micros != nil {
			quantiles[percent/100] = float64(*asked.Micros) / float64(micros)
		}
	}
	for _, percentile := range figure.Percentiles {
		switch found := percentile.In().Get(operation); {
		case timed <= 0:
			// What was not timed has no latency, which Prometheus writes so.
			quantiles[percentile.Quantile] = math.NaN()
		case found != nil:
			quantiles[percentile.Quantile] = float64(*found) / float64(micros)
		}
	}
	timed = max(timed, 0)
	sum := float64(ptr.Deref(operation.MeanMicros, 0)) * float64(timed) / float64(micros)
	metric, err := prometheus.NewConstSummary(operationLatency, uint64(timed), sum, quantiles, g.identity...)
	if err == nil {
		g.metrics <- metric
	}
}

// unknown is the value of a verdict that is not known.
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
	if search := status.Search; search != nil {
		g.send(suiteSearch, 1, string(search.Outcome), search.Variant)
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
		integer(v.of(variant.Step), variantRate, variant.OperationsPerSecond, one)
		integer(v.of(variant.Step), variantLatency, variant.P99Micros, micros)
	}
	sendComparison(g, status.Comparison)
	integer(g, suiteOmittedChanges, status.OmittedLines, one)
}

// unit is how many of the status's unit make one of Prometheus's base unit. The division is exact to the last decimal
// place that the status has.
type unit float64

const (
	one         unit = 1
	micros      unit = 1e6
	basisPoints unit = 1e4
)

// gauges sends metrics of one object.
type gauges struct {
	metrics chan<- prometheus.Metric
	// identity are the values of the first labels.
	identity []string
}

// of are the gauges of a part of the object.
func (g gauges) of(part ...string) gauges {
	return gauges{metrics: g.metrics, identity: slices.Concat(g.identity, part)}
}

// send sends one metric. A label that cannot be one costs that metric, not the scrape.
func (g gauges) send(description *prometheus.Desc, value float64, labels ...string) {
	metric, err := prometheus.NewConstMetric(
		description, prometheus.GaugeValue, value, slices.Concat(g.identity, labels)...)
	if err == nil {
		g.metrics <- metric
	}
}

func (g gauges) sendTime(description *prometheus.Desc, at time.Time, labels ...string) {
	g.send(description, float64(at.UnixMicro())/float64(micros), labels...)
}

// sendCondition sends 1 for True and 0 for False, with the reason. What is Unknown is not sent.
func (g gauges) sendCondition(description *prometheus.Desc, found *metav1.Condition) {
	switch {
	case found == nil:
	case found.Status == metav1.ConditionTrue:
		g.send(description, 1, found.Reason)
	case found.Status == metav1.ConditionFalse:
		g.send(description, 0, found.Reason)
	}
}

// integer sends a figure of the status; one that is unset is not sent.
func integer[T int32 | int64](g gauges, description *prometheus.Desc, figure *T, in unit) {
	if figure != nil {
		g.send(description, float64(*figure)/float64(in))
	}
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Labels that tell what a figure is of.
var (
	ofRun       = []string{"namespace", "run", "suite", "variant"}
	ofStep      = with(ofRun, "step")
	ofOperation = with(ofStep, "operation")
	ofAction    = with(ofStep, "action")
	ofGroup     = with(ofStep, "group")
	ofObjective = with(ofOperation, "objective", "percent")
	ofRunChange = with(ofRun, "baseline", "metric", "step", "operation", "verdict")
	ofSuite     = []string{"namespace", "suite"}
	ofVariant   = with(ofSuite, "variant")
	ofChange    = with(ofVariant, "metric", "step", "operation", "verdict")
)

// descriptions are those of all metrics of this package.
var descriptions []*prometheus.Desc

// describe makes the description of one metric.
func describe(name, help string, labels []string) *prometheus.Desc {
	description := prometheus.NewDesc(name, help, labels, nil)
	descriptions = append(descriptions, description)
	return description
}

func with(labels []string, more ...string) []string { return slices.Concat(labels, more) }

// Of the collector itself.
var (
	scrapeSuccess = describe("mongobench_results_scrape_success",
		"Whether runs and suites could be read: 1, or 0 when their figures are missing from this scrape.", nil)
	omittedRuns = describe("mongobench_results_omitted_runs",
		"Runs whose figures are left out because there are newer ones.", nil)
	omittedSuites = describe("mongobench_results_omitted_suites",
		"Suites whose figures are left out because there are newer ones.", nil)
)

// Of a run's course, and what is no number in its result.
var (
	runStageStart = describe("mongobench_run_stage_start_timestamp_seconds",
		"When a run that is under way entered its stage.", with(ofRun, "stage"))
	runSucceeded = describe("mongobench_run_succeeded",
		"Whether a run that has ended succeeded: 1 or 0.", with(ofRun, "reason"))
	runTrusted = describe("mongobench_run_trusted",
		"Whether the figures of a run may be believed: 1 or 0.", with(ofRun, "reason"))
	runKept = describe("mongobench_run_objectives_kept",
		"Whether a run kept all of its objectives: 1 or 0; nothing of a run that has none.", with(ofRun, "reason"))
	runCompletion = describe("mongobench_run_completion_timestamp_seconds", "When a run ended.", ofRun)
	runDuration   = describe("mongobench_run_duration_seconds",
		"How long a stage of a run took.", with(ofRun, "stage"))
	stepSteady = describe("mongobench_run_steady",
		"Whether a step's throughput became steady: 1 or 0; nothing when that was not checked.", ofStep)
	costInfo = describe("mongobench_run_cost_info",
		"Always 1: the currency of a run's costs, and the price list that they rest on.",
		with(ofRun, "currency", "price_list"))
	stepLimited = describe("mongobench_run_limited_by",
		"What limited a step, and how sure that is, by its labels; the value is 1.", with(ofStep, "cause", "certainty"))
	objectiveKept = describe("mongobench_run_objective_kept",
		"Whether an objective was kept: 1 or 0.", ofObjective)
	objectiveLimit = describe("mongobench_run_objective_limit_seconds",
		"How long an operation may take by an objective.", ofObjective)
	objectiveOperations = describe("mongobench_run_objective_operations",
		"Operations that an objective was judged by.", ofObjective)
	objectiveWithin = describe("mongobench_run_objective_operations_within_limit",
		"Of these, the operations that succeeded within the limit.", ofObjective)
	actionSucceeded = describe("mongobench_run_action_succeeded",
		"Whether an action could be carried out: 1 or 0.", ofAction)
	operationLatency = describe(figure.MetricPrefix+figure.LatencyMetric,
		"Latency of an operation; the sum is the mean times the count.", ofOperation)
)

// Of a run's result.
var (
	ofTotals     = described(figure.Totals, ofRun)
	ofFastest    = described(figure.Fastest, ofStep)
	ofSlowest    = described(figure.Slowest, ofStep)
	ofResult     = described(figure.Results, ofRun)
	ofLoad       = described(figure.Loads, ofRun)
	ofCost       = described(figure.Costs, ofRun)
	ofCheckpoint = described(figure.Sizes, with(ofRun, "checkpoint"))
	ofSweep      = described(figure.Sweeps, ofStep)
	ofMeasured   = described(figure.Steps, ofStep)
	ofDone       = described(figure.Actions, ofAction)
	ofWorked     = described(figure.Groups, ofGroup)
	ofTimed      = described(figure.Operations, ofOperation)
)

// metric is a figure of a part of a result that has a metric of its own.
type metric[S any] struct {
	description *prometheus.Desc
	in          figure.Field[S]
	unit        float64
}

// described describes the metrics of rows.
func described[F, S any](rows []figure.Row[F, S], labels []string) []metric[S] {
	var found []metric[S]
	for _, row := range rows {
		if row.Metric != "" {
			description := describe(figure.MetricPrefix+row.Metric, row.Help, labels)
			found = append(found, metric[S]{description, row.In, row.Unit.PerBase()})
		}
	}
	return found
}

// Of a suite.
var (
	suiteComplete = describe("mongobench_suite_complete",
		"Whether everything is done that a suite asks for: 1 or 0.", with(ofSuite, "reason"))
	suiteRegressed = describe("mongobench_suite_regressed",
		"Whether anything got worse: 1 or 0, and -1 without a verdict.", with(ofSuite, "reason"))
	suiteSearch = describe("mongobench_suite_search",
		"What a search came to and the variant that it found, by its labels; the value is 1.",
		with(ofSuite, "outcome", "variant"))
	suiteCompletion = describe("mongobench_suite_completion_timestamp_seconds",
		"When a suite's revision was complete.", ofSuite)
	suitePlanned   = describe("mongobench_suite_planned_runs", "Runs that a suite's revision asks for.", ofSuite)
	suiteUntrusted = describe("mongobench_suite_untrusted_runs",
		"Runs of a suite's revision that succeeded and are in doubt.", ofSuite)
	suiteRuns = describe("mongobench_suite_runs",
		"Runs of a suite's revision by their state: active, succeeded or failed.", with(ofSuite, "state"))
	variantRuns = describe("mongobench_suite_variant_runs",
		"Runs of a variant that ended, by their state: succeeded or failed.", with(ofVariant, "state"))
	variantRate = describe("mongobench_suite_variant_operations_per_second",
		"Throughput of a step of a variant: the median over its runs.", with(ofVariant, "step"))
	variantLatency = describe("mongobench_suite_variant_latency_p99_seconds",
		"99th percentile of the latency of a step of a variant: the median over its runs.", with(ofVariant, "step"))
	suiteChange = describe("mongobench_suite_change_ratio",
		"Change of a metric from its baseline: 0.1 is a tenth more.", ofChange)
	suiteChangeLow = describe("mongobench_suite_change_low_ratio",
		"Lower bound of the change of a metric, with the confidence that was asked for.", ofChange)
	suiteChangeHigh = describe("mongobench_suite_change_high_ratio",
		"Upper bound of the change of a metric, with the confidence that was asked for.", ofChange)
	suiteOmittedChanges = describe("mongobench_suite_omitted_changes",
		"Compared metrics that a suite's status leaves out.", ofSuite)
)
