package censored_test

import (
	"math"
	"math/rand/v2"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/censored"
)

// histogram counts each time as often as it says.
func histogram(t *testing.T, times map[int64]int64) *hdrhistogram.Histogram {
	t.Helper()
	made := reportv1.NewHistogram()
	for time, count := range times {
		if err := made.RecordValues(time, count); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

func TestWhatFailsCountsAtNoLessThanItsDuration(t *testing.T) {
	for name, tc := range map[string]struct {
		answered, failed map[int64]int64
		want             map[float64]int64
	}{
		"timeouts are the slowest requests": {
			answered: map[int64]int64{1000: 9900, 2000: 20}, failed: map[int64]int64{1_000_000: 80},
			want: map[float64]int64{50: 1000, 99: 1000, 99.2: 2000, 99.3: 1_000_000, 99.9: 1_000_000},
		},
		"failing at once does not make requests look faster": {
			answered: map[int64]int64{1000: 500, 9000: 500}, failed: map[int64]int64{10: 9000},
			want: map[float64]int64{1: 1000, 49: 1000, 51: 9000, 99.9: 9000},
		},
		"what failed in between would have taken as long as what took longer": {
			// Of the four that took more than 100 one failed at 150: its share goes to the three others.
			answered: map[int64]int64{100: 4, 200: 1, 300: 1, 400: 1}, failed: map[int64]int64{150: 1},
			want: map[float64]int64{50: 100, 60: 200, 75: 300, 100: 400},
		},
		"nothing was answered": {
			failed: map[int64]int64{500: 3}, want: map[float64]int64{50: 500, 100: 500},
		},
		"nothing failed": {
			answered: map[int64]int64{500: 3}, want: map[float64]int64{50: 500, 100: 500},
		},
	} {
		t.Run(name, func(t *testing.T) {
			answered, failed := histogram(t, tc.answered), histogram(t, tc.failed)
			all := censored.Latency(answered, failed)
			if want := answered.TotalCount() + failed.TotalCount(); all.TotalCount() != want {
				t.Errorf("%d requests, want %d", all.TotalCount(), want)
			}
			for percent, want := range tc.want {
				if got := all.ValueAtQuantile(percent); !all.ValuesAreEquivalent(got, want) {
					t.Errorf("p%g is %d, want %d", percent, got, want)
				}
			}
		})
	}
}

// TestNoPercentileIsLowerThanEitherSimpleOne compares the estimate with the answers alone, and with all durations
// together, for random requests.
func TestNoPercentileIsLowerThanEitherSimpleOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		answered, failed := reportv1.NewHistogram(), reportv1.NewHistogram()
		fill := func(histogram *hdrhistogram.Histogram, count int) {
			for range count {
				_ = histogram.RecordValue(int64(100 * math.Exp(3*random.NormFloat64())))
			}
		}
		fill(answered, 1+random.IntN(300))
		fill(failed, random.IntN(300))
		all, together := censored.Latency(answered, failed), reportv1.NewHistogram()
		together.Merge(answered)
		together.Merge(failed)
		if all.TotalCount() != together.TotalCount() || all.Max() < together.Max()/1000*999 {
			t.Fatalf("round %d: %d requests up to %d, want %d up to %d", round, all.TotalCount(), all.Max(),
				together.TotalCount(), together.Max())
		}
		for _, percent := range []float64{10, 50, 95, 99, 99.9} {
			got := all.ValueAtQuantile(percent)
			least := max(answered.ValueAtQuantile(percent), together.ValueAtQuantile(percent))
			if got >= least {
				continue
			}
			// Shares are rounded to whole requests: the rank may be one less.
			one := 100 / float64(all.TotalCount())
			if all.ValueAtQuantile(min(percent+one, 100)) < least {
				t.Errorf("round %d: p%g is %d, and %d of the answers alone or all durations", round, percent, got, least)
			}
		}
	}
}

// TestItIsTheEstimateOfKaplanAndMeier compares with the product formula, at every time of an answer.
func TestItIsTheEstimateOfKaplanAndMeier(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const requests = 100_000
	answered, failed := reportv1.NewHistogram(), reportv1.NewHistogram()
	answers, failures := map[int64]int64{}, map[int64]int64{}
	for range requests {
		time := random.Int64N(1000)
		if random.IntN(4) == 0 {
			failures[time]++
			_ = failed.RecordValue(time)
		} else {
			answers[time]++
			_ = answered.RecordValue(time)
		}
	}
	all := censored.Latency(answered, failed)
	survival, left := 1.0, int64(requests)
	var below int64
	counts := map[int64]int64{}
	for _, bar := range all.Distribution() {
		counts[bar.From] += bar.Count
	}
	for time := range int64(1000) {
		survival *= 1 - float64(answers[time])/float64(left)
		left -= answers[time] + failures[time]
		below += counts[time]
		if left == 0 {
			continue
		}
		if got := 1 - float64(below)/requests; math.Abs(got-survival) > 1.0/requests {
			t.Fatalf("%g took longer than %d, and Kaplan and Meier say %g", got, time, survival)
		}
	}
}
