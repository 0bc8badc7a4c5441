package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/fleet"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// fleetIdle is how long a fleet that has come to its end is left alone.
const fleetIdle = 30 * time.Second

// fleetSizes are the numbers of runs. Growth is told from the first to the last, and figures are of the last.
var fleetSizes = []int{100, 300, 1000}

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

// measureController runs the benchmarks of what the manager computes, and then lets it bring fleets of runs to their
// end.
func measureController(ctx context.Context, o options, install installer, out io.Writer) error {
	found, err := install.benchmarks(ctx, "./hack/perf/controller", ".", o.rounds)
	if err != nil {
		return err
	}
	figures, err := controllerFigures(found)
	if err != nil {
		return err
	}
	writeFigures(out, fmt.Sprintf("The operator: %d repetitions", o.rounds), figures)
	sizes := o.fleets
	if len(sizes) == 0 {
		sizes = fleetSizes
	}
	program, err := install.build(ctx, ".", "./cmd/manager", filepath.Join(install.scratch, "manager"))
	if err != nil {
		return err
	}
	fleets, err := measureFleets(ctx, sizes, install, program)
	if err != nil {
		return err
	}
	writeFleets(out, fleets)
	writeFigures(out, "The operator at many runs", fleetFigures(fleets))
	if err := measurePods(ctx, install, program, out); err != nil {
		return err
	}
	return measureCrowds(ctx, install, program, out)
}

// measureFleets measures one size after the other, each with an API server and files of its own.
func measureFleets(ctx context.Context, sizes []int, install installer, program string) ([]fleet.Seen, error) {
	fleets := make([]fleet.Seen, 0, len(sizes))
	for _, size := range sizes {
		err := install.inFolder("fleet-"+strconv.Itoa(size), func(folder string) error {
			seen, err := fleet.Measure(ctx, fleet.Options{
				Runs: size, Manager: program, Assets: testenv.Assets(),
				Definitions: filepath.Join("config", "crd"), Folder: folder, Idle: fleetIdle, Log: install.log,
			})
			fleets = append(fleets, seen)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return fleets, nil
}

// Ways to look at a fleet.
func perRun(s fleet.Seen, count float64) float64 { return count / float64(s.Runs) }

func reconcileMillis(s fleet.Seen, share float64) float64 { return 1e3 * s.Reconciles.Quantile(share) }

func writesPerRun(s fleet.Seen) float64 {
	objects, _ := s.Writes.Count()
	return perRun(s, float64(objects))
}

func eventsPerRun(s fleet.Seen) float64 {
	_, events := s.Writes.Count()
	return perRun(s, float64(events))
}

func cpuPerRun(s fleet.Seen) float64 { return perRun(s, s.CPU.Seconds()*1e3) }

// idleWrites are events too: who has nothing to do has nothing to tell.
func idleWrites(s fleet.Seen) int {
	objects, events := s.Idle.Count()
	again, told := s.Restart.Count()
	return objects + events + again + told
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// writeFleets writes one column a fleet, and what the manager wrote in the last.
func writeFleets(to io.Writer, fleets []fleet.Seen) {
	rows := []struct {
		title string
		value func(fleet.Seen) float64
	}{
		{"runs", func(s fleet.Seen) float64 { return float64(s.Runs) }},
		{"seconds until all had ended", func(s fleet.Seen) float64 { return s.Took.Seconds() }},
		{"Jobs at once, at most", func(s fleet.Seen) float64 { return float64(s.AtOnce) }},
		{"reconciles a run", func(s fleet.Seen) float64 { return perRun(s, s.Reconciles.Total()) }},
		{"reconcile p50, ms", func(s fleet.Seen) float64 { return reconcileMillis(s, 0.5) }},
		{"reconcile p99, ms", func(s fleet.Seen) float64 { return reconcileMillis(s, 0.99) }},
		{"requests a run", func(s fleet.Seen) float64 { return perRun(s, float64(s.Requests)) }},
		{"writes a run", writesPerRun},
		{"events a run", eventsPerRun},
		{"CPU a run, ms", cpuPerRun},
		{"memory at most, MB", func(s fleet.Seen) float64 { return megabytes(s.Peak) }},
		{"memory in the end, MB", func(s fleet.Seen) float64 { return megabytes(s.End) }},
		{"writes afterwards", func(s fleet.Seen) float64 { return float64(idleWrites(s)) }},
	}
	_, _ = fmt.Fprintf(to, "\nThe operator at many runs: measured one at a time, reconcile times interpolated within "+
		"their buckets, idle for %s and restarted afterwards\n", fleetIdle)
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		_, _ = fmt.Fprint(table, row.title, "\t")
		for _, seen := range fleets {
			_, _ = fmt.Fprint(table, number(row.value(seen)), "\t")
		}
		_, _ = fmt.Fprintln(table)
	}
	_ = table.Flush()
	writeWrites(to, fleets[len(fleets)-1])
}

// writeWrites tells what the manager wrote, the most frequent first.
func writeWrites(to io.Writer, seen fleet.Seen) {
	_, _ = fmt.Fprintf(to, "\nWhat the manager wrote at %d runs\n", seen.Runs)
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "verb\tresource\ta run\trefused\t")
	most := slices.SortedFunc(maps.Keys(seen.Writes), func(a, b fleet.Write) int {
		return cmp.Or(seen.Writes[b]-seen.Writes[a], cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	for _, write := range most {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", write.Verb, write.Resource,
			number(perRun(seen, float64(seen.Writes[write]))), number(perRun(seen, float64(seen.Refused[write]))))
	}
	_ = table.Flush()
}

// fleetFigures are those of the largest fleet, and how much more than the smallest it costs a run.
func fleetFigures(fleets []fleet.Seen) []figure {
	first, last := fleets[0], fleets[len(fleets)-1]
	idle := 0
	for _, seen := range fleets {
		idle = max(idle, idleWrites(seen))
	}
	size := "_" + strconv.Itoa(last.Runs)
	writesGrowth, cpuGrowth := math.NaN(), math.NaN() // Not measured, unless there are two sizes.
	if last.Runs != first.Runs {
		writesGrowth, cpuGrowth = writesPerRun(last)/writesPerRun(first), cpuPerRun(last)/cpuPerRun(first)
	}
	return []figure{
		{name: "reconcile_p99_ms" + size, value: reconcileMillis(last, 0.99), unit: "ms", atMost: 50},
		{name: "reconcile_p50_ms" + size, value: reconcileMillis(last, 0.5), unit: "ms"},
		{name: "manager_rss_mb" + size, value: megabytes(last.Peak), unit: "MB", atMost: 150},
		{name: "idle_writes", value: float64(idle), unit: "writes", never: true},
		{name: "writes_per_run", value: writesPerRun(last), unit: "writes"},
		{name: "events_per_run", value: eventsPerRun(last), unit: "events"},
		{name: "cpu_ms_per_run", value: cpuPerRun(last), unit: "ms"},
		{name: "writes_growth", value: writesGrowth, unit: "ratio", atMost: maxGrowth},
		{name: "cpu_growth", value: cpuGrowth, unit: "ratio", atMost: maxGrowth},
	}
}

// maxGrowth is how much more of something a run may take among many than among few, for growth to be called linear.
const maxGrowth = 1.5
