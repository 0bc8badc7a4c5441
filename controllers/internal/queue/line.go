package queue

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// exact is how many of a line are told exactly where they are, and whom they wait for. An exact position for each of n
// runs would be n*n/2 writes until the line is empty.
const exact = 3

// step is by how much one number that is not exact differs from the next: "no more than 10, 100, 1000".
const step = 10

// Turn is the answer to one that asks whether it is its turn.
type Turn struct {
	// Admitted: it is.
	Admitted bool
	// AtOnce says of one that is admitted that nothing rests on its status: it is a target whose place is that of a run.
	AtOnce bool
	// Group that it waits or is admitted in.
	Group string
	// Ahead is the number of those of its namespace that wait before it. If it is not Exact there are no more than that.
	Ahead int
	Exact bool
	// Measured are the runs, and Deployed the targets, of the group that are admitted, in their order, and of the
	// namespace of the one that asks. Others says that other namespaces hold places of the group; who and how many is none
	// of its business, and would be news for everybody at each turn. Only when Ahead is exact.
	Measured []types.NamespacedName
	Deployed []types.NamespacedName
	Others   bool
}

// told is what makes one answer to a waiting run different from another.
type told struct {
	group string
	ahead int
	// changes counts those of the admitted of the namespace; 0 where these are not told of.
	changes int
	others  bool
}

// published rounds the number of those ahead to what is told: from exact on up to a power of ten.
func published(ahead int) int {
	if ahead < exact {
		return ahead
	}
	bound := step
	for bound < ahead {
		bound *= step
	}
	return bound
}

// marks are the places of a line at which a run that moves by one is told something new: those that are exact, and
// those on either side of a power of ten.
func marks(length int) []int {
	var places []int
	for i := 0; i <= exact && i < length; i++ {
		places = append(places, i)
	}
	for power := published(exact); power < length; power *= step {
		places = append(places, power)
		if power+1 < length {
			places = append(places, power+1)
		}
	}
	return places
}

// entry is a run or target that waits or is admitted.
type entry struct {
	run Run
	// admitted is true as soon as it takes a place, whatever its status says yet.
	admitted bool
	told     told
}

// group is the lines of all namespaces for the same places.
type group struct {
	name  string
	lines map[string]*line
	// held counts the places.
	held int
}

// line is those of a namespace that wait, and those who did. Both lists are in the order of creation: what happens to
// one entry costs a binary search and a move of pointers.
type line struct {
	entries  []*entry
	admitted []*entry
	// had is when the namespace had its last turn before the first of the line became the first. A turn that the
	// namespace has meanwhile counts for those who come after it, and not against it.
	had     time.Time
	changes int
}

func inOrder(e *entry, run Run) int { return compare(e.run, run) }

// first of those who wait; nil is none.
func (l *line) first() *entry {
	if len(l.entries) == 0 {
		return nil
	}
	return l.entries[0]
}

// began takes in when the namespace of the first of a line had its last turn.
func (l *line) began(turns *turns) {
	if first := l.first(); first != nil {
		l.had = turns.of(first.run)
	}
}

// listOf is the list that an entry belongs in.
func (l *line) listOf(e *entry) *[]*entry {
	if e.admitted {
		return &l.admitted
	}
	return &l.entries
}

// add puts an entry where it belongs, and drop takes it out.
func (g *group) add(e *entry, turns *turns) {
	namespace := e.run.Name.Namespace
	l := g.lines[namespace]
	if l == nil {
		l = &line{}
		g.lines[namespace] = l
	}
	g.change(l, e, turns, func(list []*entry) []*entry {
		at, _ := slices.BinarySearchFunc(list, e.run, inOrder)
		return slices.Insert(list, at, e)
	})
}

func (g *group) drop(e *entry, turns *turns) {
	namespace := e.run.Name.Namespace
	l := g.lines[namespace]
	g.change(l, e, turns, func(list []*entry) []*entry {
		at, found := slices.BinarySearchFunc(list, e.run, inOrder)
		if !found {
			return list
		}
		return slices.Delete(list, at, at+1)
	})
	if len(l.entries)+len(l.admitted) == 0 {
		delete(g.lines, namespace)
	}
}

// change changes the list that an entry belongs in.
func (g *group) change(l *line, e *entry, turns *turns, to func([]*entry) []*entry) {
	list, first := l.listOf(e), l.first()
	before := len(*list)
	*list = to(*list)
	if e.admitted {
		l.changes++
		g.held += len(*list) - before
	}
	if l.first() != first {
		l.began(turns)
	}
}

// tell is what a waiting entry at a place of a line is told.
func (g *group) tell(l *line, place int) told {
	now := told{group: g.name, ahead: published(place)}
	if place < exact {
		now.changes, now.others = l.changes+1, g.held > len(l.admitted)
	}
	return now
}

// turn is the answer to an entry.
func (g *group) turn(e *entry) Turn {
	if e.admitted {
		return Turn{Admitted: true, Group: g.name}
	}
	l := g.lines[e.run.Name.Namespace]
	place, _ := slices.BinarySearchFunc(l.entries, e.run, inOrder)
	e.told = g.tell(l, place)
	turn := Turn{Group: g.name, Ahead: e.told.ahead, Exact: place < exact, Others: e.told.others}
	if turn.Exact {
		turn.Measured, turn.Deployed = l.holders(KindRun), l.holders(KindTarget)
	}
	return turn
}

// holders are the names of those of a kind that are admitted.
func (l *line) holders(kind Kind) []types.NamespacedName {
	var names []types.NamespacedName
	for _, e := range l.admitted {
		if e.run.Kind == kind {
			names = append(names, e.run.Name)
		}
	}
	return names
}
