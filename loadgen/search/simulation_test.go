package search_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/search"
)

var searches = flag.Int("searches", 100, "searches of each server; docs/design/002 has those of 1000")

// queue is a server with places, each of which serves one operation at a time in the order in which they come.
type queue struct {
	places int
	// mean service time in seconds, which is exponentially distributed unless it is constant.
	mean     float64
	constant bool
	// Now and then it stands still: so often, in seconds on average, for so long.
	stallEvery, stallFor float64
	// disturbed is the share of trials throughout which all takes half as long again.
	disturbed float64
	// blamed says that it is the load generator that is disturbed, which a trial that fails then says.
	blamed bool
	// burst disturbs as many trials in a row, after as many that it does not.
	burst int
	// threads is the highest rate that there are threads for; 0: any.
	threads float64
	// shared says that several load pods make the trials, each of which takes the time that a rate has to hold.
	shared bool
}

// serve has operations arrive, until seen, which is told when each was due and its response time, has seen enough.
func (q queue) serve(
	random *rand.Rand, rate float64, process benchv1alpha1.ArrivalProcess, seen func(due, took float64) bool,
) {
	free := make([]float64, q.places)
	stall := math.Inf(1)
	if q.stallEvery > 0 {
		stall = random.ExpFloat64() * q.stallEvery
	}
	for due := 0.0; ; {
		gap := 1.0
		if process == benchv1alpha1.ArrivalPoisson {
			gap = random.ExpFloat64()
		}
		due += gap / rate
		for ; stall < due; stall += q.stallFor + random.ExpFloat64()*q.stallEvery {
			for i := range free {
				free[i] = max(free[i], stall) + q.stallFor
			}
		}
		first := slices.Index(free, slices.Min(free))
		took := q.mean
		if !q.constant {
			took *= random.ExpFloat64()
		}
		free[first] = max(due, free[first]) + took
		if !seen(due, free[first]-due) {
			return
		}
	}
}

