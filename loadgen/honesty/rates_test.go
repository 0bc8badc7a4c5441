package honesty

import (
	"fmt"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// TestRates: what the workers of a step recorded is scripted, so that every rate is known.
func TestRates(t *testing.T) {
	Check(t, Scenario{
		Item: "A3", Name: "one operation ends nine seconds after a window of ten",
		Truth: "1,000 reads a second, by arithmetic",
		Run: func(t *testing.T) Told {
			return rated(t, 1000, 19*time.Second, func(reads, reports *measure.Recorder) {
				for i := range 10_000 {
					at := time.Duration(i) * time.Millisecond
					reads.Success(0, measure.Sample{At: at, Service: time.Millisecond})
				}
				reports.Success(1, measure.Sample{At: 19 * time.Second, Service: 10 * time.Second})
			})
		},
	})
	Check(t, Scenario{
		Item: "A3", Name: "operations that take a tenth of the window, after a warm-up",
		Truth: "10 reads a second: ten workers, a second each, by arithmetic",
		Run: func(t *testing.T) Told {
			return rated(t, 10, 10*time.Second+500*time.Millisecond, func(reads, _ *measure.Recorder) {
				for second := range 11 {
					at := time.Duration(second)*time.Second + 500*time.Millisecond
					for range 10 {
						if second == 0 {
							reads.CarriedOver(0, at)
						} else {
							reads.Success(0, measure.Sample{At: at, Service: time.Second})
						}
					}
				}
			})
		},
	})
}

// rated is what is reported of a window of ten seconds whose last reply came then, beside the reads per second that are
// true.
func rated(t *testing.T, truth int64, last time.Duration, record func(reads, reports *measure.Recorder)) Told {
	t.Helper()
	const window = 10 * time.Second
	recording := measure.NewRecording([]reportv1.Operation{{Name: "read"}, {Name: "report"}}, false, window)
	record(recording.Recorder(), recording.Recorder())
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1_000_000, 0)
	report := reportv1.Report{Version: reportv1.Version, Steps: []reportv1.Step{{
		Name: "step", Kind: reportv1.KindMeasure, Start: start, IntendedStart: start, MeasureStart: start,
		End: start.Add(last), WindowMillis: window.Milliseconds(), OverrunMicros: (last - window).Microseconds(),
		IntervalMillis: recording.IntervalMillis(), Operations: operations,
	}}}
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	rate := summary.Steps[0].Operations[0].OperationsPerSecond
	return Told{
		Reported: fmt.Sprintf("%d reads per second", rate), Wrong: rate*100 < truth*99 || rate*100 > truth*101,
		Doubts: doubts,
	}
}
