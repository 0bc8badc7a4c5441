package abort

import (
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// second is what one operation does in each second of a phase; hang is how long each of its failures takes, 0 when it
// is not told.
type second struct {
	succeed, fail, micros, hang int64
}

// phase is a number of seconds that are alike.
type phase struct {
	seconds int
	read    second
	write   second
}

// play goes through phases second by second, and returns when a threshold was missed and what was said; 0: never.
func play(threshold planv1.Threshold, share float64, phases ...phase) (at int, said string) {
	judge := New([]planv1.Threshold{threshold}, func(string) float64 { return share })
	live := measure.Live{Operations: []measure.LiveOperation{{Name: "read"}, {Name: "write"}}}
	add := func(o *measure.LiveOperation, s second) {
		o.Count += s.succeed
		o.Errors += s.fail
		more := measure.Live{Operations: []measure.LiveOperation{{}}}
		if s.succeed > 0 {
			more.Operations[0].Latency = []measure.Bucket{{Lowest: s.micros, Highest: s.micros, Count: s.succeed}}
		}
		if s.hang > 0 {
			more.Operations[0].Failed = []measure.Bucket{{Lowest: s.hang, Highest: s.hang, Count: s.fail}}
		}
		sum := measure.Live{Operations: []measure.LiveOperation{{Latency: o.Latency, Failed: o.Failed}}}
		sum.Add(more)
		o.Latency, o.Failed = sum.Operations[0].Latency, sum.Operations[0].Failed
	}
	for _, phase := range phases {
		for range phase.seconds {
			at++
			add(&live.Operations[0], phase.read)
			add(&live.Operations[1], phase.write)
			if said = judge.Look(time.Duration(at)*time.Second, live); said != "" {
				return at, said
			}
		}
	}
	return 0, ""
}

func TestThresholds(t *testing.T) {
	good, slow := second{succeed: 100, micros: 500}, second{succeed: 100, micros: 90_000}
	failing, hanging := second{succeed: 50, fail: 50, micros: 500}, second{}
	timingOut := second{succeed: 50, fail: 50, micros: 500, hang: 1_000_000}
	for name, tc := range map[string]struct {
		threshold planv1.Threshold
		share     float64
		phases    []phase
		wantAt    int
		wantSaid  string
	}{
		"a share of errors that lasts": {
			threshold: planv1.Threshold{ErrorPercent: 20, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {20, failing, failing}},
			// After five of ten seconds a quarter of the operations has failed.
			wantAt: 25, wantSaid: "all operations: over 10s, 500 of 2000 operations failed, more than 20 %",
		},
		"time-outs beyond the limit of a latency": {
			threshold: planv1.Threshold{PercentileMillis: 99_000, LimitMicros: 50_000, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {20, timingOut, good}},
			wantAt:    21, wantSaid: "all operations: over 10s, p99 is 1000000 µs, over 50000 µs",
		},
		"failures that are quicker than the limit of a latency": {
			threshold: planv1.Threshold{PercentileMillis: 99_000, LimitMicros: 50_000, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {20, second{succeed: 50, fail: 50, micros: 500, hang: 90}, good}},
		},
		"errors that pass": {
			threshold: planv1.Threshold{ErrorPercent: 20, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {3, failing, failing}, {60, good, good}},
		},
		"errors of another operation": {
			threshold: planv1.Threshold{ErrorPercent: 20, ForSeconds: 10, Operation: "read"},
			phases:    []phase{{20, good, good}, {20, good, failing}},
		},
		"a rate of errors": {
			threshold: planv1.Threshold{ErrorsPerSecond: 99, ForSeconds: 5, Operation: "write"}, share: 0.5,
			phases: []phase{{20, good, failing}},
			wantAt: 5, wantSaid: "operation write: over 5s, 100 operations/s failed, more than 99/s",
		},
		"a latency": {
			threshold: planv1.Threshold{PercentileMillis: 99_000, LimitMicros: 50_000, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {20, good, slow}},
			// More than one in a hundred of 2,000 operations.
			wantAt: 21, wantSaid: "p99 is 90000 µs, over 50000 µs",
		},
		"a latency below its limit": {
			threshold: planv1.Threshold{PercentileMillis: 50_000, LimitMicros: 50_000, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {2, slow, slow}, {20, good, good}},
		},
		"a rate that is too low": {
			threshold: planv1.Threshold{LowestRate: 150, ForSeconds: 10},
			phases:    []phase{{20, good, good}, {60, hanging, hanging}},
			wantAt:    23, wantSaid: "140 operations/s succeeded, less than 150/s",
		},
		"a rate of a pod with half of the load": {
			threshold: planv1.Threshold{LowestRate: 390, ForSeconds: 10}, share: 0.5,
			phases: []phase{{40, good, good}},
		},
		"nothing is judged before its time": {
			threshold: planv1.Threshold{LowestRate: 1000, ForSeconds: 60},
			phases:    []phase{{59, good, good}},
		},
		"a long time is judged by parts": {
			threshold: planv1.Threshold{LowestRate: 150, ForSeconds: 600},
			phases:    []phase{{600, good, good}, {600, hanging, hanging}},
			// A quarter of the time without anything; it goes on by a thirtieth.
			wantAt: 760, wantSaid: "operations/s succeeded, less than 150/s",
		},
		"a database that hangs says nothing of errors": {
			threshold: planv1.Threshold{ErrorPercent: 1, ForSeconds: 5},
			phases:    []phase{{10, good, good}, {30, hanging, hanging}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			share := tc.share
			if share == 0 {
				share = 1
			}
			at, said := play(tc.threshold, share, tc.phases...)
			if at != tc.wantAt || !strings.Contains(said, tc.wantSaid) {
				t.Errorf("it ended at %d s, saying %q; want %d s and %q", at, said, tc.wantAt, tc.wantSaid)
			}
		})
	}
}
