package dashboards

import (
	"fmt"

	"github.com/mongobench/mongobench-operator/internal/figure"
)

// Words for verdicts: of 0 and of 1.
var (
	successWords = []Word{{Text: "failed", Color: "red"}, {Text: "succeeded", Color: "green"}}
	trustWords   = []Word{{Text: "in doubt", Color: "orange"}, {Text: "trusted", Color: "green"}}
	doneWords    = []Word{{Text: "not done", Color: "red"}, {Text: "done", Color: "green"}}
	steadyWords  = []Word{{Text: "never", Color: "orange"}, {Text: "reached", Color: "green"}}
)

const (
	// ofRun selects the run that the reader chose.
	ofRun = `namespace="$namespace", run="$run"`
	// begun selects a series of every run that has begun or ended.
	begun = `__name__=~"mongobench_run_succeeded|mongobench_run_stage_start_timestamp_seconds"`

	byOperation = "step, operation"
	ofOperation = "{{step}} {{operation}}"
)

// Run shows one run: how it ended, and the figures of its result.
func Run() Dashboard {
	d := dashboard("run", "Mongobench: run",
		"One BenchmarkRun: how it ended, whether to believe it, and the figures of its status.", "24h")
	d.choice("namespace", "Namespace", "{"+begun+"}", false)
	d.choice("run", "Run", "{"+begun+`, namespace="$namespace"}`, false)
	d.row("Outcome", outcome()...)
	d.row("While it runs", live()...)
	d.row("Operations", operations()...)
	d.row("Steps", append(steps(), limits())...)
	d.row("Duet", turns()...)
	d.row("Costs", costs()...)
	d.row("Dataset", dataset()...)
	d.row("Actions", actions()...)
	return d
}

func outcome() []Panel {
	return []Panel{
		number("Success", "Whether the run succeeded, with the reason. Nothing while it has not ended.", unitNone,
			successWords, query{last("reason", "mongobench_run_succeeded", ofRun), "{{reason}}"}),
		number("Trust", "Whether the figures may be believed; the reason names the first doubt.", unitNone,
			trustWords, query{last("reason", "mongobench_run_trusted", ofRun), "{{reason}}"}),
		number("Throughput", "Operations a second that succeeded, in the fastest step, which is named.", unitRate,
			nil, query{last("step", "mongobench_run_result_operations_per_second", ofRun), "{{step}}"}),
		number("Latency", "99th percentile over all operations of that step, from merged histograms.", unitSeconds,
			nil, query{last("step", "mongobench_run_result_latency_p99_seconds", ofRun), "{{step}}"}),
		number("Ended", "How long ago the run ended.", unitAgo,
			nil, query{"1000 * " + last("run", "mongobench_run_completion_timestamp_seconds", ofRun), ""}),
		bars("Time in each stage", "How long the stages took that are over.", unitSeconds,
			query{last("stage", "mongobench_run_duration_seconds", ofRun), "{{stage}}"}).sized(gridWidth, 6),
	}
}

func operations() []Panel {
	of := func(metric string) string { return last(byOperation, "mongobench_run_"+metric, ofRun) }
	return []Panel{
		table("Operations of each step",
			"Counts, rates and latencies. In an open loop a latency begins when the operation was due, and the service time "+
				"when it was sent.", gridWidth,
			figureColumns(figure.Operations, byOperation)...),
		bars("Latency percentiles", "Percentiles of the latency of each operation.", unitSeconds, query{
			last(byOperation+", quantile", "mongobench_run_latency_seconds", ofRun), ofOperation + " {{quantile}}",
		}),
		bars("Throughput of each operation", "Operations a second that succeeded.", unitRate,
			query{of("operations_per_second"), ofOperation}),
	}
}

// figureColumns are the columns of the figures that a run's dashboard shows.
func figureColumns[F, S any](rows []figure.Row[F, S], by string) []column {
	units := map[figure.Unit]string{
		figure.Count: unitShort, figure.PerSecond: unitRate, figure.Micros: unitSeconds, figure.Bytes: unitBytes,
	}
	var columns []column
	for _, row := range rows {
		if row.Panel == "" {
			continue
		}
		metric, selector := row.Metric, ofRun
		if metric == "" {
			metric, selector = figure.LatencyMetric, ofRun+fmt.Sprintf(`, quantile="%g"`, row.Quantile)
		}
		columns = append(columns, column{
			title: row.Panel, unit: units[row.Unit], expr: last(by, figure.MetricPrefix+metric, selector),
		})
	}
	return columns
}

