package main

import (
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments string
		want      options
		wantError string
	}{
		"nothing is the usual": {
			want: options{subjects: usual, rounds: 5, window: 3 * time.Second, minutes: 30},
		},
		"one subject and other numbers": {
			arguments: "--rounds 1 --seconds 2 --minutes 3 --races load,read16 loadgen",
			want: options{
				subjects: []string{"loadgen"}, rounds: 1, window: 2 * time.Second, races: []string{"load", "read16"}, minutes: 3,
			},
		},
		"a subject that is not known": {
			arguments: "manager",
			wantError: "ONLY=manager is not known: choose one of [loadgen controller calibration duets honesty clients], or " +
				"leave it out for all",
		},
		"no round": {arguments: "--rounds 0", wantError: "rounds and seconds are 1 or more, and minutes 0 or more"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(strings.Fields(tc.arguments))
			if (err == nil) != (tc.wantError == "") || err != nil && err.Error() != tc.wantError {
				t.Fatalf("error is %v, want %q", err, tc.wantError)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(options{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	for name, tc := range map[string]struct {
		values []float64
		want   float64
	}{
		"of an odd number is the middle":           {[]float64{9, 1, 5}, 5},
		"of an even number is between the middles": {[]float64{4, 1, 2, 100}, 3},
		"of nothing is no number":                  {nil, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			if got := median(tc.values); !cmp.Equal(tc.want, got, cmpopts.EquateNaNs()) {
				t.Errorf("median is %v, want %v", got, tc.want)
			}
		})
	}
}

func TestBetweenTwoSamples(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	first := sample{at: begin, operations: 1000, client: time.Second, server: time.Minute}
	last := sample{
		at: begin.Add(2 * time.Second), operations: 5000, client: time.Second + 40*time.Millisecond,
		server: time.Minute + 400*time.Millisecond,
	}
	got, err := between(first, last)
	want := window{Rate: 2000, Client: 10, Server: 100, Cores: 0.02}
	if err != nil || !cmp.Equal(want, got, cmpopts.EquateApprox(1e-9, 0)) {
		t.Errorf("window is %+v, %v; want %+v", got, err, want)
	}
	if _, err := between(first, first); err == nil {
		t.Error("a window without operations gave no error")
	}
}

// rounds makes a series of windows, one a round.
func rounds(of func(round int) window) []window {
	windows := make([]window, 0, 3)
	for round := range 3 {
		windows = append(windows, of(round))
	}
	return windows
}

// addReplayAndFlow adds the races of what is sent in other ways than by a mix.
func addReplayAndFlow(seen results, slow func(round int) float64) {
	seen[raceReplay] = map[string][]window{
		nameOurs:   rounds(func(round int) window { return window{Client: 15 * slow(round)} }),
		nameReplay: rounds(func(round int) window { return window{Client: 18 * slow(round)} }),
	}
	seen[raceFlow] = map[string][]window{}
	for name, cost := range map[string]float64{nameFlow: 50, nameMix: 40} {
		seen[raceFlow][name] = rounds(func(round int) window { return window{Client: cost * slow(round)} })
	}
	seen[raceYCSBLoad] = map[string][]window{nameOurs: rounds(func(int) window { return window{Client: 3, Memory: 50e6} })}
	seen[raceOpenLoop] = map[string][]window{
		nameOurs: rounds(func(int) window { return window{Rate: 10_000, Cores: 0.9} }),
	}
}

// everyRace is a contest in which the second of three rounds was disturbed: all took twice as long in it.
func everyRace() results {
	seen := results{raceLoad: {}}
	slow := func(round int) float64 { return []float64{1, 2, 1}[round] }
	for name, perSecond := range map[string]float64{
		nameFloor1: 400, nameFloor2: 500, nameLoad1: 380, nameLoad2: 460, namePymongo: 100,
	} {
		seen[raceLoad][name] = rounds(func(round int) window {
			return window{Rate: perSecond / slow(round), Client: 0.2 * slow(round)}
		})
	}
	for _, race := range []string{raceRead16, raceRead64, raceA, raceB, raceUpdates} {
		seen[race] = map[string][]window{}
		for name, cost := range map[string]float64{namePoints1: 50, namePoints2: 60, nameOurs: 55, nameGoYCSB: 140} {
			if race == raceB && name == nameOurs {
				cost = 70 // The worst of the mixes.
			}
			seen[race][name] = rounds(func(round int) window { return window{Client: cost * slow(round), Memory: 30e6} })
		}
	}
	for _, race := range []string{raceApplicationReads, raceApplicationA} {
		seen[race] = map[string][]window{}
		for name, cost := range map[string]float64{nameApplication: 84, nameHandwritten: 80, nameGoYCSB: 100} {
			if race == raceApplicationA && name == nameHandwritten {
				cost = 70
			}
			seen[race][name] = rounds(func(round int) window { return window{Client: cost * slow(round)} })
		}
	}
	addReplayAndFlow(seen, slow)
	return seen
}

func TestFiguresAreRatiosOfTheSameRound(t *testing.T) {
	want := map[string]float64{
		"loader_rate_over_floor": 0.92, "loader_rate_over_floor_1": 0.95, "loader_rate_over_floor_2": 0.92,
		"loader_rate_over_best_peer": 4.6, "loader_client_us_per_doc": 0.2,
		"read16_client_over_floor": 1.1, "read64_client_over_floor": 1.1, "mixed16_client_over_floor": 1.4,
		"read16_client_over_goycsb": 55.0 / 140, "read64_client_over_goycsb": 55.0 / 140,
		"mixed16_client_over_goycsb": 0.5, "application_over_handwritten": 1.2, "application_over_goycsb": 0.84,
		"flow_client_us_per_op":       1.25,
		"replay_client_us_per_op":     1.2,
		"ycsb_load_client_us_per_doc": 3, "ycsb_load_rss_mb": 50, "record_ns": 12,
		"rss_mb_64_threads": 30, "openloop_10k_cores_over_floor": 0.4, "openloop_10k_schedule_error_p99": 150,
		"openloop_10k_schedule_error_over_timer": 1.5,
	}
	got := map[string]float64{}
	for _, f := range everyRace().loadgenFigures(12, benchmark{p99Micros: 150, overBare: 1.5}) {
		got[f.name] = f.value
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestTheFigureOfADocumentHasABound(t *testing.T) {
	if f := documentFigure(benchmark{nanos: 1500}); f.value != 1500 || f.met() != "yes" {
		t.Errorf("%+v is reached: %s", f, f.met())
	}
	if f := documentFigure(benchmark{nanos: 3001}); f.met() != "no" {
		t.Errorf("%+v is reached: %s", f, f.met())
	}
}

func TestFiguresAreWrittenOneALine(t *testing.T) {
	var written strings.Builder
	writeFigures(&written, "Title", []figure{
		{name: "kept", value: 0.25, unit: "ratio", atMost: 0.5},
		{name: "missed", value: 0.25, unit: "us", atLeast: 2},
		{name: "without", value: 1234567, unit: "MB"},
		{name: "unknown", value: math.NaN(), unit: "us", atMost: 1},
	})
	want := `
Title
figure   value    unit   goal           reached
kept     0.250    ratio  at most 0.500  yes
missed   0.250    us     at least 2.00  no
without  1234567  MB                    

FIGURE kept 0.2500 ratio
FIGURE missed 0.2500 us
FIGURE without 1234567.0000 MB
`
	if diff := cmp.Diff(want, written.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

func TestParseBenchmarksTakesTheMedianOfRepetitions(t *testing.T) {
	got := parseBenchmarks("goos: linux\nBenchmarkRecord/open_loop-2 \t 100 \t 30.0 ns/op \t 0 B/op \t 0 allocs/op\n" +
		"BenchmarkRecord/open_loop-2 \t 100 \t 10.0 ns/op \t 0 B/op \t 0 allocs/op\n" +
		"BenchmarkRecord/open_loop-2 \t 100 \t 20.0 ns/op \t 0 B/op \t 2 allocs/op\n" +
		"BenchmarkRecorder-2 \t 100 \t 90.0 ns/op \t 0.2 cores \t 7.0 p99-µs\nPASS\nok \t a/b \t 1.5s\n")
	want := map[string]benchmark{
		"Record/open_loop": {nanos: 20, p99Micros: math.NaN(), overBare: math.NaN()},
		"Recorder":         {nanos: 90, allocations: math.NaN(), p99Micros: 7, overBare: math.NaN()},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(benchmark{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("benchmarks (-want +got):\n%s", diff)
	}
	if nanos := slowest(got, "Record"); nanos != 20 {
		t.Errorf("the slowest part takes %v ns, want 20", nanos)
	}
	if nanos := slowest(got, "Merge"); !math.IsNaN(nanos) {
		t.Errorf("a benchmark that did not run takes %v ns", nanos)
	}
}

func TestEveryBenchmarkThatIsAFigureIsThere(t *testing.T) {
	for pkg, names := range goBenchmarks {
		list := exec.CommandContext(t.Context(), "go", "test", "-list", "^Benchmark", pkg)
		list.Dir = "../.."
		there, err := list.Output()
		for _, name := range names {
			if err != nil || !slices.Contains(strings.Fields(string(there)), "Benchmark"+name) {
				t.Errorf("%s has no Benchmark%s: %v, %s", pkg, name, err, there)
			}
		}
	}
}

func TestControllerFiguresWantEveryBenchmark(t *testing.T) {
	found := map[string]benchmark{"Compile": {nanos: 2e3}, "Decide": {nanos: 3e3, allocations: 7}, "Merge": {nanos: 5e6}}
	figures, err := controllerFigures(found)
	if err != nil {
		t.Fatal(err)
	}
	if got := figures[2]; got != (figure{name: "controller_decide_us", value: 3, unit: "us"}) {
		t.Errorf("the third figure is %+v", got)
	}
	delete(found, "Merge")
	if _, err := controllerFigures(found); err == nil {
		t.Error("a benchmark that is missing gave no error")
	}
}

// TestRunsOfTheRacesCanBeFollowed writes the run of every race that the load generator is in, and has it checked.
func TestRunsOfTheRacesCanBeFollowed(t *testing.T) {
	p := programs{scratch: t.TempDir(), target: "127.0.0.1:1"}
	for _, race := range p.races() {
		for _, contender := range race.contenders {
			if !strings.HasPrefix(contender.name, nameOurs) {
				continue
			}
			t.Run(race.name+" "+contender.name, func(t *testing.T) {
				if err := contender.write(3 * time.Second); err != nil {
					t.Fatal(err)
				}
				follow(t, runOf(t, contender.command.Arguments[2]))
			})
		}
	}
}

// follow compiles a run and has its plan checked.
func follow(t *testing.T, run benchv1alpha1.BenchmarkRun) {
	t.Helper()
	if problems := validation.ValidateRun(&run); len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	encoded, err := planv1.Encode(spec.Compile(run.Spec))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	plan.Pods = 1
	if err := engine.Check(plan); err != nil {
		t.Error(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func runOf(t *testing.T, file string) benchv1alpha1.BenchmarkRun {
	t.Helper()
	content := readFile(t, file)
	run := benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(content, &run); err != nil {
		t.Fatal(err)
	}
	run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "uri"}
	return run
}

func TestAnOpenLoopOfNineReadsInTenIsWritten(t *testing.T) {
	folder := t.TempDir()
	m := mode{client: clientDriver, run: pointsFile, threads: 8, reads: 90, rate: 500}
	if err := writeRun(folder, m, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(runOf(t, filepath.Join(folder, pointsFile)).Spec)
	step := plan.Steps[len(plan.Steps)-1]
	weights := map[string]int{}
	for _, operation := range step.Operations {
		weights[operation.Name] = operation.Weight
	}
	if string(plan.Client) != clientDriver || step.Threads != 8 || step.Arrival == nil || step.DurationSeconds != 6 {
		t.Errorf("client %s, step %+v; want the driver, 8 threads, an arrival schedule, 6 s", plan.Client, step)
	}
	if weights["read"] != 9*weights["update"] {
		t.Errorf("weights are %v, want nine reads an update", weights)
	}
}

func TestOwnCost(t *testing.T) {
	report := `{"report": {"steps": [{"kind": "Load"}, {"kind": "Measure", "generator": {"cpuMicros": 5000},
		"operations": [{"count": 60}, {"count": 40}]}]}}`
	if micros, err := ownCost([]byte(report)); err != nil || micros != 50 {
		t.Errorf("%v µs an operation, %v; want 50", micros, err)
	}
	if _, err := ownCost([]byte(strings.Replace(report, `"count": 60`, `"count": 60, "errors": 1`, 1))); err == nil {
		t.Error("failed operations gave no error")
	}
}

func TestFeedIsEndlessJSON(t *testing.T) {
	content, err := io.ReadAll(io.LimitReader(newFeed(2), 1000))
	if err != nil || len(content) != 1000 {
		t.Fatalf("%d bytes, %v; want as many as are asked for", len(content), err)
	}
	lines := strings.Split(string(content), "\n")
	if lines[0] != `{"created_on":{"$date":"2012-01-01T00:00:00Z"},"value":0.000000}` || lines[2] != lines[0] {
		t.Errorf("lines are %q and %q, want a document and, after two, the same again", lines[0], lines[2])
	}
}

func TestEnvironmentIsNamedAfterItsFirstPackage(t *testing.T) {
	pinned := string(readFile(t, filepath.Join("peers", "pymongo", "requirements.txt")))
	if got := environmentName(pinned); !strings.HasPrefix(got, "pymongo-4") {
		t.Errorf("name is %q, want pymongo and its version", got)
	}
}

func TestChooseRefusesARaceThatIsNotKnown(t *testing.T) {
	all := programs{}.races()
	if got, err := choose(all, []string{raceB}); err != nil || len(got) != 1 || got[0].name != raceB {
		t.Errorf("chose %d races, %v; want one", len(got), err)
	}
	if _, err := choose(all, []string{"read17"}); err == nil {
		t.Error("a race that is not known gave no error")
	}
}
