package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
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
	subjects = []string{"loadgen", "controller", "calibration", "duets", "honesty", "clients"}
	usual    = subjects[:2]
)

// options are the command line.
type options struct {
	subjects []string
	rounds   int
	window   time.Duration
	// races are the names of some; empty for all.
	races []string
	// minutes is how long each recording of a duet is.
	minutes int
	// scenes are the names of those that are recorded; empty for all.
	scenes []string
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
	minutes := set.Int("minutes", 30, "how long each recording of duets is; 0 makes none, and looks at those there are")
	recorded := set.String("scenes", "", "names of scenes of duets to record, or of recordings, separated by commas")
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
	if *rounds < 1 || *seconds < 1 || *minutes < 0 {
		return options{}, errors.New("rounds and seconds are 1 or more, and minutes 0 or more")
	}
	for _, subject := range set.Args() {
		if !slices.Contains(subjects, subject) {
			return options{}, fmt.Errorf("ONLY=%s is not known: choose one of %v, or leave it out for all", subject, subjects)
		}
	}
	o := options{
		subjects: set.Args(), rounds: *rounds, window: time.Duration(*seconds) * time.Second, fleets: fleets,
		minutes: *minutes,
	}
	o.races = strings.FieldsFunc(*some, func(r rune) bool { return r == ',' })
	o.scenes = strings.FieldsFunc(*recorded, func(r rune) bool { return r == ',' })
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
			"duets": measureDuets, "honesty": measureHonesty, "clients": measureClients,
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

// goBenchmarks are those of the load generator's packages that are figures, too.
var goBenchmarks = map[string][]string{
	"./loadgen/measure": {"Record", "HandIn"}, "./loadgen/engine": {"Schedule"}, "./loadgen/document": {"AppendRealistic"},
}

// measureLoadgen runs the races.
func measureLoadgen(ctx context.Context, o options, install installer, out io.Writer) error {
	if _, err := choose(programs{}.races(), o.races); err != nil {
		return err
	}
	programs, err := install.install(ctx)
	if err != nil {
		return err
	}
	timed := map[string]benchmark{}
	for pkg, names := range goBenchmarks {
		found, err := install.benchmarks(ctx, pkg, "^Benchmark("+strings.Join(names, "|")+")$", o.rounds)
		if err != nil {
			return err
		}
		maps.Copy(timed, found)
	}
	addresses, err := process.FreeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	server, err := startServer(ctx, o.cache)
	if err != nil {
		return err
	}
	defer server.stop()
	programs.target, programs.scraped = server.address, addresses[0]
	races, err := choose(programs.races(), o.races)
	if err != nil {
		return err
	}
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
	figures := c.seen.loadgenFigures(slowest(timed, "Record"), timed["Schedule"])
	figures = append(figures, documentFigure(timed["AppendRealistic"]))
	writeFigures(out, title, append(figures, c.seen.observingFigures(slowest(timed, "HandIn"))...))
	return nil
}

// writeMachine says where and when the figures came to be, without which they mean nothing.
func writeMachine(to io.Writer, now time.Time) {
	load, _ := os.ReadFile("/proc/loadavg")
	before, _, _ := strings.Cut(string(load), " ")
	_, _ = fmt.Fprintf(to, "%s: %s; load before: %s\n", now.UTC().Format("2006-01-02 15:04 UTC"), machine(), before)
}

// machine is what figures are had on, and with.
func machine() string {
	content, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%d processors (%s), Linux %s, %s; mongod %s on loopback, cache %s GiB", runtime.NumCPU(),
		processorModel(string(content)), strings.TrimSpace(string(kernel)), runtime.Version(), serverVersion, serverCacheGB)
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

const (
	peersFolder = "hack/perf/peers"
	// goYCSBModule is the module whose version names the built program.
	goYCSBModule = "github.com/pingcap/go-ycsb"
)

// installer builds and installs what is raced: ours each time, the peers once for each of their versions.
type installer struct {
	// cache outlives this run, scratch does not.
	cache, scratch string
	log            io.Writer
}

func (i installer) install(ctx context.Context) (programs, error) {
	p := programs{scratch: i.scratch, pymongo: filepath.Join(peersFolder, "pymongo", "load.py")}
	var err error
	if p.loadgen, err = i.build(ctx, ".", "./cmd/loadgen", filepath.Join(i.scratch, "loadgen")); err != nil {
		return p, err
	}
	if p.bareSockets, err = i.build(ctx, ".", "./hack/perf/floor", filepath.Join(i.scratch, "floor")); err != nil {
		return p, err
	}
	p.handwritten, err = i.build(ctx, ".", "./hack/perf/handwritten", filepath.Join(i.scratch, "handwritten"))
	if err != nil {
		return p, err
	}
	if p.goYCSB, err = i.goYCSB(ctx); err != nil {
		return p, err
	}
	if p.python, err = i.python(ctx); err != nil {
		return p, err
	}
	if p.mongoimport, err = exec.LookPath("mongoimport"); err != nil {
		p.mongoimport = ""
		_, _ = fmt.Fprintln(i.log, "bench: there is no mongoimport on PATH, so it is left out")
	}
	return p, nil
}

// build compiles a Go program of a module.
func (i installer) build(ctx context.Context, module, source, path string) (string, error) {
	_, err := i.do(ctx, module, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	return path, err
}

// goYCSB builds go-ycsb, unless this machine has that version.
func (i installer) goYCSB(ctx context.Context) (string, error) {
	module := filepath.Join(peersFolder, "goycsb")
	version, err := i.do(ctx, module, "go", "list", "-m", "-f", "{{.Version}}", goYCSBModule)
	if err != nil {
		return "", err
	}
	path := filepath.Join(i.cache, "perf", "go-ycsb-"+strings.TrimSpace(version))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, _ = fmt.Fprintln(i.log, "bench: building", filepath.Base(path))
	partial, err := i.build(ctx, module, ".", path+".partial")
	if err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}

// python makes a virtual environment with the pinned pymongo, unless this machine has it, and returns its interpreter.
func (i installer) python(ctx context.Context) (string, error) {
	requirements := filepath.Join(peersFolder, "pymongo", "requirements.txt")
	content, err := os.ReadFile(requirements)
	if err != nil {
		return "", fmt.Errorf("reading what pymongo needs: %w", err)
	}
	folder := filepath.Join(i.cache, "perf", environmentName(string(content)))
	interpreter := filepath.Join(folder, "bin", "python")
	ready := filepath.Join(folder, "ready")
	if _, err := os.Stat(ready); err == nil {
		return interpreter, nil
	}
	_, _ = fmt.Fprintln(i.log, "bench: installing", filepath.Base(folder))
	if _, err := i.do(ctx, ".", "python3", "-m", "venv", "--clear", folder); err != nil {
		return "", fmt.Errorf("%w (on Debian: apt-get install python3-venv)", err)
	}
	_, err = i.do(ctx, ".", interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--only-binary", ":all:", "--requirement", requirements)
	if err != nil {
		return "", err
	}
	return interpreter, os.WriteFile(ready, nil, 0o600)
}

// environmentName names a virtual environment after the first package that it pins.
func environmentName(requirements string) string {
	for line := range strings.Lines(requirements) {
		if name, version, pinned := strings.Cut(strings.TrimSpace(line), "=="); pinned && !strings.HasPrefix(name, "#") {
			return name + "-" + version
		}
	}
	return "python"
}

// do runs a command in a folder and returns what it printed.
func (i installer) do(ctx context.Context, folder string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(arguments, " "), err, complaints.String())
	}
	return string(output), nil
}

// benchmark is what `go test -bench` measured of one function, medians over its repetitions. p99Micros and overBare,
// the p99 over that of a bare timer, are figures that only some tell; they are NaN for all others.
type benchmark struct {
	nanos, allocations, p99Micros, overBare float64
}

// benchmarks runs Go benchmarks of a package, each count times.
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
			overBare: median(values["over-bare"]),
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