func steps() []Panel {
	of := func(metric string) string { return last("step", "mongobench_run_"+metric, ofRun) }
	return []Panel{
		table("Windows of the steps", "The measure window of each step, the threads that worked, and whether the "+
			"throughput became steady: of steps that are long enough to tell.", 12,
			column{title: "Measured", unit: unitSeconds, expr: of("step_duration_seconds")},
			column{title: "Threads", unit: unitNone, expr: of("step_threads")},
			column{title: "Steady", unit: unitNone, expr: of("steady"), words: steadyWords}),
		bars("Rates of open loops", "The rate at which operations were due, that at which they were sent in time, and the "+
			"highest that a search found.", unitRate,
			query{of("requested_operations_per_second"), "{{step}} requested"},
			query{of("achieved_operations_per_second"), "{{step}} achieved"},
			query{of("search_operations_per_second"), "{{step}} found"}),
		table("Schedules of open loops", "Operations that were due and never sent, and how late the others were.", 12,
			column{title: "Dropped", unit: unitShort, expr: of("dropped_operations")},
			column{title: "Schedule lag p99", unit: unitSeconds, expr: of("schedule_lag_p99_seconds")}),
		bars("Threads that a sweep found", "The knee, beyond which threads cost more latency than they bring throughput, "+
			"and the fewest threads within 5 % of the highest throughput.", unitNone, query{
			last("step, __name__", "", `__name__=~"mongobench_run_sweep_knee_threads|`+
				`mongobench_run_sweep_saturation_threads", `+ofRun), "{{step}} {{__name__}}",
		}),
	}
}

func dataset() []Panel {
	of := func(metric string) string { return last("run", "mongobench_run_"+metric, ofRun) }
	at := func(metric string) string { return last("checkpoint", "mongobench_run_"+metric, ofRun) }
	return []Panel{
		table("Loading", "The loading of the dataset; nothing when it was in place already.", 12,
			column{title: "Documents", unit: unitShort, expr: of("load_documents")},
			column{title: "Time", unit: unitSeconds, expr: of("load_duration_seconds")},
			column{title: "Documents a second", unit: unitShort, expr: of("load_documents_per_second")}),
		bars("Size at each checkpoint", "Of a growing collection: its documents uncompressed and on disk, and its indexes "+
			"on disk.", unitBytes,
			query{at("dataset_bytes"), "checkpoint {{checkpoint}} documents"},
			query{at("dataset_storage_bytes"), "checkpoint {{checkpoint}} on disk"},
			query{at("index_bytes"), "checkpoint {{checkpoint}} indexes"}),
		bars("Documents at each checkpoint", "Of a growing collection.", unitShort,
			query{at("dataset_documents"), "checkpoint {{checkpoint}}"}),
	}
}

func actions() []Panel {
	of := func(metric string) string { return last("step, action", "mongobench_run_"+metric, ofRun) }
	return []Panel{
		table("Actions of the steps", "What was done to the target while it was measured, and when after the start of the "+
			"measure window.", 12,
			column{title: "Result", unit: unitNone, expr: of("action_succeeded"), words: doneWords},
			column{title: "After", unit: unitSeconds, expr: of("action_start_seconds")}),
		bars("Outage and recovery", "The longest time after an action without a success, and the time until the throughput "+
			"was back at nine tenths; none when it was not within the step.", unitSeconds, query{
			last("step, action, __name__", "", `__name__=~"mongobench_run_action_outage_seconds|`+
				`mongobench_run_action_recovery_seconds", `+ofRun), "{{step}} {{action}} {{__name__}}",
		}),
	}
}

