package exchange

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

const (
	// Count of exchanges with a server: the fewest that have a 99th percentile.
	Count = 100
	// Pause between two of them. They are to find the server idle, also when many pods ask it.
	Pause = 2 * time.Millisecond
	// Limit of the time that all of them take.
	Limit = 3 * time.Second
)

// Exchange is one question and its answer.
type Exchange struct {
	// Sent and Received are by the clock here.
	Sent, Received time.Time
	// Told is the server's clock while it answered, cut off to the unit in which it tells it; zero when it did not tell.
	Told time.Time
}

// Repeat asks again and again, as often as Count says or until Limit has passed, and returns the answers that came. The
// first answer is left out: it pays for the connection. An error is that of the last question when no answer came.
func Repeat(ctx context.Context, ask func(context.Context) (time.Time, error)) ([]Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	var all []Exchange
	var failed error
	for range Count + 1 {
		if len(all) > 0 || failed != nil {
			_ = alarm.Timer{}.Until(ctx, time.Now().Add(Pause)) // The next question finds the context ended.
		}
		made := Exchange{Sent: time.Now()}
		told, err := ask(ctx)
		made.Received, made.Told = time.Now(), told
		if ctx.Err() != nil {
			failed = errors.Join(failed, context.Cause(ctx))
			break
		}
		if err != nil {
			failed = err
			continue
		}
		all = append(all, made)
	}
	if len(all) < 2 {
		return nil, failed
	}
	return all[1:], nil
}

// Summarise says what exchanges with a server come to; grain is the unit in which it tells its time. There has to be
// one exchange at least.
func Summarise(member string, grain time.Duration, all []Exchange) reportv1.Ping {
	trips := make([]time.Duration, len(all))
	for i, made := range all {
		trips[i] = made.Received.Sub(made.Sent)
	}
	slices.Sort(trips)
	ping := reportv1.Ping{
		Member: member, Pods: 1, Exchanges: int64(len(all)),
		MinMicros: trips[0].Microseconds(), MedianMicros: trips[(len(trips)-1)/2].Microseconds(),
	}
	ping.NearestMicros = ping.MedianMicros
	if len(trips) >= Count {
		ping.P99Micros = trips[int(math.Ceil(0.99*float64(len(trips))))-1].Microseconds()
	}
	if ahead, uncertainty, known := Ahead(grain, all); known {
		ping.Clock = &reportv1.Clock{
			LeastAheadMicros: ahead.Microseconds(), MostAheadMicros: ahead.Microseconds(),
			UncertaintyMicros: uncertainty.Microseconds() + 1,
		}
	}
	return ping
}

// Ahead is by how much the clock here is ahead of the server's, and by how much that may be wrong at most. The server
// read its clock between Sent and Received, and what it told may be a grain less than what it read: each exchange
// bounds the difference from both sides, and all of them bound it more closely. It is not known when the bounds
// contradict each other, as after a clock was set.
func Ahead(grain time.Duration, all []Exchange) (ahead, uncertainty time.Duration, known bool) {
	least, most := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for _, made := range all {
		if made.Told.IsZero() {
			continue
		}
		known = true
		// Without the monotonic reading: the two clocks are compared as they stand.
		least = max(least, made.Sent.Round(0).Sub(made.Told.Add(grain)))
		most = min(most, made.Received.Round(0).Sub(made.Told))
	}
	if !known || least > most {
		return 0, 0, false
	}
	uncertainty = (most - least) / 2
	return least + uncertainty, uncertainty, true
}

// Began puts a pod's start of a step beside what it found before: when that was by the servers' clocks.
func Began(pings []reportv1.Ping, start time.Time) {
	for _, ping := range pings {
		if ping.Clock == nil {
			continue
		}
		at := start.Round(0).Add(-time.Duration(ping.Clock.LeastAheadMicros) * time.Microsecond)
		ping.Clock.FirstStart, ping.Clock.LastStart = at, at
	}
}
