package results

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Labels that tell what a figure is of.
var (
	ofRun       = []string{"namespace", "run", "suite", "variant"}
	ofStep      = with(ofRun, "step")
	ofOperation = with(ofStep, "operation")
	ofAction    = with(ofStep, "action")
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

// Of a run.
var (
	runStageStart = describe("mongobench_run_stage_start_timestamp_seconds",
		"When a run that is under way entered its stage.", with(ofRun, "stage"))
	runSucceeded = describe("mongobench_run_succeeded",
		"Whether a run that has ended succeeded: 1 or 0.", with(ofRun, "reason"))
	runTrusted = describe("mongobench_run_trusted",
		"Whether the figures of a run may be believed: 1 or 0.", with(ofRun, "reason"))
	runCompletion = describe("mongobench_run_completion_timestamp_seconds", "When a run ended.", ofRun)
	runDuration   = describe("mongobench_run_duration_seconds",
		"How long a stage of a run took.", with(ofRun, "stage"))
	runResultRate = describe("mongobench_run_result_operations_per_second",
		"Throughput of a run's last step: operations that succeeded.", ofRun)
	runResultLatency = describe("mongobench_run_result_latency_p99_seconds",
		"99th percentile of the latency over all operations of a run's last step.", ofRun)
	runOmittedSteps = describe("mongobench_run_omitted_steps",
		"Steps, from the first on, that the status leaves out.", ofRun)
	runLoadDocuments = describe("mongobench_run_load_documents", "Documents that were loaded.", ofRun)
	runLoadDuration  = describe("mongobench_run_load_duration_seconds", "How long the loading took.", ofRun)
	runLoadRate      = describe("mongobench_run_load_documents_per_second", "Throughput of the loading.", ofRun)
	runKnee          = describe("mongobench_run_sweep_knee_threads",
		"Threads beyond which more of them cost more latency than they bring throughput.", ofStep)
	runSaturation = describe("mongobench_run_sweep_saturation_threads",
		"Smallest number of threads whose throughput is within 5 % of the highest.", ofStep)
)

// Of a growing collection at a checkpoint, counted from 1.
var (
	runDatasetDocuments = describe("mongobench_run_dataset_documents",
		"Documents of the growing collection at a checkpoint.", with(ofRun, "checkpoint"))
	runDatasetBytes = describe("mongobench_run_dataset_bytes",
		"Size of the growing collection's documents at a checkpoint, uncompressed.", with(ofRun, "checkpoint"))
	runStorageBytes = describe("mongobench_run_dataset_storage_bytes",
		"Size of the growing collection's documents on disk at a checkpoint.", with(ofRun, "checkpoint"))
	runIndexBytes = describe("mongobench_run_index_bytes",
		"Size of the growing collection's indexes on disk at a checkpoint.", with(ofRun, "checkpoint"))
)

// Of a step.
var (
	stepDuration = describe("mongobench_run_step_duration_seconds",
		"Length of a step's measure window, without the warm-up.", ofStep)
	stepThreads   = describe("mongobench_run_step_threads", "Threads that worked, over all load pods.", ofStep)
	stepRequested = describe("mongobench_run_requested_operations_per_second",
		"Rate at which operations were due; only of an open loop.", ofStep)
	stepAchieved = describe("mongobench_run_achieved_operations_per_second",
		"Rate at which operations were sent in time; only of an open loop.", ofStep)
	stepDropped = describe("mongobench_run_dropped_operations",
		"Operations that were due and never sent; only of an open loop.", ofStep)
	stepScheduleLag = describe("mongobench_run_schedule_lag_p99_seconds",
		"99th percentile of the time from when an operation was due until it was sent; only of an open loop.", ofStep)
	stepFound = describe("mongobench_run_search_operations_per_second",
		"Highest rate that kept the objective of a search and was confirmed.", ofStep)
	stepTrials = describe("mongobench_run_search_trials", "Trials that a search made.", ofStep)
	stepSteady = describe("mongobench_run_steady",
		"Whether a step's throughput became steady: 1 or 0.", ofStep)
	stepSteadyAfter = describe("mongobench_run_steady_after_seconds",
		"From when on a step's throughput was steady, from the begin of its measure window.", ofStep)
	stepDocuments = describe("mongobench_run_step_documents",
		"Documents of the growing collection while a step was measured.", ofStep)
	stepDrain = describe("mongobench_run_drain_seconds",
		"How long after its window a step's unacknowledged writes were still taken in.", ofStep)
	stepSent = describe("mongobench_run_unacknowledged_sent_documents",
		"Documents that were sent in unacknowledged inserts.", ofStep)
	stepArrived = describe("mongobench_run_unacknowledged_arrived_documents",
		"Documents of unacknowledged inserts that were there afterwards.", ofStep)
)

// Of an action of a step.
var (
	actionSucceeded = describe("mongobench_run_action_succeeded",
		"Whether an action could be carried out: 1 or 0.", ofAction)
	actionAt = describe("mongobench_run_action_start_seconds",
		"When an action was done, from the begin of the measure window.", ofAction)
	actionOutage = describe("mongobench_run_action_outage_seconds",
		"Longest time after an action in which no operation succeeded.", ofAction)
	actionRecovery = describe("mongobench_run_action_recovery_seconds",
		"Time from an action until the throughput was back at nine tenths.", ofAction)
)

// Of an operation of a step.
var (
	operationRate = describe("mongobench_run_operations_per_second",
		"Throughput of an operation: those that succeeded.", ofOperation)
	operationCount  = describe("mongobench_run_operations", "Operations that succeeded.", ofOperation)
	operationErrors = describe("mongobench_run_errors", "Operations that failed.", ofOperation)
	operationRetry  = describe("mongobench_run_retries", "How often operations were sent once more.", ofOperation)
	operationUntold = describe("mongobench_run_unacknowledged_operations",
		"Operations that succeeded and have no latency, because no reply was asked for.", ofOperation)
	operationLatency = describe("mongobench_run_latency_seconds",
		"Latency of an operation; the sum is the mean times the count.", ofOperation)
	operationMax = describe("mongobench_run_latency_max_seconds", "Largest latency of an operation.", ofOperation)
	serviceP99   = describe("mongobench_run_service_time_p99_seconds",
		"99th percentile of an operation's service time; only of an open loop.", ofOperation)
	firstP50 = describe("mongobench_run_first_document_p50_seconds",
		"Median time to the first document of a cursor.", ofOperation)
	firstP99 = describe("mongobench_run_first_document_p99_seconds",
		"99th percentile of the time to the first document of a cursor.", ofOperation)
)

// Of a suite.
var (
	suiteComplete = describe("mongobench_suite_complete",
		"Whether everything is done that a suite asks for: 1 or 0.", with(ofSuite, "reason"))
	suiteRegressed = describe("mongobench_suite_regressed",
		"Whether something became worse: 1 or 0, and -1 while or because nobody can tell.", with(ofSuite, "reason"))
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
		"Throughput of a variant: the median over its runs.", ofVariant)
	variantLatency = describe("mongobench_suite_variant_latency_p99_seconds",
		"99th percentile of a variant's latency: the median over its runs.", ofVariant)
	suiteChange = describe("mongobench_suite_change_ratio",
		"Change of a metric from its baseline: 0.1 is a tenth more.", ofChange)
	suiteChangeLow = describe("mongobench_suite_change_low_ratio",
		"Lower bound of the change of a metric, with the confidence that was asked for.", ofChange)
	suiteChangeHigh = describe("mongobench_suite_change_high_ratio",
		"Upper bound of the change of a metric, with the confidence that was asked for.", ofChange)
	suiteOmittedChanges = describe("mongobench_suite_omitted_changes",
		"Compared metrics that a suite's status leaves out.", ofSuite)
)
