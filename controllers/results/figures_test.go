package results_test

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Labels of the only step, operation, action and checkpoint of the run that is filled in below.
const (
	run        = `{namespace="perf",run="a"}`
	checkpoint = `{checkpoint="1",namespace="perf",run="a"}`
	step       = `{namespace="perf",run="a",step="Name"}`
	fastest    = `{namespace="perf",run="a",step="Step"}`
	slowest    = `{namespace="perf",run="a",step="HighestP99Step"}`
	action     = `{action="Name",namespace="perf",run="a",step="Name"}`
	group      = `{group="Name",namespace="perf",run="a",step="Name"}`
	operation  = `{namespace="perf",operation="Name",run="a",step="Name"}`
	objective  = `{namespace="perf",objective="1",operation="Operation",percent="Percent",run="a",step="Name"}`
)

// shown is where each figure of a result is to be found.
var shown = map[string]string{
	"Summary.Steps":                             "mongobench_run_result_steps" + run,
	"Summary.Operations":                        "mongobench_run_result_operations" + run,
	"Summary.Errors":                            "mongobench_run_result_errors" + run,
	"Summary.OperationsPerSecond":               "mongobench_run_result_operations_per_second" + fastest,
	"Summary.P99Micros":                         "mongobench_run_result_latency_p99_seconds" + fastest,
	"Summary.HighestP99Micros":                  "mongobench_run_result_highest_latency_p99_seconds" + slowest,
	"OmittedSteps":                              "mongobench_run_omitted_steps" + run,
	"Load.Documents":                            "mongobench_run_load_documents" + run,
	"Load.DurationMillis":                       "mongobench_run_load_duration_seconds" + run,
	"Load.DocumentsPerSecond":                   "mongobench_run_load_documents_per_second" + run,
	"Cost.ComputeNanosPerHour":                  "mongobench_run_cost_compute_per_hour" + run,
	"Cost.StorageNanosPerHour":                  "mongobench_run_cost_storage_per_hour" + run,
	"Cost.NetworkInNanosPerGibibyte":            "mongobench_run_cost_network_in_per_gibibyte" + run,
	"Cost.NetworkOutNanosPerGibibyte":           "mongobench_run_cost_network_out_per_gibibyte" + run,
	"Growth.Documents":                          "mongobench_run_dataset_documents" + checkpoint,
	"Growth.DataBytes":                          "mongobench_run_dataset_bytes" + checkpoint,
	"Growth.StorageBytes":                       "mongobench_run_dataset_storage_bytes" + checkpoint,
	"Growth.IndexBytes":                         "mongobench_run_index_bytes" + checkpoint,
	"Sweeps.KneeThreads":                        "mongobench_run_sweep_knee_threads" + step,
	"Sweeps.SaturationThreads":                  "mongobench_run_sweep_saturation_threads" + step,
	"Steps.DurationMillis":                      "mongobench_run_step_duration_seconds" + step,
	"Steps.OverrunMillis":                       "mongobench_run_step_overrun_seconds" + step,
	"Steps.OperationsPerSecond":                 "mongobench_run_step_operations_per_second" + step,
	"Steps.P99Micros":                           "mongobench_run_step_latency_p99_seconds" + step,
	"Steps.Threads":                             "mongobench_run_step_threads" + step,
	"Steps.RequestedOperationsPerSecond":        "mongobench_run_requested_operations_per_second" + step,
	"Steps.AchievedOperationsPerSecond":         "mongobench_run_achieved_operations_per_second" + step,
	"Steps.DroppedOperations":                   "mongobench_run_dropped_operations" + step,
	"Steps.ScheduleLagP99Micros":                "mongobench_run_schedule_lag_p99_seconds" + step,
	"Steps.Search.FoundOperationsPerSecond":     "mongobench_run_search_operations_per_second" + step,
	"Steps.Search.BelowOperationsPerSecond":     "mongobench_run_search_below_operations_per_second" + step,
	"Steps.Search.Trials":                       "mongobench_run_search_trials" + step,
	"Steps.SteadyAfterMillis":                   "mongobench_run_steady_after_seconds" + step,
	"Steps.Documents":                           "mongobench_run_step_documents" + step,
	"Steps.CostPerMillionOperationsMicros":      "mongobench_run_cost_per_million_operations" + step,
	"Steps.CostPerMonthAtRateMicros":            "mongobench_run_cost_per_month_at_rate" + step,
	"Steps.ReplicationLagMillis":                "mongobench_run_step_replication_lag_seconds" + step,
	"Steps.RoundTripMicros":                     "mongobench_run_step_round_trip_seconds" + step,
	"Steps.DrainMillis":                         "mongobench_run_drain_seconds" + step,
	"Steps.SentDocuments":                       "mongobench_run_unacknowledged_sent_documents" + step,
	"Steps.ArrivedDocuments":                    "mongobench_run_unacknowledged_arrived_documents" + step,
	"Steps.SkippedOperations":                   "mongobench_run_skipped_operations" + step,
	"Steps.Objectives.LimitMicros":              "mongobench_run_objective_limit_seconds" + objective,
	"Steps.Objectives.Operations":               "mongobench_run_objective_operations" + objective,
	"Steps.Objectives.WithinLimit":              "mongobench_run_objective_operations_within_limit" + objective,
	"Steps.Operations.CorrectedP99Micros":       "mongobench_run_corrected_p99_seconds" + operation,
	"Steps.Actions.AtMillis":                    "mongobench_run_action_start_seconds" + action,
	"Steps.Actions.OutageMillis":                "mongobench_run_action_outage_seconds" + action,
	"Steps.Actions.RecoveryMillis":              "mongobench_run_action_recovery_seconds" + action,
	"Steps.Actions.TookMillis":                  "mongobench_run_action_duration_seconds" + action,
	"Steps.Groups.Threads":                      "mongobench_run_group_threads" + group,
	"Steps.Groups.StartMillis":                  "mongobench_run_group_start_seconds" + group,
	"Steps.Groups.DurationMillis":               "mongobench_run_group_duration_seconds" + group,
	"Steps.Groups.OperationsPerSecond":          "mongobench_run_group_operations_per_second" + group,
	"Steps.Groups.P99Micros":                    "mongobench_run_group_latency_p99_seconds" + group,
	"Steps.Groups.RequestedOperationsPerSecond": "mongobench_run_group_requested_operations_per_second" + group,
	"Steps.Groups.AchievedOperationsPerSecond":  "mongobench_run_group_achieved_operations_per_second" + group,
	"Steps.Groups.DroppedOperations":            "mongobench_run_group_dropped_operations" + group,
	"Steps.Operations.Count":                    "mongobench_run_operations" + operation,
	"Steps.Operations.Errors":                   "mongobench_run_errors" + operation,
	"Steps.Operations.Retries":                  "mongobench_run_retries" + operation,
	"Steps.Operations.Unacknowledged":           "mongobench_run_unacknowledged_operations" + operation,
	"Steps.Operations.Stragglers":               "mongobench_run_straggling_operations" + operation,
	"Steps.Operations.OperationsPerSecond":      "mongobench_run_operations_per_second" + operation,
	"Steps.Operations.P50Micros":                latency("0.5"),
	"Steps.Operations.P95Micros":                latency("0.95"),
	"Steps.Operations.P99Micros":                latency("0.99"),
	"Steps.Operations.P999Micros":               latency("0.999"),
	"Steps.Operations.P9999Micros":              latency("0.9999"),
	"Steps.Operations.StdDevMicros":             "mongobench_run_latency_stddev_seconds" + operation,
	"Steps.Operations.MaxMicros":                "mongobench_run_latency_max_seconds" + operation,
	"Steps.Operations.ServiceP99Micros":         "mongobench_run_service_time_p99_seconds" + operation,
	"Steps.Operations.FirstDocumentP50Micros":   "mongobench_run_first_document_p50_seconds" + operation,
	"Steps.Operations.FirstDocumentP99Micros":   "mongobench_run_first_document_p99_seconds" + operation,
	"Steps.Operations.DatabaseTimeP50Micros":    "mongobench_run_database_time_p50_seconds" + operation,
	"Steps.Operations.DatabaseTimeP99Micros":    "mongobench_run_database_time_p99_seconds" + operation,
	"Steps.Operations.FailedP50Micros":          "mongobench_run_failed_p50_seconds" + operation,
	"Steps.Operations.FailedMaxMicros":          "mongobench_run_failed_max_seconds" + operation,
	"Steps.Operations.Returned":                 "mongobench_run_returned_documents" + operation,
	"Steps.Operations.Matched":                  "mongobench_run_matched_documents" + operation,
	"Steps.Operations.Modified":                 "mongobench_run_modified_documents" + operation,
	"Steps.Operations.Deleted":                  "mongobench_run_deleted_documents" + operation,
	"Steps.Operations.Empty":                    "mongobench_run_empty_operations" + operation,
	"Steps.Operations.Unexpected":               "mongobench_run_unexpected_operations" + operation,
	"Steps.Operations.FailedChecks":             "mongobench_run_failed_checks" + operation,
	"Steps.Operations.RecallPerMillion":         "mongobench_run_recall_ratio" + operation,
	"Steps.Operations.MeanMicros, from a sum":   "mongobench_run_latency_seconds_sum" + operation,
	"Steps.Operations.MeanMicros, and a count":  "mongobench_run_latency_seconds_count" + operation,
}

