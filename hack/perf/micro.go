package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// benchmark is what `go test -bench` measured of one function, medians over its repetitions. p99Micros is a figure that
// only some tell; it is NaN for all others.
type benchmark struct {
	nanos, allocations, p99Micros float64
}

// benchmarks runs Go benchmarks of a package, so many times each.
func (i installer) benchmarks(ctx context.Context, pkg, pattern string, count int) (map[string]benchmark, error) {
	output, err := i.do(ctx, ".", "go", "test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", "200ms",
		"-count", strconv.Itoa(count), pkg)
	if err != nil {
		return nil, err
	}
	found := parseBenchmarks(output)
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no benchmark %s", pkg, pattern)
	}
	return found, nil
}

// parseBenchmarks reads the lines that `go test -bench -benchmem` prints, by the name without Benchmark and processors.
func parseBenchmarks(output string) map[string]benchmark {
	units := map[string]map[string][]float64{}
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
		if units[name] == nil {
			units[name] = map[string][]float64{}
		}
		for at := 3; at < len(fields); at += 2 {
			if value, err := strconv.ParseFloat(fields[at-1], 64); err == nil {
				units[name][fields[at]] = append(units[name][fields[at]], value)
			}
		}
	}
	found := map[string]benchmark{}
	for name, values := range units {
		found[name] = benchmark{
			nanos: median(values["ns/op"]), allocations: median(values["allocs/op"]), p99Micros: median(values["p99-µs"]),
		}
	}
	return found
}

// slowest is the largest time of a benchmark and its parts, which have its name and a slash in front of theirs; NaN
// without any.
func slowest(found map[string]benchmark, name string) float64 {
	nanos := math.NaN()
	for part, b := range found {
		if (part == name || strings.HasPrefix(part, name+"/")) && !(b.nanos <= nanos) {
			nanos = b.nanos
		}
	}
	return nanos
}
