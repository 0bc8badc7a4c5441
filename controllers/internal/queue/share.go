package queue

// next is the first, in the order of all lines, for which there is a place: nil when there is none. Only the first of a
// line is asked, whatever those behind it allow themselves: so each comes first at some time.
func (q *Queue) next() *entry {
	var next *entry
	for _, g := range q.groups {
		if len(g.line) == 0 {
			continue
		}
		if first := g.line[0]; (next == nil || compare(first.run, next.run) < 0) && q.fits(first.run) && q.isNext(first.run) {
			next = first
		}
	}
	return next
}

// fits says whether there is a place for a run beside those that are admitted.
func (q *Queue) fits(run Run) bool {
	if run.Max == 0 && run.PoolMax == 0 && run.Lock == "" {
		return true
	}
	beside, foreign := 0, 0
	for _, g := range q.groups {
		for _, other := range g.admitted {
			switch {
			case locks(run, other.run):
				return false
			case foreigners(run, other.run):
				foreign++
			}
			if sameLine(run, other.run) {
				beside++
			}
		}
	}
	return (run.Max == 0 || beside < run.Max) && (run.PoolMax == 0 || foreign < run.PoolMax)
}

// isNext says whether no run that was created earlier, and is the first of another line, waits for the same place.
// Otherwise it might wait for ever, while later ones of other lines take turns.
func (q *Queue) isNext(run Run) bool {
	for _, g := range q.groups {
		if len(g.line) == 0 || g.name == run.Group {
			continue
		}
		if other := g.line[0].run; compare(other, run) < 0 && competes(other, run) {
			return false
		}
	}
	return true
}

// competes says whether one run may have to wait for another.
func competes(a, b Run) bool {
	return locks(a, b) || sameLine(a, b) && (a.Max > 0 || b.Max > 0) ||
		foreigners(a, b) && (a.PoolMax > 0 || b.PoolMax > 0)
}

// locks says whether two runs want the same thing, and one of them for itself.
func locks(a, b Run) bool { return a.Lock != "" && a.Lock == b.Lock && (!a.Shares || !b.Shares) }

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