// limit is the highest rate that keeps an objective of which this share may be slow, found by brute force.
func (q queue) limit(planned planv1.Search, allowed float64) float64 {
	const operations = 1_000_000
	low, high := float64(planned.Lowest), float64(planned.Highest)
	for high/low > 1.004 {
		middle := math.Sqrt(low * high)
		var count, slow float64
		q.serve(rand.New(rand.NewPCG(5, 6)), middle, planned.Process, func(_, took float64) bool {
			if count++; took > float64(planned.LimitMicros)/1e6 {
				slow++
			}
			return count < operations && slow <= operations*allowed
		})
		if slow <= operations*allowed {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// disturb makes the server slower, if it is to be so in a trial, and says what a trial that fails then is limited by.
func (q *queue) disturb(random *rand.Rand, rate float64) string {
	disturbed := random.Float64() < q.disturbed
	if disturbed {
		q.mean *= 1.5
	}
	switch {
	case q.threads > 0 && rate > q.threads:
		q.mean *= rate // Nothing is in time.
		return reportv1.LimitedByThreads
	case disturbed && q.blamed:
		return reportv1.LimitedByGenerator
	default:
		return reportv1.LimitedByTarget
	}
}

// trial is what an attempt shows. Like that of the engine it is judged period by period.
func (q queue) trial(random *rand.Rand, planned planv1.Search, attempt search.Attempt, confirmation time.Duration) (
	reportv1.Trial, float64, time.Duration,
) {
	const settling, overhead, periods = 1.0, 2 * time.Second, 20
	limitedBy := q.disturb(random, float64(attempt.Rate))
	least, longest := planned.LeastTrial().Seconds(), planned.LongestTrial().Seconds()
	switch {
	case attempt.Confirmation:
		least, longest = confirmation.Seconds(), confirmation.Seconds()
	case q.shared:
		longest = least
	}
	evidence := search.NewEvidence(planned)
	length, limit := 0.0, float64(planned.LimitMicros)/1e6
	var due, slow int64
	q.serve(random, float64(attempt.Rate), planned.Process, func(at, took float64) bool {
		for at -= settling; at >= length+least/periods; {
			length += least / periods
			evidence.Add(due, slow)
			due, slow = 0, 0
			if length > longest-least/periods/2 || q.clear(evidence, length > least*0.99) {
				return false
			}
		}
		if at >= 0 {
			due++
		}
		if at >= 0 && took > limit {
			slow++
		}
		return true
	})
	trial := reportv1.Trial{Rate: attempt.Rate, Confirmation: attempt.Confirmation, Kept: evidence.Log() > 0}
	if !trial.Kept {
		trial.LimitedBy = limitedBy
	}
	trial.OddsToOne = search.OddsToOne(evidence.Log())
	took := time.Duration(length*float64(time.Second)) + overhead
	if q.shared {
		took += overhead
	}
	return trial, evidence.Log(), took
}

// clear says whether a trial ends before its time, once its rate has held for long enough or has not.
func (q queue) clear(evidence *search.Evidence, held bool) bool {
	return !q.shared && (evidence.Failed() || held && evidence.Kept())
}

// find is a whole search.
func (q queue) find(t *testing.T, planned planv1.Search, seed uint64) reportv1.Search {
	t.Helper()
	const confirmation = time.Minute
	random := rand.New(rand.NewPCG(seed, 77))
	s, err := search.New(planned, confirmation)
	if err != nil {
		t.Fatal(err)
	}
	for trial := 0; ; trial++ {
		attempt, more := s.Next()
		if !more {
			return s.Result()
		}
		now := q
		if trial >= q.burst && trial < 2*q.burst {
			now.disturbed = 1
		}
		s.Add(now.trial(random, planned, attempt, confirmation))
	}
}

// TestSimulatedSearches has servers searched whose limit is known: it must be found within a tenth, with the confidence
// that a search states, unless the search says that its time was over.
func TestSimulatedSearches(t *testing.T) {
	poisson := benchv1alpha1.ArrivalPoisson
	for name, tc := range map[string]struct {
		server queue
		search planv1.Search
	}{
		"four places, exponential": {
			queue{places: 4, mean: 0.016}, planv1.Search{PercentileMillis: 99_000, LimitMicros: 100_000, Process: poisson},
		},
		"four places, constant": {
			queue{places: 4, mean: 0.016, constant: true},
			planv1.Search{PercentileMillis: 99_000, LimitMicros: 80_000, Process: poisson},
		},
		"four places, evenly spaced arrivals": {
			queue{places: 4, mean: 0.016, constant: true},
			planv1.Search{PercentileMillis: 99_000, LimitMicros: 80_000, Process: benchv1alpha1.ArrivalConstant},
		},
		"one place, the median": {
			queue{places: 1, mean: 0.004}, planv1.Search{PercentileMillis: 50_000, LimitMicros: 20_000, Process: poisson},
		},
		"one place, a limit of many service times": {
			queue{places: 1, mean: 0.004}, planv1.Search{PercentileMillis: 95_000, LimitMicros: 200_000, Process: poisson},
		},
		"short stalls": {
			queue{places: 4, mean: 0.016, constant: true, stallEvery: 3, stallFor: 0.05},
			planv1.Search{PercentileMillis: 99_000, LimitMicros: 80_000, Process: poisson},
		},
		"a tenth of all trials is disturbed": {
			queue{places: 4, mean: 0.016, constant: true, disturbed: 0.1},
			planv1.Search{PercentileMillis: 99_000, LimitMicros: 80_000, Process: poisson},
		},
	} {
		for how, shared := range map[string]bool{"one pod": false, "several pods": true} {
			t.Run(name+", by "+how, func(t *testing.T) {
				t.Parallel()
				tc.server.shared = shared
				tc.server.check(t, tc.search)
			})
		}
	}
}

// check searches the server again and again, and compares what is found with its limit.
func (q queue) check(t *testing.T, planned planv1.Search) {
	t.Helper()
	planned.Lowest, planned.Highest, planned.TrialSeconds, planned.TolerancePercent = 10, 10_000, 10, 5
	planned.MaxSeconds = 80*10 + 4*60
	undisturbed := q
	undisturbed.disturbed = 0
	truth := undisturbed.limit(planned, 1-float64(planned.PercentileMillis)/100_000)
	found := make([]float64, 0, *searches)
	wrong, unsure := 0, 0
	for seed := range uint64(*searches) {
		result := q.find(t, planned, seed)
		rate := float64(result.Found)
		found = append(found, rate/truth)
		switch {
		case result.LimitedBy != reportv1.LimitedByTarget:
			unsure++
		case rate > truth*1.1 || rate < truth/1.1:
			wrong++
		}
	}
	slices.Sort(found)
	n := len(found)
	t.Logf("limit %.0f/s; found, as parts of it: p5 %.3f, median %.3f, p95 %.3f; of %d searches %d were off by a tenth, "+
		"and %d not sure", truth, found[n/20], found[n/2], found[n-1-n/20], n, wrong, unsure)
	const allowed = 1 - search.ConfidencePercent/100.0
	most := allowed*float64(n) + 3*math.Sqrt(allowed*(1-allowed)*float64(n))
	if float64(wrong) > most {
		t.Errorf("%d of %d are off by more than a tenth, want at most %.0f", wrong, n, most)
	}
	if unsure > n/3 {
		t.Errorf("%d of %d were not sure when their time was over", unsure, n)
	}
}

// TestTrialsThatTheGeneratorFailedSayNothingOfTheTarget: a limit that is called the target's is the target's, however
// often the load generator is in the way; and where it always is, the limit is not known.
func TestTrialsThatTheGeneratorFailedSayNothingOfTheTarget(t *testing.T) {
	planned := planv1.Search{
		PercentileMillis: 99_000, LimitMicros: 80_000, Process: benchv1alpha1.ArrivalPoisson, Lowest: 10, Highest: 10_000,
		TrialSeconds: 10, TolerancePercent: 5, MaxSeconds: 80*10 + 4*60,
	}
	server := queue{places: 4, mean: 0.016, constant: true}
	truth := server.limit(planned, 0.01)
	for name, tc := range map[string]struct {
		disturbed, threads float64
		burst              int
		// hidden says that the target's limit cannot be seen.
		hidden bool
	}{
		"a tenth of all trials":                   {disturbed: 0.1},
		"a third of all trials":                   {disturbed: 0.33},
		"two thirds of all trials":                {disturbed: 0.67},
		"five trials in a row":                    {burst: 5},
		"ten trials in a row":                     {burst: 10},
		"all trials":                              {disturbed: 1, hidden: true},
		"too few threads":                         {threads: truth * 0.7, hidden: true},
		"too few threads, and half of all trials": {threads: truth * 0.7, disturbed: 0.5, hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := server
			of.disturbed, of.blamed, of.threads, of.burst = tc.disturbed, true, tc.threads, tc.burst
			known, wrong := of.known(t, planned, truth, tc.hidden)
			t.Logf("%s: of %d searches %d know the target's limit, and %d are wrong", name, *searches, known, wrong)
			if n := float64(*searches); float64(wrong) > 0.05*n+3*math.Sqrt(0.05*0.95*n) || tc.hidden && wrong > 0 {
				t.Errorf("%d of %d call the target's limit what is not, or miss it by more than a tenth", wrong, *searches)
			}
			if tc.disturbed <= 0.1 && !tc.hidden && known < *searches/2 {
				t.Errorf("only %d of %d know the target's limit", known, *searches)
			}
		})
	}
}

// known counts the searches that say where the target's limit is, and those that are wrong: because it is elsewhere, or
// cannot be seen.
func (q queue) known(t *testing.T, planned planv1.Search, truth float64, hidden bool) (known, wrong int) {
	t.Helper()
	for seed := range uint64(*searches) {
		found := q.find(t, planned, seed)
		rate, below := float64(found.Found), float64(found.Below)
		ends := found.LimitedBy == reportv1.LimitedByTarget || found.Below > 0
		if ends {
			known++
		}
		if rate > truth*1.1 || ends && (hidden || rate < truth/1.1 || below < truth/1.05) {
			wrong++
		}
	}
	return known, wrong
}
