package observe

import (
	"maps"
	"math"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// millisPerSecond is for clocks in milliseconds.
const millisPerSecond = 1000

// recording keeps the samples of one server, one a slot: slot n is the time n × interval after the start. When it has
// reached its limit the interval doubles, so that its memory is bounded however long a run is.
type recording struct {
	interval time.Duration
	// limit is odd, so that the last slot is one that stays when the interval doubles.
	limit int
	// samples by slot; nil is one that was missed.
	samples []*sample
	missed  int64
}

// due is when the sample of the next slot is to be taken, counted from the start.
func (r *recording) due() time.Duration {
	return time.Duration(len(r.samples)) * r.interval
}

// put takes the sample of the next slot, or nil when there is none.
func (r *recording) put(s *sample) {
	if s == nil {
		r.missed++
	}
	r.samples = append(r.samples, s)
	if len(r.samples) >= r.limit {
		r.halve()
	}
}

// skip leaves out the slots that have passed already at this time.
func (r *recording) skip(elapsed time.Duration) {
	for r.due()+r.interval <= elapsed {
		r.put(nil)
	}
}

// halve doubles the interval: a slot takes in the one before it.
func (r *recording) halve() {
	kept := r.samples[:0:0]
	for slot := 0; slot < len(r.samples); slot += 2 {
		s := r.samples[slot]
		if slot > 0 {
			s = fold(r.samples[slot-1], s)
		}
		kept = append(kept, s)
	}
	r.samples = kept
	r.interval *= 2
}

// fold makes one sample of two that follow each other. Counters are those of the later one, since their difference is
// taken afterwards; levels the larger ones, so that a spike does not go under.
func fold(earlier, later *sample) *sample {
	if later == nil {
		return earlier
	}
	if earlier == nil {
		return later
	}
	for i, f := range figures {
		if !f.counter() {
			later.values[i] = max(later.values[i], earlier.values[i])
		}
	}
	for name, lag := range earlier.lags {
		if later.lags != nil {
			later.lags[name] = max(later.lags[name], lag)
		}
	}
	return later
}

// series are the figures over time. Those that the server never told are left out.
func (r *recording) series() []reportv1.Series {
	var all []reportv1.Series
	for i, f := range figures {
		values := r.values(i)
		if slices.ContainsFunc(values, func(value int64) bool { return value != unknown }) {
			all = append(all, reportv1.Series{Name: f.name, Unit: f.unit, Values: values})
		}
	}
	all = append(all, r.diskSeries()...)
	for _, shard := range r.shards() {
		all = append(all, reportv1.Series{Name: chunksPrefix + shard, Unit: "count", Values: r.chunks(shard)})
	}
	return all
}

// values of a figure by slot.
func (r *recording) values(place int) []int64 {
	values := make([]int64, len(r.samples))
	var before *sample
	for slot, s := range r.samples {
		values[slot] = unknown
		if s == nil {
			continue
		}
		if figures[place].counter() {
			values[slot] = figures[place].increase(place, before, s)
		} else {
			values[slot] = s.values[place]
		}
		before = s
	}
	return values
}

// increase is what a counter grew by between two samples: in a second of the server's own clock, or divided by what the
// figure that it is per grew by. It is not known of the first sample, nor of the first after the server restarted.
func (f figure) increase(place int, before, now *sample) int64 {
	difference, ok := grown(place, before, now)
	if !ok {
		return unknown
	}
	if f.per != "" {
		per, ok := grown(places[f.per], before, now)
		if !ok || per == 0 {
			return unknown
		}
		return int64(math.Round(difference / per))
	}
	scale := float64(max(f.multiply, 1)) / float64(max(f.divide, 1))
	return int64(math.Round(difference * scale * millisPerSecond / float64(now.uptime-before.uptime)))
}

// grown is the difference of a counter between two samples of the same life of a server.
func grown(place int, before, now *sample) (difference float64, ok bool) {
	if before == nil || restarted(before, now) || before.values[place] == unknown || now.values[place] == unknown {
		return 0, false
	}
	difference = float64(now.values[place] - before.values[place])
	return difference, difference >= 0
}

// clockTolerance, in milliseconds, is by how much a server's clock may be set between two samples without being taken
// for a new start.
const clockTolerance = 1000

// restarted says whether a server was restarted between two samples, or whether its clock does not tell.
func restarted(before, now *sample) bool {
	if before.uptime == unknown || now.uptime <= before.uptime {
		return true
	}
	moved := now.started - before.started
	return moved > clockTolerance || moved < -clockTolerance
}

// shards that any sample names, in order.
func (r *recording) shards() []string {
	names := map[string]int64{}
	for _, s := range r.samples {
		if s != nil {
			maps.Copy(names, s.chunks)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (r *recording) chunks(shard string) []int64 {
	values := make([]int64, len(r.samples))
	for slot, s := range r.samples {
		values[slot] = unknown
		if s != nil && s.chunks != nil {
			values[slot] = s.chunks[shard]
		}
	}
	return values
}
