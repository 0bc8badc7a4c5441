package engine_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// What BenchmarkSchedule measures, and for how long at a time.
const (
	scheduleRate    = 10_000
	scheduleSeconds = 3
	// bareTimer is the environment variable that has a process of this test be nothing but a timer.
	bareTimer = "MONGOBENCH_BARE_TIMER"
)

// BenchmarkSchedule is how late operations are sent, at the 99th percentile, when 10,000 a second are due, a worker is
// free for each, and the target answers at once: the error of the load generator's own clock. What a machine does to
// it, it does to every timer: so a process that does nothing but sleep until the same instants runs beside, and the
// ratio is what the load generator adds.
func BenchmarkSchedule(b *testing.B) {
	plan := testPlan(1, planv1.Step{
		Threads: 64, DurationSeconds: scheduleSeconds, Arrival: constant(scheduleRate, scheduleRate),
	})
	plan.Steps = plan.Steps[3:]
	for b.Loop() {
		bare := startBareTimer(b)
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
		p99, bareP99 := float64(late.ValueAtQuantile(99)), bare()
		b.ReportMetric(p99, "p99-µs")
		b.ReportMetric(bareP99, "bare-p99-µs")
		b.ReportMetric(p99/max(bareP99, 1), "over-bare")
		b.ReportMetric(float64(report.Steps[0].Generator.CPUMicros)/scheduleSeconds/1e6, "cores")
	}
}

// startBareTimer starts a bare timer, and returns what waits for the p99 of its error in microseconds.
func startBareTimer(b *testing.B) func() float64 {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestBareTimer$")
	command.Env = append(os.Environ(), bareTimer+"=1")
	var out strings.Builder
	command.Stdout = &out
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	return func() float64 {
		if err := command.Wait(); err != nil {
			b.Fatalf("the bare timer: %v: %s", err, out.String())
		}
		first, _, _ := strings.Cut(out.String(), "\n")
		p99, err := strconv.ParseFloat(first, 64)
		if err != nil {
			b.Fatalf("the bare timer said %q", out.String())
		}
		return p99
	}
}

// TestBareTimer is no test but the process of startBareTimer: it prints how late it was, at the 99th percentile, in
// microseconds. Nothing else runs in it, so that Go's scheduler has nothing to decide.
func TestBareTimer(t *testing.T) {
	if os.Getenv(bareTimer) == "" {
		return
	}
	runtime.LockOSThread()
	// A sleeping thread may be woken up to 50 µs late unless it asks for less.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	late := make([]int64, 0, scheduleRate*scheduleSeconds)
	next := monotonic(t)
	for range cap(late) {
		next += int64(time.Second) / scheduleRate
		if monotonic(t) > next {
			// It is still late from before, as a worker that is not free, whose lag is no error of the clock either.
			continue
		}
		due := unix.NsecToTimespec(next)
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &due, nil) != nil {
			// A signal ended it.
			continue
		}
		late = append(late, max(0, monotonic(t)-next))
	}
	slices.Sort(late)
	if len(late) == 0 {
		t.Fatal("the timer never went off before the next instant had passed")
	}
	_, _ = fmt.Fprintln(os.Stdout, float64(late[len(late)*99/100])/1000)
}

// monotonic is the kernel's clock that such a sleep is by, in nanoseconds.
func monotonic(t *testing.T) int64 {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	return now.Nano()
}
