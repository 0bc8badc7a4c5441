package engine_test

import (
	"log/slog"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// BenchmarkSchedule is how late operations are sent, at the 99th percentile, when 10,000 a second are due, a worker is
// free for each, and the target answers at once: the error of the load generator's own clock. It means something only
// on a machine that has nothing else to do.
func BenchmarkSchedule(b *testing.B) {
	const seconds = 3
	plan := testPlan(1, planv1.Step{Threads: 64, DurationSeconds: seconds, Arrival: constant(10_000, 10_000)})
	plan.Steps = plan.Steps[3:]
	for b.Loop() {
		engine := engine.Engine{
			Plan: plan, PlanHash: "hash", Target: &drivertest.Target{Forget: true}, Reporter: &drivertest.Reporter{},
			Version: "test", Log: slog.New(slog.DiscardHandler),
		}
		report, err := engine.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		late, err := reportv1.DecodeHistogram(report.Steps[0].Arrivals.WakeUp)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(late.ValueAtQuantile(99)), "p99-µs")
		b.ReportMetric(float64(report.Steps[0].Generator.CPUMicros)/seconds/1e6, "cores")
	}
}
