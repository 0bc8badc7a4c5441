package replay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/replay"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// everyTen is a recording of an operation every ten milliseconds.
func everyTen(t *testing.T, operations int) replay.Recording {
	t.Helper()
	var lines strings.Builder
	for i := range operations {
		fmt.Fprintf(&lines, "{\"at\": %d.%02d, \"db\": \"d\", \"command\": {\"find\": \"c\"}}\n", i/100, i%100)
	}
	recording, err := replay.Read(strings.NewReader(lines.String()), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

// scheduleCase is a way to replay a hundred operations, and how long that takes.
type scheduleCase struct {
	speed    float64
	threads  int
	latency  time.Duration
	wantTook time.Duration
	// wantLongest is the longest response time, and wantQueue the most operations that were due and not sent.
	wantLongest time.Duration
	wantQueue   int64
}

func TestOperationsAreSentAtTheirTimes(t *testing.T) {
	for name, tc := range map[string]scheduleCase{
		"as recorded": {1, 4, 5 * time.Millisecond, 995 * time.Millisecond, 5 * time.Millisecond, 0},
		"ten times as fast, with threads enough": {
			10, 16, 5 * time.Millisecond, 104 * time.Millisecond, 5 * time.Millisecond, 0,
		},
		// The last of a hundred is due after 99 ms and answered after 500 ms: it took 401.
		"ten times as fast, with one thread too few": {
			10, 1, 5 * time.Millisecond, 500 * time.Millisecond, 401 * time.Millisecond, 79,
		},
		"as fast as possible": {0, 4, 5 * time.Millisecond, 125 * time.Millisecond, 5 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkSchedule(t, tc) })
		})
	}
}

func checkSchedule(t *testing.T, tc scheduleCase) {
	t.Helper()
	target := &drivertest.Target{Latency: tc.latency}
	work := replay.Replay{
		Recording: everyTen(t, 100), Target: target, Threads: tc.threads, Speed: tc.speed, Version: "test", NewAlarm: timer,
	}
	report, err := work.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step := report.Steps[0]
	if took := step.End.Sub(step.MeasureStart); took != tc.wantTook {
		t.Errorf("it took %s, want %s", took, tc.wantTook)
	}
	operation := step.Operations[0]
	if operation.Count != 100 || operation.Name != "find c" || target.Executed() != 100 {
		t.Errorf("%d operations %q counted, %d sent; want 100", operation.Count, operation.Name, target.Executed())
	}
	times := operation.ServiceTime
	if tc.speed > 0 {
		times = operation.ResponseTime
		if step.Arrivals.LargestQueue != tc.wantQueue || step.Arrivals.Due != 100 || step.Arrivals.Dropped != 0 {
			t.Errorf("arrivals %+v, want a queue of %d and none dropped", step.Arrivals, tc.wantQueue)
		}
	}
	histogram, err := reportv1.DecodeHistogram(times)
	if err != nil {
		t.Fatal(err)
	}
	if longest := time.Duration(histogram.Max()) * time.Microsecond; longest.Round(time.Millisecond) != tc.wantLongest {
		t.Errorf("the longest took %s, want %s", longest, tc.wantLongest)
	}
}

func timer() alarm.Alarm {
	return alarm.Timer{}
}

func TestWhatFailsIsReported(t *testing.T) {
	for name, tc := range map[string]struct {
		failEvery  int64
		wantErrors int64
		wantErr    string
	}{
		"some":       {10, 10, ""},
		"everything": {1, 0, "no operation succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			work := replay.Replay{
				Recording: everyTen(t, 100), Target: &drivertest.Target{FailEvery: tc.failEvery}, Threads: 3, Version: "test",
			}
			report, err := work.Run(t.Context())
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) || strings.Contains(err.Error(), "secret") {
					t.Errorf("error %v, want one that %s, without secrets", err, tc.wantErr)
				}
				return
			}
			if err != nil || report.Steps[0].Operations[0].Errors != tc.wantErrors {
				t.Errorf("%+v, %v; want %d errors", report.Steps, err, tc.wantErrors)
			}
		})
	}
}

func TestTheEndOfTheContextEndsAReplayWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
		work := replay.Replay{
			Recording: everyTen(t, 100), Target: &drivertest.Target{}, Threads: 3, Speed: 1, Version: "test", NewAlarm: timer,
		}
		if _, err := work.Run(ctx); !errors.Is(err, cause) {
			t.Errorf("error %v, want %v", err, cause)
		}
	})
}

func TestADatabaseThatIsGoneEndsAReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := replay.Replay{
			Recording: everyTen(t, 1000), Target: &drivertest.Target{FailEvery: 1, Latency: 25 * time.Second},
			Threads: 1, Speed: 1, Version: "test", NewAlarm: timer,
		}
		if _, err := work.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing but failures for 1m15s") {
			t.Errorf("error %v, want one that gives up after three", err)
		}
		if work.Answered() != 3 {
			t.Errorf("%d operations were answered, want 3", work.Answered())
		}
	})
}
