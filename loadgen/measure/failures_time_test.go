package measure_test

import (
	"errors"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// TestTheSearchedPercentileIsOfTimeoutsToo has one request in fifty time out, and as many fail at once.
func TestTheSearchedPercentileIsOfTimeoutsToo(t *testing.T) {
	for name, open := range map[string]bool{"closed loop": false, "open loop": true} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(mixOfTwo, open, time.Minute)
			recorder := recording.Recorder()
			for i := range 1000 {
				sample := measure.Sample{Service: time.Millisecond, Response: time.Millisecond}
				switch i % 50 {
				case 7:
					sample.Service, sample.Response = time.Second, time.Second
					recorder.Failure(0, sample, reportv1.ClassTimeout, errors.New("slow"))
				case 8:
					sample.Service, sample.Response = time.Microsecond, time.Microsecond
					recorder.Failure(0, sample, "server", errors.New("no"))
				default:
					recorder.Success(0, sample)
				}
			}
			p50, p99 := recording.Percentile(50_000), recording.Percentile(99_000)
			if p50 < 990 || p50 > 1010 || p99 < 990_000 {
				t.Errorf("p50 is %d µs and p99 %d µs, want 1,000 and 1,000,000", p50, p99)
			}
		})
	}
}