// live are panels of what load pods and servers do while a run is measured, by the metrics of the load pods.
func live() []Panel {
	rate := func(metric string) string {
		return fmt.Sprintf("rate(mongobench_loadgen_%s{%s}[$__rate_interval])", metric, ofRun)
	}
	quantile := func(q, metric string) string {
		// Of classic buckets, and of native histograms where these are scraped in place of them.
		return fmt.Sprintf("histogram_quantile(%s, sum by (le, step) (%s)) or histogram_quantile(%s, sum by (step) (%s))",
			q, rate(metric+"_bucket"), q, rate(metric))
	}
	ofMember := func(metric string) string { return present("member", "mongobench_loadgen_server_"+metric, ofRun) }
	members := func(metric string) string { return "max by (member) (" + rate("server_"+metric) + ")" }
	return []Panel{
		lines("Throughput while it runs", "Operations a second that succeeded, over all load pods.", unitRate,
			query{"sum by (step, operation) (" + rate("operations_total") + ")", ofOperation}),
		lines("Latency while it runs", "Of all operations of a step: the response time in an open loop, otherwise the "+
			"service time. Off by 9 % at most.", unitSeconds,
			query{quantile("0.5", "latency_seconds"), "{{step}} p50"},
			query{quantile("0.99", "latency_seconds"), "{{step}} p99"}),
		lines("Errors while it runs", "Operations a second that failed, by class of error.", unitRate, query{
			"sum by (step, class) (" + rate("errors_total") + ") or 0 * sum by (step) (" + rate("operations_total") + ")",
			"{{step}} {{class}}",
		}),
		lines("Schedule while it runs", "Of an open loop: operations a second that were due, and that were dropped.",
			unitRate,
			query{"sum by (step) (" + rate("due_operations_total") + ")", "{{step}} due"},
			query{"sum by (step) (" + rate("dropped_operations_total") + ")", "{{step}} dropped"}),
		lines("Processors of the load pods", "CPU time over what the pod may use, since the step began. Near 100 % the "+
			"figures are the generator's own.", unitShare,
			query{present("pod, step", "mongobench_loadgen_cpu_saturation_ratio", ofRun), "{{pod}} {{step}}"}),
		lines("Processors of the servers", "Cores that each server uses.", unitShort,
			query{members("cpu_seconds_total"), "{{member}}"}),
		lines("Cache of the servers", "Bytes in the storage engine's cache, and how many of them are dirty.", unitBytes,
			query{ofMember("cache_used_bytes"), "{{member}} used"}, query{ofMember("cache_dirty_bytes"), "{{member}} dirty"}),
		lines("Disk of the servers", "Bytes a second that the storage engine read and wrote, besides the journal.",
			unitBytesRate,
			query{members("disk_read_bytes_total"), "{{member}} read"},
			query{members("disk_written_bytes_total"), "{{member}} written"}),
	}
}

const (
	// ofSuite selects the suite that the reader chose, and ofVariants those of its variants.
	ofSuite    = `namespace="$namespace", suite="$suite"`
	ofVariants = ofSuite + `, variant=~"$variant"`

	byRun = "namespace, run, variant"
)

// regressedWords are those of a suite's verdict: of 0, 1 and -1.
var regressedWords = []Word{
	{Text: "no", Color: "green"}, {Text: "regressed", Color: "red"}, {Text: "cannot tell", Color: "orange"},
}

// Suite shows what a suite came to, and how its variants went over time.
func Suite() Dashboard {
	d := dashboard("suite", "Mongobench: suite history",
		"One BenchmarkSuite: its verdict, what changed from the baseline, and its variants and runs over time.", "30d")
	d.choice("namespace", "Namespace", "mongobench_suite_planned_runs", false)
	d.choice("suite", "Suite", `mongobench_suite_planned_runs{namespace="$namespace"}`, false)
	d.choice("variant", "Variant", `mongobench_suite_variant_runs{`+ofSuite+`}`, true)
	d.Annotations.List = append(d.Annotations.List, Annotation{
		Name: "Revision complete", Datasource: chosen, Enable: true, IconColor: "blue",
		Expr:        "1000 * " + present("suite", "mongobench_suite_completion_timestamp_seconds", ofSuite),
		TitleFormat: "{{suite}} was complete", UseValueForTime: "true",
	})
	d.row("Verdict", verdict()...)
	d.row("Changes", changes()...)
	d.row("Variants", append(variants(), limitsOfRuns(), costsOfVariants())...)
	d.row("Runs", runs()...)
	return d
}

func verdict() []Panel {
	of := func(metric string) query { return query{present("suite", "mongobench_suite_"+metric, ofSuite), ""} }
	return []Panel{
		number("Regressed", "Whether something became worse than the baseline, with the reason.", unitNone, regressedWords,
			query{present("reason", "mongobench_suite_regressed", ofSuite), "{{reason}}"}),
		number("Complete", "Whether everything is done that the suite asks for, with the reason.", unitNone, doneWords,
			query{present("reason", "mongobench_suite_complete", ofSuite), "{{reason}}"}),
		number("Planned runs", "Runs that the present revision asks for.", unitShort, nil, of("planned_runs")),
		number("Runs in doubt", "Runs that succeeded and whose figures may not be believed.", unitShort, nil,
			of("untrusted_runs")),
		bars("Runs by state", "Runs of the present revision.", unitShort,
			query{present("state", "mongobench_suite_runs", ofSuite), "{{state}}"}).sized(8, 4),
	}
}