// notShown are the fields that no series has the value of, and why.
var notShown = map[string]string{
	"Summary.Step":                            "a label",
	"Summary.HighestP99Step":                  "a label",
	"Summary.P99":                             "P99Micros for people",
	"Report.ConfigMapName":                    "a name, not a figure",
	"Report.SHA256":                           "a hash, not a figure",
	"Report.Bytes":                            "what a suite's historySizeLimit counts, not a figure of the target",
	"Cost.Currency":                           "a label",
	"Cost.PriceList":                          "a label",
	"Cost.Source":                             "words, not a figure",
	"Cost.ValidFrom":                          "words, not a figure",
	"Sweeps.Name":                             "a label",
	"Steps.Name":                              "a label",
	"Steps.Client":                            "a name, not a figure",
	"Steps.Sent":                              "words, not a figure",
	"Steps.Steadiness":                        "1 or 0, in a test of its own",
	"Steps.Search.LimitedBy":                  "a name, not a figure",
	"Summary.LimitedBy":                       "that of the step",
	"Steps.LimitedBy.Cause":                   "a label, in a test of its own",
	"Steps.LimitedBy.Certainty":               "a label, in a test of its own",
	"Steps.LimitedBy.Because":                 "words, not a figure",
	"Steps.LimitedBy.Try":                     "words, not a figure",
	"Steps.LimitedBy.AlsoSeen":                "names, not figures",
	"Steps.Objectives.Operation":              "a label",
	"Steps.Objectives.Percent":                "a label",
	"Steps.Objectives.Outcome":                "1 or 0, in a test of its own",
	"Steps.Operations.Percentiles.Percentile": "a quantile, in a test of its own",
	"Steps.Operations.Percentiles.Micros":     "a quantile's value, in a test of its own",
	"Steps.Actions.Name":                      "a label",
	"Steps.Actions.Member":                    "a name, not a figure",
	"Steps.Actions.Outcome":                   "words, not a figure",
	"Steps.Actions.Error":                     "1 or 0, in a test of its own",
	"Steps.Groups.Name":                       "a label",
	"Steps.Operations.Name":                   "a label",
	"Steps.Operations.MeanMicros":             "a sum and a count",
	"Steps.Operations.PartOf":                 "a name, not a figure",
}

