package dashboards

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
		table("Runs that ended", "Every run that ended and was there in the time that is shown.", gridWidth,
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