func changes() []Panel {
	by := "variant, metric, step, operation"
	return []Panel{
		table("Changes from the baseline", "The change of each metric with the bounds of its confidence interval: 10 % is a "+
			"tenth more than the baseline.", gridWidth,
			changeColumns(func(metric string) string {
				return present(by+", verdict", "mongobench_suite_"+metric, ofVariants)
			})...),
		lines("Changes over time", "The change of each metric from the baseline, revision by revision.", unitShare,
			query{present(by, "mongobench_suite_change_ratio", ofVariants), "{{variant}} {{metric}} {{step}} {{operation}}"}),
		lines("Verdict over time", "1: something got worse. 0: nothing did. -1: no verdict.", unitNone,
			query{present("suite", "mongobench_suite_regressed", ofSuite), "{{suite}}"}),
	}
}

func variants() []Panel {
	of := func(metric string) string { return present("variant", "mongobench_suite_variant_"+metric, ofVariants) }
	return []Panel{
		lines("Throughput of variants", "Operations a second, median over the runs of a variant.", unitRate,
			query{of("operations_per_second"), "{{variant}}"}),
		lines("Latency of variants", "99th percentile, median over the runs of a variant.", unitSeconds,
			query{of("latency_p99_seconds"), "{{variant}}"}),
		bars("Runs of each variant", "Runs that ended, by their state.", unitShort, query{
			present("variant, state", "mongobench_suite_variant_runs", ofVariants), "{{variant}} {{state}}",
		}).sized(gridWidth, 6),
	}
}

func runs() []Panel {
	of := func(metric string) string { return last(byRun, "mongobench_run_"+metric, ofVariants) }
	over := func(metric string) query {
		return query{present(byRun, "mongobench_run_"+metric, ofVariants), "{{variant}} {{run}}"}
	}
	return []Panel{
		lines("Throughput of runs", "Operations a second of each run's fastest step, from its end until it was deleted.",
			unitRate, over("result_operations_per_second")),
		lines("Latency of runs", "99th percentile of each run's fastest step, from its end until it was deleted.",
			unitSeconds, over("result_latency_p99_seconds")),
		table("Results of runs", "Every run that was there in the time that is shown, also those that were deleted since. "+
			"The figures are of its fastest step.",
			gridWidth,
			column{title: "Throughput", unit: unitRate, expr: of("result_operations_per_second")},
			column{title: "Latency p99", unit: unitSeconds, expr: of("result_latency_p99_seconds")},
			column{title: "Trusted", unit: unitNone, expr: of("trusted"), words: trustWords},
			column{title: "Ended", unit: unitAgo, expr: "1000 * " + of("completion_timestamp_seconds")},
		).linked("run", "Show the run", "run", "namespace", "run"),
	}
}

const (
	// ofAll selects everything in the namespaces that the reader chose.
	ofAll = `namespace=~"$namespace"`

	// managers keeps of any program's metrics those of the manager that leads.
	managers = " and on (job, instance) mongobench_results_scrape_success"
)

// Fleet shows all runs and suites, and how the manager is.
func Fleet() Dashboard {
	d := dashboard("fleet", "Mongobench: fleet",
		"All benchmarks of the cluster: what is under way, how runs and suites end, and how the manager is.", "6h")
	d.choice("namespace", "Namespace", "{"+begun+"}", true)
	d.row("Now", now()...)
	d.row("Ends", ends()...)
	d.row("Suites", suites()...)
	d.row("Manager", manager()...)
	return d
}