func latency(quantile string) string {
	return "mongobench_run_latency_seconds" + strings.TrimSuffix(operation, "}") + `,quantile="` + quantile + `"}`
}

// TestEveryFigureIsShownAsItIs fills every field of a result with another number and finds each again. A field that the
// API gets and nobody has thought of here fails it.
func TestEveryFigureIsShownAsItIs(t *testing.T) {
	result := &benchv1alpha1.Result{}
	next, figures := int64(10_000_019), map[string]int64{}
	fill(t, reflect.ValueOf(result).Elem(), "", func(path string) int64 {
		next -= 7919
		figures[path] = next
		return next
	})
	object := runNamed("a", 0)
	object.Status.Result = result
	fill(t, reflect.ValueOf(&object.Status.Summary).Elem(), "Summary", func(path string) int64 {
		next -= 7919
		figures[path] = next
		return next
	})
	got := scrape(t, showing(objects{runs: []benchv1alpha1.BenchmarkRun{object}}))

	for path, figure := range figures {
		series, isShown := shown[path]
		if _, isNotShown := notShown[path]; isShown == isNotShown {
			t.Errorf("%s of a result must have either a series or a reason to have none", path)
		} else if value, found := got[series]; isShown && (!found || value != inBaseUnit(t, path, figure)) {
			t.Errorf("%s is %d, and %s %v (there: %t)", path, figure, series, value, found)
		}
	}
	sum := got["mongobench_run_latency_seconds_sum"+operation]
	count := got["mongobench_run_latency_seconds_count"+operation]
	timed := figures["Steps.Operations.Count"] - figures["Steps.Operations.Unacknowledged"] +
		figures["Steps.Operations.Errors"]
	if mean := figures["Steps.Operations.MeanMicros"]; int64(math.Round(sum/count*1e6)) != mean || int64(count) != timed {
		t.Errorf("the mean of %d µs over %d operations is the sum %v over %v", mean, timed, sum, count)
	}
	for path := range notShown {
		if _, found := figures[path]; !found {
			t.Errorf("a result has no field %s", path)
		}
	}
	nothingElse(t, got)
}

