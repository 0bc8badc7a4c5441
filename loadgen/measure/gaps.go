package measure

import (
	"math"
	"slices"
	"sync"
	"time"
)

const (
	// gapResolution is how close two successes of a worker are that it tells of together: each takes the lock that
	// often at most. A gap that is shorter may be missed; one that is longer is known to the last digit.
	gapResolution = time.Millisecond
	// maxGaps is how many gaps are kept. When there are more, the shorter half is forgotten: it could matter only if all
	// of the longer half were filled by successes that a worker tells of that much later.
	maxGaps = 8192
)

// Gaps are the times in which no operation of any worker succeeded. The workers tell of their successes in any order
// and as late as they like: what is kept is not the successes but what lies between them.
type Gaps struct {
	mutex sync.Mutex
	// open are the gaps in their order. The last has no end.
	open []gap
}

type gap struct {
	from, until time.Duration
}

func (g gap) length() time.Duration { return g.until - g.from }

func newGaps() *Gaps {
	return &Gaps{open: []gap{{from: 0, until: math.MaxInt64}}}
}

// cover takes away the time between two successes that are closer to one another than the resolution.
func (g *Gaps) cover(first, last time.Duration) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	begin, _ := slices.BinarySearchFunc(g.open, first, func(one gap, at time.Duration) int {
		if one.until > at {
			return 1
		}
		return -1
	})
	end := begin
	for end < len(g.open) && g.open[end].from < last {
		end++
	}
	if begin == end {
		return
	}
	left := gap{from: g.open[begin].from, until: first}
	right := gap{from: last, until: g.open[end-1].until}
	rest := make([]gap, 0, 2)
	for _, piece := range []gap{left, right} {
		if piece.length() >= gapResolution {
			rest = append(rest, piece)
		}
	}
	g.open = slices.Replace(g.open, begin, end, rest...)
	if len(g.open) > maxGaps {
		g.forget()
	}
}

// forget drops the shorter half.
func (g *Gaps) forget() {
	lengths := make([]time.Duration, len(g.open))
	for i, one := range g.open {
		lengths[i] = one.length()
	}
	slices.Sort(lengths)
	median := lengths[len(lengths)/2]
	last := g.open[len(g.open)-1]
	g.open = slices.DeleteFunc(g.open[:len(g.open)-1], func(one gap) bool { return one.length() <= median })
	g.open = append(g.open, last)
}

// Longest is the longest time between two instants of the measure window without a success. It is known once the
// workers have ended and Settle was called.
func (g *Gaps) Longest(from, until time.Duration) time.Duration {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	var longest time.Duration
	for _, one := range g.open {
		longest = max(longest, min(one.until, until)-max(one.from, from))
	}
	return longest
}

// Watch begins to look for gaps; those that were looked for before are complete but for what Settle brings. As long as
// no gaps are watched, recording costs one more look at a pointer.
func (r *Recording) Watch() *Gaps { return Recordings{r}.Watch() }

// Settle adds what the recorders have not told of yet. It is called after the last worker has ended.
func (r *Recording) Settle() {
	for _, recorder := range r.recorders {
		recorder.tell()
	}
}

// succeed notes a success for those who look for gaps.
func (r *Recorder) succeed(gaps *Gaps, at time.Duration) {
	if gaps == r.gaps && at-r.first < gapResolution {
		r.last = at
		return
	}
	r.tell()
	r.gaps, r.first, r.last = gaps, at, at
}

// tell hands in the successes that were noted.
func (r *Recorder) tell() {
	if r.gaps != nil {
		r.gaps.cover(r.first, r.last)
		r.gaps = nil
	}
}
