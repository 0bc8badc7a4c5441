package results

import (
	"github.com/prometheus/client_golang/prometheus"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Of a run with a duet.
var (
	runChange = describe("mongobench_run_change_ratio",
		"Change of a metric from the baseline that a run was measured in turns with: 0.1 is a tenth more.", ofRunChange)
	runChangeLow = describe("mongobench_run_change_low_ratio",
		"Lower bound of that change, with the confidence that was asked for.", ofRunChange)
	runChangeHigh = describe("mongobench_run_change_high_ratio",
		"Upper bound of that change, with the confidence that was asked for.", ofRunChange)
)

// sendDuet sends by how much the metrics of a run differ from the baseline that it was measured in turns with.
func sendDuet(g gauges, duet *benchv1alpha1.DuetResult) {
	for _, line := range distinct(duet.Comparison) {
		changes{runChange, runChangeLow, runChangeHigh}.send(
			g.of(duet.Baseline, string(line.Metric), line.Step, line.Operation, string(line.Verdict)), line)
	}
}

// sendComparison sends the lines that say by how much a metric changed.
func sendComparison(g gauges, lines []benchv1alpha1.ComparisonLine) {
	for _, line := range distinct(lines) {
		changes{suiteChange, suiteChangeLow, suiteChangeHigh}.send(
			g.of(line.Variant, string(line.Metric), line.Step, line.Operation, string(line.Verdict)), line)
	}
}

// distinct are lines without those that are of the same as one before them: the list has no key of its own, and the
// same series twice would cost the whole scrape.
func distinct(lines []benchv1alpha1.ComparisonLine) []benchv1alpha1.ComparisonLine {
	type key struct{ variant, metric, step, operation string }
	sent := make(map[key]bool, len(lines))
	found := make([]benchv1alpha1.ComparisonLine, 0, len(lines))
	for _, line := range lines {
		if k := (key{line.Variant, string(line.Metric), line.Step, line.Operation}); !sent[k] {
			sent[k] = true
			found = append(found, line)
		}
	}
	return found
}

// changes are the metrics of a line: the change, and its bounds.
type changes struct{ change, low, high *prometheus.Desc }

func (c changes) send(of gauges, line benchv1alpha1.ComparisonLine) {
	integer(of, c.change, line.EffectBasisPoints, basisPoints)
	integer(of, c.low, line.LowBasisPoints, basisPoints)
	integer(of, c.high, line.HighBasisPoints, basisPoints)
}
