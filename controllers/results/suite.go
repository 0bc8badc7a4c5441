package results

import (
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// unknown is the value of a verdict that nobody can tell.
const unknown = -1

// sendSuite sends all metrics of one suite.
func sendSuite(metrics chan<- prometheus.Metric, suite *benchv1alpha1.BenchmarkSuite) {
	g := gauges{metrics: metrics, identity: []string{suite.Namespace, suite.Name}}
	status := &suite.Status
	g.sendCondition(suiteComplete, find(status.Conditions, benchv1alpha1.SuiteComplete))
	if regressed := find(status.Conditions, benchv1alpha1.SuiteRegressed); regressed != nil {
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
