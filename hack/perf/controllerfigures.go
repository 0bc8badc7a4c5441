package main

import "fmt"

// controllerFigures are the figures of what the operator computes, from the benchmarks of hack/perf/controller.
func controllerFigures(found map[string]benchmark) ([]figure, error) {
	figures := make([]figure, 0, len(found))
	for _, wanted := range []struct {
		benchmark, time, unit string
		perUnit               float64
		allocations           string
	}{
		{"Compile", "controller_compile_us", "us", 1e3, "controller_compile_allocs"},
		{"Decide", "controller_decide_us", "us", 1e3, "controller_decide_allocs"},
		{"Merge", "report_merge_ms", "ms", 1e6, "report_merge_allocs"},
	} {
		b, measured := found[wanted.benchmark]
		if !measured {
			return nil, fmt.Errorf("the benchmark %s of hack/perf/controller did not run", wanted.benchmark)
		}
		figures = append(figures,
			figure{name: wanted.time, value: b.nanos / wanted.perUnit, unit: wanted.unit},
			figure{name: wanted.allocations, value: b.allocations, unit: "allocations"})
	}
	return figures, nil
}