// nothingElse fails for a series of which nobody has said what field it has.
func nothingElse(t *testing.T, got map[string]float64) {
	t.Helper()
	known := map[string]bool{
		"mongobench_run_objective_kept" + objective: true,
		"mongobench_run_action_succeeded" + action:  true, "mongobench_run_steady" + step: true,
		`mongobench_run_cost_info{currency="Currency",namespace="perf",price_list="PriceList",run="a"}`:       true,
		`mongobench_run_limited_by{cause="Cause",certainty="Certainty",namespace="perf",run="a",step="Name"}`: true,
	}
	for _, series := range shown {
		known[series] = true
	}
	for series := range without(got, "mongobench_results_") {
		if !known[series] {
			t.Errorf("nothing of the result is said to be in %s", series)
		}
	}
}

// inBaseUnit reads a figure as a person would write it in Prometheus's base unit.
func inBaseUnit(t *testing.T, path string, figure int64) float64 {
	t.Helper()
	digits := strconv.FormatInt(figure, 10)
	switch {
	case strings.Contains(path, "Nanos"):
		digits += "e-9"
	case strings.HasSuffix(path, "Micros"), strings.HasSuffix(path, "PerMillion"):
		digits += "e-6"
	case strings.HasSuffix(path, "Millis"):
		digits += "e-3"
	}
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// fill sets every field below a value but times: numbers by next, strings by the name of their field, lists to one
// item.
func fill(t *testing.T, value reflect.Value, path string, next func(path string) int64) {
	t.Helper()
	switch value.Kind() {
	case reflect.Struct:
		if value.Type() == reflect.TypeFor[metav1.Time]() {
			return // A time is no figure of a measurement.
		}
		for i := range value.NumField() {
			field := value.Type().Field(i).Name
			fill(t, value.Field(i), strings.TrimPrefix(path+"."+field, "."), next)
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(t, value.Elem(), path, next)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(t, value.Index(0), path, next)
	case reflect.String:
		next(path)
		value.SetString(path[strings.LastIndex(path, ".")+1:])
	case reflect.Int32, reflect.Int64:
		value.SetInt(next(path))
	default:
		t.Fatalf("%s is a %s, which nobody has thought of here", path, value.Kind())
	}
}
