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
	d.row("Steps", steps()...)
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
		number("Throughput", "Operations a second that succeeded, in the last step.", unitRate,
			nil, query{last("run", "mongobench_run_result_operations_per_second", ofRun), ""}),
		number("Latency", "99th percentile over all operations of the last step, from merged histograms.", unitSeconds,
			nil, query{last("run", "mongobench_run_result_latency_p99_seconds", ofRun), ""}),
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
		table("Actions of the steps", "What was done to the target while it was measured, and when after the begin of the "+
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
