package queue

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// turns remembers when each namespace last had its turn on which nodes, in the time of the queue: the latest that it
// has heard of, and a nanosecond more for each turn. So the order is the same on every clock. It is not safe for
// concurrent use.
type turns struct {
	now  time.Time
	last []turn
}

type turn struct {
	namespace string
	pool      map[string]string
	at        time.Time
}

// remembered is how many turns are kept, of the namespaces and nodes that had them last. One that is dropped matters
// only to runs that were created before it and wait still.
const remembered = 500

// hear takes in what a version of a run says of times.
func (t *turns) hear(run Run) {
	t.now = later(t.now, later(run.Created, run.Since))
	if !run.Since.IsZero() {
		t.note(run, run.Since)
	}
}

// take gives a namespace its turn now.
func (t *turns) take(run Run) {
	t.now = t.now.Add(1)
	t.note(run, t.now)
}

func (t *turns) note(run Run, at time.Time) {
	known := slices.IndexFunc(t.last, func(had turn) bool {
		return had.namespace == run.Name.Namespace && maps.Equal(had.pool, run.Pool)
	})
	if known >= 0 {
		t.last[known].at = later(t.last[known].at, at)
		return
	}
	t.last = append(t.last, turn{run.Name.Namespace, run.Pool, at})
	if len(t.last) > remembered {
		oldest := slices.MinFunc(t.last, func(a, b turn) int { return a.at.Compare(b.at) })
		t.last = slices.DeleteFunc(t.last, func(had turn) bool { return had.at.Equal(oldest.at) })
	}
}

// of is when the namespace of a run last had its turn on nodes that the run may use; zero is never.
func (t *turns) of(run Run) time.Time {
	var last time.Time
	for _, had := range t.last {
		if had.namespace == run.Name.Namespace && Overlap(had.pool, run.Pool) {
			last = later(last, had.at)
		}
	}
	return last
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// before says whether the first of one line comes before the first of another: the one whose namespace waits for
// longer, without a turn, for nodes that it may use. It waits since it last had one, or since the run was created if
// that was later.
//
// So what was created later than somebody began to wait never comes before him, whatever namespaces, groups and nodes
// it is given: everybody's turn comes. And of two namespaces that both wait, each has a turn between two of the other.
func (l *line) before(other *line) bool {
	a, b := l.entries[0].run, other.entries[0].run
	return cmp.Or(
		later(l.had, a.Created).Compare(later(other.had, b.Created)),
		l.had.Compare(other.had),
		compare(a, b),
	) < 0
}
