package result_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// pinged is what one pod found of a server: its clock is ahead of the server's, and by the server's it began so much
// after noon.
func pinged(member string, median, ahead int64, began time.Duration) reportv1.Ping {
	at := noon.Add(began)
	return reportv1.Ping{
		Member: member, Pods: 1, Exchanges: 100, MinMicros: median / 2, NearestMicros: median, MedianMicros: median,
		P99Micros: 4 * median,
		Clock: &reportv1.Clock{
			LeastAheadMicros: ahead, MostAheadMicros: ahead, UncertaintyMicros: 200, FirstStart: at, LastStart: at,
		},
	}
}

func TestPingsOfPodsAreMergedByTheServer(t *testing.T) {
	t.Parallel()
	one, two := podReport(t, 100), podReport(t, 200)
	one.Steps[1].Pings = []reportv1.Ping{pinged("b:1", 100, 0, time.Second), pinged("a:1", 300, 5, 0)}
	silent := pinged("b:1", 900, 0, 0)
	silent.Clock = nil
	two.Steps[1].Pings = []reportv1.Ping{pinged("a:1", 200, -7, time.Millisecond), silent}
	merged, err := result.Merge([]reportv1.Report{one, two})
	if err != nil {
		t.Fatal(err)
	}
	want := []reportv1.Ping{
		{
			Member: "a:1", Pods: 2, Exchanges: 200, MinMicros: 100, NearestMicros: 200, MedianMicros: 300, P99Micros: 1200,
			Clock: &reportv1.Clock{
				LeastAheadMicros: -7, MostAheadMicros: 5, UncertaintyMicros: 200,
				FirstStart: noon, LastStart: noon.Add(time.Millisecond),
			},
		},
		{Member: "b:1", Pods: 2, Exchanges: 200, MinMicros: 50, NearestMicros: 100, MedianMicros: 900, P99Micros: 3600},
	}
	if diff := cmp.Diff(want, merged.Steps[1].Pings); diff != "" {
		t.Errorf("pings (-want +got):\n%s", diff)
	}
}

// TestAClockThatIsWrongHidesNoSkew: of two pods that each began on time by its own clock, one has a clock that is three
// seconds behind.
func TestAClockThatIsWrongHidesNoSkew(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		behind time.Duration
		want   string
	}{
		"clocks agree":   {behind: 30 * time.Millisecond},
		"one is behind":  {behind: 3 * time.Second, want: "began it 3s apart by the clock of a:1"},
		"a little apart": {behind: 60 * time.Millisecond, want: "60ms apart"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := podReport(t, 100), podReport(t, 200)
			one.Steps[1].Pings = []reportv1.Ping{pinged("a:1", 100, 0, 0)}
			two.Steps[1].Pings = []reportv1.Ping{pinged("a:1", 100, -tc.behind.Microseconds(), tc.behind)}
			merged, err := result.Merge([]reportv1.Report{one, two})
			if err != nil {
				t.Fatal(err)
			}
			found := doubtOf(t, merged, benchv1alpha1.ReasonStartSkew)
			if tc.want == "" && found != "" || !strings.Contains(found, tc.want) {
				t.Errorf("doubt %q, want %q", found, tc.want)
			}
		})
	}
}

// doubtOf is the message of a report's doubt for this reason; empty when there is none.
func doubtOf(t *testing.T, report reportv1.Report, reason string) string {
	t.Helper()
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, doubt := range doubts {
		if doubt.Reason == reason {
			return doubt.Message
		}
	}
	return ""
}

func TestAClockThatIsSetWhileAStepGoesOnIsDoubted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pods [2]int64
		want string
	}{
		"never":           {[2]int64{0, 0}, ""},
		"of one pod":      {[2]int64{0, 3_000_000}, `step "mixed": while it went on, the wall clock of a load pod's machine was set forward by 3s`},
		"of both, by far": {[2]int64{-7_200_000_000, 15_000}, "set back by 2h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := podReport(t, 100), podReport(t, 200)
			one.Steps[1].ClockStepMicros, two.Steps[1].ClockStepMicros = tc.pods[0], tc.pods[1]
			merged, err := result.Merge([]reportv1.Report{one, two})
			if err != nil {
				t.Fatal(err)
			}
			got := doubtOf(t, merged, benchv1alpha1.ReasonClockStepped)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
