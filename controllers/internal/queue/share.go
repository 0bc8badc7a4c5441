package queue

import (
	"iter"
	"slices"
)

// next is the first, in the order of all lines, for which there is a place: nil when there is none. Only the first of a
// line is asked, whatever those behind it allow themselves: so each comes first at some time.
func (q *Queue) next() *entry {
	var next *line
	for _, g := range q.groups {
		for _, l := range g.lines {
			if l.first() == nil || next != nil && !l.before(next) {
				continue
			}
			if q.leads(l) && q.fits(l.first().run) && q.isNext(l) {
				next = l
			}
		}
	}
	if next == nil {
		return nil
	}
	return next.first()
}

// accompanying is a target that waits while a run of it is admitted, which waits for it: it has its place with that of
// the run. nil is none.
func (q *Queue) accompanying() *entry {
	for target := range q.users {
		if e := q.entries[target]; e != nil && !e.admitted {
			return e
		}
	}
	return nil
}

// behind are the lines of a namespace that come after the one of an entry that has its turn. To them it is a turn of
// their namespace; to one that comes first, and for which there is no place yet, it is not.
func (q *Queue) behind(e *entry) []*line {
	own := q.groups[e.run.Group].lines[e.run.Name.Namespace]
	var behind []*line
	for _, g := range q.groups {
		if l := g.lines[e.run.Name.Namespace]; l != nil && l.first() != nil && l != own && own.before(l) {
			behind = append(behind, l)
		}
	}
	return behind
}

// fits says whether there is a place for a run beside those that are admitted.
func (q *Queue) fits(run Run) bool {
	if run.Max == 0 && run.PoolMax == 0 && len(run.Locks) == 0 {
		return true
	}
	beside, foreign := 0, 0
	for _, g := range q.groups {
		for other := range g.holders() {
			if together(run, other) || q.accompanies(other) {
				continue
			}
			if locks(run, other) {
				return false
			}
			beside += one(sameLine(run, other))
			foreign += one(foreigners(run, other))
		}
	}
	return within(beside, run.Max) && within(foreign, run.PoolMax)
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// within says whether one more may be added where most are allowed; 0 is no limit.
func within(there, most int) bool { return most == 0 || there < most }

// holders are all of a group that are admitted.
func (g *group) holders() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for _, l := range g.lines {
			for _, e := range l.admitted {
				if !yield(e.run) {
					return
				}
			}
		}
	}
}

// accompanies says whether one that is admitted has its place with that of a run.
func (q *Queue) accompanies(run Run) bool {
	return run.Kind == KindTarget && q.users[run.key()] > 0
}

// leads says whether the first of a line comes before all of its own namespace that it competes with.
func (q *Queue) leads(l *line) bool {
	run := l.first().run
	for _, g := range q.groups {
		other := g.lines[run.Name.Namespace]
		if other == nil || other == l || other.first() == nil {
			continue
		}
		if compare(other.first().run, run) < 0 && competes(other.first().run, run) {
			return false
		}
	}
	return true
}

// isNext says whether none that comes earlier, and is the first of another line, waits for the same place. Otherwise it
// might wait for ever, while later ones of other lines take turns. One that has to wait for its own namespace is in
// nobody's way: so the order has no circles, and somebody is always next.
func (q *Queue) isNext(l *line) bool {
	run := l.first().run
	for _, g := range q.groups {
		for _, other := range g.lines {
			if other == l || other.first() == nil || !competes(other.first().run, run) {
				continue
			}
			if other.before(l) && q.leads(other) {
				return false
			}
		}
	}
	return true
}

// competes says whether one run may have to wait for another.
func competes(a, b Run) bool {
	if together(a, b) {
		return false
	}
	return locks(a, b) || sameLine(a, b) && (a.Max > 0 || b.Max > 0) ||
		foreigners(a, b) && (a.PoolMax > 0 || b.PoolMax > 0)
}

// together says whether one is a run, and the other the target that it refers to.
func together(a, b Run) bool {
	run, target := a, b
	if a.Kind == KindTarget {
		run, target = b, a
	}
	return a.Kind != b.Kind && slices.Contains(run.targets(), target.key())
}

// locks says whether two runs want the same thing, and one of them for itself.
func locks(a, b Run) bool {
	common := func(lock string) bool { return slices.Contains(b.Locks, lock) }
	return slices.ContainsFunc(a.Locks, common) && (!a.Shares || !b.Shares)
}

// sameLine says whether two runs are in one group, or in pools that are like one.
func sameLine(a, b Run) bool {
	return a.Group == b.Group || !a.Named && !b.Named && Overlap(a.Pool, b.Pool)
}

// foreigners says whether runs of different namespaces may use the same nodes.
func foreigners(a, b Run) bool {
	return a.Name.Namespace != b.Name.Namespace && Overlap(a.Pool, b.Pool)
}

// Overlap says whether a node may have the labels of both selectors: unless they want different values of one label,
// since which nodes there are now says nothing of those that come.
func Overlap(a, b map[string]string) bool {
	for key, value := range a {
		if other, wanted := b[key]; wanted && other != value {
			return false
		}
	}
	return true
}
