package dashboards

import "fmt"

var limitWords = []Word{{Text: "no", Color: "text"}, {Text: "yes", Color: "orange"}}

// changeColumns are those of a change with its bounds, by the query of a metric.
func changeColumns(of func(metric string) string) []column {
	return []column{
		{title: "Change", unit: unitShare, expr: of("change_ratio")},
		{title: "At least", unit: unitShare, expr: of("change_low_ratio")},
		{title: "At most", unit: unitShare, expr: of("change_high_ratio")},
	}
}

// limits says what limited each step of a run.
func limits() Panel {
	return table("What limited the steps", "The cause of each step, and how certain it is: what to try is in the run's "+
		"status and in its report.", 12,
		column{
			title: "Limited", unit: unitNone, expr: last("step, cause, certainty", "mongobench_run_limited_by", ofRun),
			words: limitWords,
		})
}

// limitsOfRuns counts the same over the runs of a suite.
func limitsOfRuns() Panel {
	return bars("What limited the runs", "Runs in whose steps each cause was seen, of each variant.", unitShort, query{
		"count by (variant, step, cause) (" + last(byRun+", step, cause", "mongobench_run_limited_by", ofVariants) + ")",
		"{{variant}} {{step}} {{cause}}",
	})
}

// turns are panels of a run that was measured in turns with a baseline.
func turns() []Panel {
	return []Panel{table("Changes from the other side", "Of a duet: the change of each line from the baseline with its "+
		"bounds, which hold whenever the run ended: 10 % is a tenth more.", gridWidth,
		changeColumns(func(metric string) string {
			return last("baseline, metric, step, operation, verdict", "mongobench_run_"+metric, ofRun)
		})...)}
}

// inCurrency gives figures of a run the currency of its costs.
func inCurrency(figures string) string {
	return fmt.Sprintf("%s * on () group_left (currency) %s", figures,
		last("currency", "mongobench_run_cost_info", ofRun))
}

// costs are panels of a run with a price list. Which currency it is a label says: Grafana knows no unit for any.
func costs() []Panel {
	ofTarget := func(metric string) string { return inCurrency(last("run", "mongobench_run_cost_"+metric, ofRun)) }
	ofStep := func(metric string) string { return inCurrency(last("step", "mongobench_run_cost_"+metric, ofRun)) }
	return []Panel{
		table("Costs of the target", "What its members pay for their nodes and their volumes by the hour, and what a GiB "+
			"into it and out of it costs.", gridWidth,
			column{title: "Nodes by the hour", unit: unitShort, expr: ofTarget("compute_per_hour")},
			column{title: "Volumes by the hour", unit: unitShort, expr: ofTarget("storage_per_hour")},
			column{title: "A GiB in", unit: unitShort, expr: ofTarget("network_in_per_gibibyte")},
			column{title: "A GiB out", unit: unitShort, expr: ofTarget("network_out_per_gibibyte")}).
			sized(gridWidth, 5),
		bars("A million operations", "What a million operations of each step cost.", unitShort,
			query{ofStep("per_million_operations"), "{{step}} {{currency}}"}),
		bars("A month at the rate", "What a month of 730 hours at the rate of each step costs.", unitShort,
			query{ofStep("per_month_at_rate"), "{{step}} {{currency}}"}),
	}
}

// costsOfVariants compares the variants of a suite by what they cost.
func costsOfVariants() Panel {
	const what = "What a million operations of each step cost, mean over the runs of a variant that have costs."
	return bars("A million operations of variants", what, unitShort, query{
		"avg by (variant, step) (" + last(byRun+", step", "mongobench_run_cost_per_million_operations", ofVariants) + ")",
		"{{variant}} {{step}}",
	})
}
