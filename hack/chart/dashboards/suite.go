package dashboards

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
	d.row("Variants", variants()...)
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
	of := func(metric string) string {
		return present(by+", verdict", "mongobench_suite_change"+metric, ofVariants)
	}
	return []Panel{
		table("Changes from the baseline", "The change of each metric with the bounds of its confidence interval: 10 % is a "+
			"tenth more than the baseline.", gridWidth,
			column{title: "Change", unit: unitShare, expr: of("_ratio")},
			column{title: "At least", unit: unitShare, expr: of("_low_ratio")},
			column{title: "At most", unit: unitShare, expr: of("_high_ratio")}),
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
		lines("Throughput of runs", "Operations a second of each run's last step, from its end until it was deleted.",
			unitRate, over("result_operations_per_second")),
		lines("Latency of runs", "99th percentile of each run's last step, from its end until it was deleted.", unitSeconds,
			over("result_latency_p99_seconds")),
		table("Results of runs", "Every run that was there in the time that is shown, also those that were deleted since.",
			gridWidth,
			column{title: "Throughput", unit: unitRate, expr: of("result_operations_per_second")},
			column{title: "Latency p99", unit: unitSeconds, expr: of("result_latency_p99_seconds")},
			column{title: "Trusted", unit: unitNone, expr: of("trusted"), words: trustWords},
			column{title: "Ended", unit: unitAgo, expr: "1000 * " + of("completion_timestamp_seconds")},
		).linked("run", "Show the run", "run", "namespace", "run"),
	}
}
