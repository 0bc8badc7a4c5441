package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// subjects are what can be measured. Without a choice it is those of usual, in their order.
var (
	subjects = []string{"loadgen", "controller", "calibration"}
	usual    = subjects[:2]
)

// options are the command line.
type options struct {
	subjects []string
	rounds   int
	window   time.Duration
	// races are the names of some; empty for all.
	races []string
	// fleets are the numbers of runs that the operator is measured with; empty for the usual.
	fleets []int
	cache  string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "bench: stopped; nothing of this is a figure")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (options, error) {
	set := flag.NewFlagSet("perf", flag.ContinueOnError)
	rounds := set.Int("rounds", 5, "how often every contender is measured")
	seconds := set.Int("seconds", 3, "how long each is measured")
	some := set.String("races", "", "names of some races, separated by commas")
	var fleets []int
	set.Func("runs", "numbers of runs that the operator is measured with, separated by commas", func(list string) error {
		for text := range strings.SplitSeq(list, ",") {
			runs, err := strconv.Atoi(text)
			if err != nil || runs < 1 {
				return fmt.Errorf("%q is no number of runs", text)
			}
			fleets = append(fleets, runs)
		}
		return nil
	})
	if err := set.Parse(arguments); err != nil {
		return options{}, err
	}
	if *rounds < 1 || *seconds < 1 {
		return options{}, errors.New("rounds and seconds are 1 or more")
	}
	for _, subject := range set.Args() {
		if !slices.Contains(subjects, subject) {
			return options{}, fmt.Errorf("ONLY=%s is not known: choose one of %v, or leave it out for all", subject, subjects)
		}
	}
	o := options{
		subjects: set.Args(), rounds: *rounds, window: time.Duration(*seconds) * time.Second, fleets: fleets,
	}
	o.races = strings.FieldsFunc(*some, func(r rune) bool { return r == ',' })
	if len(o.subjects) == 0 {
		o.subjects = usual
	}
	return o, nil
}

func run(ctx context.Context, arguments []string, out, log io.Writer) error {
	o, err := parse(arguments)
	if err != nil {
		return err
	}
	if o.cache, err = cacheFolder(); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mongobench-perf-")
	if err != nil {
		return fmt.Errorf("making a folder for this run: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	install := installer{cache: o.cache, scratch: scratch, log: log}
	writeMachine(out, time.Now())
	for _, subject := range o.subjects {
		measure := map[string]func(context.Context, options, installer, io.Writer) error{
			"loadgen": measureLoadgen, "controller": measureController, "calibration": measureCalibration,
		}[subject]
		if err := measure(ctx, o, install, out); err != nil {
			return err
		}
	}
	return nil
}

// cacheFolder is where fetched and built programs outlive this run.
func cacheFolder() (string, error) {
	if folder := os.Getenv("MONGOBENCH_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache", "mongobench"), err
}

// measureLoadgen runs the races.
func measureLoadgen(ctx context.Context, o options, install installer, out io.Writer) error {
	programs, err := install.install(ctx)
	if err != nil {
		return err
	}
	measured, err := install.benchmarks(ctx, "./loadgen/measure", "^Benchmark(Record|HandIn)$", o.rounds)
	if err != nil {
		return err
	}
	schedule, err := install.benchmarks(ctx, "./loadgen", "^BenchmarkSchedule$", o.rounds)
	if err != nil {
		return err
	}
	addresses, err := process.FreeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	programs.scraped = addresses[0]
	races, err := choose(programs.races(), o.races)
	if err != nil {
		return err
	}
	server, err := startServer(ctx, o.cache)
	if err != nil {
		return err
	}
	defer server.stop()
	c := contest{server: server, window: o.window, rounds: o.rounds, races: races, log: install.log}
	if err := c.loadYCSB(ctx, programs); err != nil {
		return err
	}
	if err := c.run(ctx); err != nil {
		return err
	}
	writeRaces(out, c.races, c.seen)
	title := fmt.Sprintf("The load generator: %d rounds, windows of %s, ratios round by round",
		o.rounds, o.window)
	figures := c.seen.loadgenFigures(slowest(measured, "Record"), schedule["Schedule"].p99Micros)
	writeFigures(out, title, append(figures, c.seen.observingFigures(slowest(measured, "HandIn"))...))
	return nil
}

// writeMachine says where and when the figures came to be, without which they mean nothing.
func writeMachine(to io.Writer, now time.Time) {
	content, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	load, _ := os.ReadFile("/proc/loadavg")
	before, _, _ := strings.Cut(string(load), " ")
	_, _ = fmt.Fprintf(to, "%s: %d processors (%s), Linux %s, %s; mongod %s on loopback, cache %s GiB; load before: %s\n",
		now.UTC().Format("2006-01-02 15:04 UTC"), runtime.NumCPU(), processorModel(string(content)),
		strings.TrimSpace(string(kernel)), runtime.Version(), serverVersion, serverCacheGB, before)
}

// processorModel is the name of the first processor.
func processorModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