func now() []Panel {
	staged := present("namespace, run, stage", "mongobench_run_stage_start_timestamp_seconds", ofAll)
	count := func(of string) query { return query{"count(" + of + ") or vector(0)", ""} }
	return []Panel{
		number("Under way", "Runs that have begun or wait for their turn.", unitShort, nil, count(staged)),
		number("Failed", "Runs that are there and failed.", unitShort, nil,
			count(present("namespace, run", "mongobench_run_succeeded", ofAll)+" == 0")),
		number("In doubt", "Runs that are there and whose figures may not be believed.", unitShort, nil,
			count(present("namespace, run", "mongobench_run_trusted", ofAll)+" == 0")),
		number("Regressed suites", "Suites in which something became worse than the baseline.", unitShort, nil,
			count(present("namespace, suite", "mongobench_suite_regressed", ofAll)+" == 1")),
		number("Not shown", "Runs that the manager leaves out because others come first (metrics.results of the chart).",
			unitShort, nil, query{"max(mongobench_results_omitted_runs)", ""}),
		number("Readable", "Whether the manager could read runs and suites at the last scrape.", unitNone,
			[]Word{{Text: "no", Color: "red"}, {Text: "yes", Color: "green"}},
			query{"max(mongobench_results_scrape_success)", "results"}),
		lines("Runs by stage", "Runs that are under way, by the stage that they are in.", unitShort,
			query{"count by (stage) (" + staged + ")", "{{stage}}"}),
		table("Time in the stage", "For how long each run has been in its stage.", 12,
			column{title: "For", unit: unitSeconds, expr: "time() - " + staged},
		).linked("run", "Show the run", "run", "namespace", "run"),
	}
}

func ends() []Panel {
	of := func(metric string) string {
		return last("namespace, run, suite, variant", "mongobench_run_"+metric, ofAll)
	}
	return []Panel{
		lines("Ends a minute", "Runs that finished, targets that became ready or were given up, and suites that were "+
			"complete, by reason.", unitShort, query{
			"60 * sum by (kind, reason) (rate(mongobench_ended_total[$__rate_interval]))", "{{kind}} {{reason}}",
		}),
		bars("Longest tenth of each stage", "90th percentile of how long stages of runs took, in the time that is shown.",
			unitSeconds, query{
				"histogram_quantile(0.9, sum by (le, stage) (increase(" +
					`mongobench_stage_duration_seconds_bucket{kind="BenchmarkRun"}[$__range]))) >= 0`, "{{stage}}",
			}),
		table("Runs that ended", "Every run that ended and was there in the time that is shown, with the figures of its "+
			"fastest step.", gridWidth,
			column{title: "Success", unit: unitNone, expr: of("succeeded"), words: successWords},
			column{title: "Trust", unit: unitNone, expr: of("trusted"), words: trustWords},
			column{title: "Throughput", unit: unitRate, expr: of("result_operations_per_second")},
			column{title: "Latency p99", unit: unitSeconds, expr: of("result_latency_p99_seconds")},
			column{title: "Ended", unit: unitAgo, expr: "1000 * " + of("completion_timestamp_seconds")},
		).linked("run", "Show the run", "run", "namespace", "run"),
	}
}

func suites() []Panel {
	of := func(metric string) string { return present("namespace, suite", "mongobench_suite_"+metric, ofAll) }
	return []Panel{
		table("Verdicts of suites", "All suites with the verdict of their present revision.", gridWidth,
			column{title: "Regressed", unit: unitNone, expr: of("regressed"), words: regressedWords},
			column{title: "Complete", unit: unitNone, expr: of("complete"), words: doneWords},
			column{title: "Planned runs", unit: unitShort, expr: of("planned_runs")},
			column{title: "In doubt", unit: unitShort, expr: of("untrusted_runs")},
		).linked("suite", "Show the suite", "suite", "namespace", "suite"),
	}
}

func manager() []Panel {
	return []Panel{
		lines("Memory", "Resident memory of the manager that leads.", unitBytes,
			query{"max by (instance) (process_resident_memory_bytes" + managers + ")", "{{instance}}"}),
		lines("Objects waiting", "Objects that wait for the manager to look at them, by controller.", unitShort,
			query{"sum by (name) (workqueue_depth" + managers + ")", "{{name}}"}),
		lines("Failed looks", "Reconciles a second that ended with an error, by controller. They are tried again.", unitRate,
			query{
				"sum by (controller) (rate(controller_runtime_reconcile_errors_total[$__rate_interval])" + managers + ")",
				"{{controller}}",
			}),
		lines("Writes", "Objects and statuses that the manager wrote a second, by kind. Where nothing changes it is 0.",
			unitRate,
			query{"sum by (kind) (rate(mongobench_objects_written_total[$__rate_interval]))", "{{kind}} objects"},
			query{"sum by (kind) (rate(mongobench_status_written_total[$__rate_interval]))", "{{kind}} statuses"}),
	}
}
