package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// told is a sample of a server that was started at the epoch, taken this many seconds later.
func told(second int64, values map[string]int64) *sample {
	s := newSample()
	s.uptime, s.started = second*1000, 0
	for name, value := range values {
		s.values[places[name]] = value
	}
	return s
}

func inserts(second, count int64) *sample {
	return told(second, map[string]int64{"operations.insert": count})
}

func TestRates(t *testing.T) {
	again := inserts(2, 500)
	again.started = 7000
	for name, tc := range map[string]struct {
		samples []*sample
		want    []int64
	}{
		"growth by second": {[]*sample{inserts(1, 10), inserts(2, 110), inserts(3, 110)}, []int64{unknown, 100, 0}},
		"by the server's clock, not by slots": {
			[]*sample{inserts(1, 0), inserts(3, 100), inserts(4, 200)}, []int64{unknown, 50, 100},
		},
		"a sample that was missed is not known, and the next is over the longer time": {
			[]*sample{inserts(1, 0), nil, inserts(3, 100)}, []int64{unknown, unknown, 50},
		},
		"a restarted server counts from 0": {
			[]*sample{inserts(90, 1000), inserts(1, 50), inserts(2, 60)}, []int64{unknown, unknown, 10},
		},
		"a restarted server that has counted beyond": {
			[]*sample{inserts(1, 10), again, inserts(3, 10)}, nil,
		},
		"a counter that was set back": {
			[]*sample{inserts(1, 100), inserts(2, 30), inserts(3, 40)}, []int64{unknown, unknown, 10},
		},
		"a figure that a reply lacks": {
			[]*sample{inserts(1, 0), told(2, nil), inserts(3, 10), inserts(4, 30)}, []int64{unknown, unknown, unknown, 20},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := seriesOf(tc.samples...)["operations.insert"]; !cmp.Equal(got, tc.want) {
				t.Errorf("rates are %d, want %d", got, tc.want)
			}
		})
	}
}

func TestQuotients(t *testing.T) {
	at := func(second, latency, operations int64) *sample {
		return told(second, map[string]int64{"serverTime.reads": latency, "timed.reads": operations})
	}
	got := seriesOf(at(1, 0, 0), at(2, 1000, 4), at(3, 1000, 4), at(4, 1600, 6))["serverTime.reads"]
	if want := []int64{unknown, 250, unknown, 300}; !cmp.Equal(got, want) {
		t.Errorf("microseconds an operation are %d, want %d", got, want)
	}
}

func TestTheIntervalDoublesWhenARecordingIsFull(t *testing.T) {
	r := &recording{interval: time.Second, limit: 5}
	running := []int64{0, 1, 0, 0, 0, 0, 0, 1}
	for second, now := range running {
		if r.due() != time.Duration(second)*time.Second {
			continue // Between two samples, once the interval is longer.
		}
		r.put(told(int64(second), map[string]int64{
			"operations.insert": int64(second * second), checkpointRunning: now,
		}))
	}
	if r.interval != 2*time.Second || r.due() != 8*time.Second {
		t.Fatalf("the interval is %s, and the next sample due at %s; want 2 s and 8 s", r.interval, r.due())
	}
	series := map[string][]int64{}
	for _, s := range r.series() {
		series[s.Name] = s.Values
	}
	// The samples of seconds 0, 2, 4 and 6: rates over two seconds each, and the checkpoint of second 1.
	want := map[string][]int64{"operations.insert": {unknown, 2, 6, 10}, checkpointRunning: {0, 1, 0, 0}}
	if !cmp.Equal(series, want) {
		t.Errorf("series differ: %s", cmp.Diff(want, series))
	}
}

func TestMissedSamplesSurviveLongerIntervals(t *testing.T) {
	r := &recording{interval: time.Second, limit: 5}
	for _, s := range []*sample{inserts(0, 0), inserts(1, 10), nil, nil, nil} {
		r.put(s)
	}
	if got := r.values(places["operations.insert"]); !cmp.Equal(got, []int64{unknown, 10, unknown}) {
		t.Errorf("rates are %d, want those of seconds 0, 1 and 4", got)
	}
	if r.missed != 3 {
		t.Errorf("%d samples were missed, want 3", r.missed)
	}
}

func TestSummarise(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	member := reportv1.Member{
		Name: "a:1", Role: RolePrimary, Start: start, IntervalMillis: 1000,
		Series: []reportv1.Series{
			{Name: operationsAll, Values: []int64{unknown, 900, 100, 100, 20, 100, unknown, 100}},
			{Name: checkpointRunning, Values: []int64{0, 0, 0, 0, 1, 0, 0, 0}},
			{Name: checkpointCount, Values: []int64{6, 7, 7, 7, 7, 8, unknown, 9}},
			{Name: checkpointDuration, Values: []int64{5000, 800, 800, 800, 800, 300, unknown, 400}},
			{Name: "cpu.user", Values: []int64{unknown, 0, 200, 300, 200, 300, unknown, 0}},
			{Name: "cpu.system", Values: []int64{unknown, 0, 50, 50, 50, 50, unknown, 0}},
			{Name: "disk.written", Values: []int64{unknown, 0, 1000, 1000, 1000, 1000, unknown, 0}},
			{Name: applicationEvicted, Values: []int64{unknown, 0, 0, 0, 7, 1, unknown, 0}},
			{Name: "cache.dirty", Values: []int64{99, 5, 6, 7, 4, 3, unknown, 50}},
		},
	}
	got := Summarise(member, start.Add(900*time.Millisecond), start.Add(6500*time.Millisecond))
	want := Summary{
		Name: "a:1", Role: RolePrimary, Samples: 5, CPUMillis: 300, ReadBytes: unknown, WrittenBytes: 1000,
		ResidentBytes: unknown, Connections: unknown,
		CacheBytes: unknown, DirtyBytes: 7, Evictions: 10, LargestLag: unknown,
		Operations:  result.Vary([]int64{100, 100, 20, 100, unknown}),
		Checkpoints: 1, LongestCheckpointMillis: 300, DuringCheckpoints: 20, Outside: 100,
	}
	if !cmp.Equal(got, want) {
		t.Errorf("summary differs: %s", cmp.Diff(want, got))
	}
}

func TestSummaryOfAWindowWithoutSamples(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	member := reportv1.Member{
		Start: start, IntervalMillis: 1000, Series: []reportv1.Series{{Name: operationsAll, Values: []int64{unknown, 5}}},
	}
	for name, window := range map[string][2]time.Duration{
		"before the first": {-time.Hour, -time.Minute}, "after the last": {time.Hour, 2 * time.Hour},
		"too short": {1100 * time.Millisecond, 1900 * time.Millisecond}, "none": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Summarise(member, start.Add(window[0]), start.Add(window[1]))
			if got.Operations.Mean != 0 || got.CPUMillis != unknown || got.Checkpoints != unknown || got.Evictions != unknown {
				t.Errorf("summary is %+v, want nothing known", got)
			}
		})
	}
}
