package queue

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// entry is a run that waits or is admitted.
type entry struct {
	run Run
	// admitted is true as soon as it takes a place, whatever its status says yet.
	admitted bool
	told     told
}

// group is a line and those who were in it. Both lists are in the order of the line: what happens to one entry costs a
// binary search and a move of pointers.
type group struct {
	name     string
	line     []*entry
	admitted []*entry
	changes  int
}

func inOrder(e *entry, run Run) int { return compare(e.run, run) }

func insert(list []*entry, e *entry) []*entry {
	at, _ := slices.BinarySearchFunc(list, e.run, inOrder)
	return slices.Insert(list, at, e)
}

func remove(list []*entry, e *entry) []*entry {
	at, found := slices.BinarySearchFunc(list, e.run, inOrder)
	if !found {
		return list
	}
	return slices.Delete(list, at, at+1)
}

// add puts an entry where it belongs.
func (g *group) add(e *entry) {
	if e.admitted {
		g.admitted = insert(g.admitted, e)
		g.changes++
		return
	}
	g.line = insert(g.line, e)
}

// drop takes an entry out.
func (g *group) drop(e *entry) {
	if e.admitted {
		g.admitted = remove(g.admitted, e)
		g.changes++
		return
	}
	g.line = remove(g.line, e)
}

// next is the first of the line when there is a place for it. The others wait for it whatever they allow themselves: so
// each comes first at some time.
func (g *group) next() *entry {
	if len(g.line) == 0 {
		return nil
	}
	first := g.line[0]
	if first.run.Max > 0 && len(g.admitted) >= first.run.Max {
		return nil
	}
	return first
}

// tell is what a waiting entry at a place is told.
func (g *group) tell(place int) told {
	now := told{group: g.name, ahead: published(place)}
	if place < exact {
		now.changes = g.changes + 1
	}
	return now
}

// turn is the answer to an entry.
func (g *group) turn(e *entry) Turn {
	if e.admitted {
		return Turn{Admitted: true, Group: g.name}
	}
	place, _ := slices.BinarySearchFunc(g.line, e.run, inOrder)
	e.told = g.tell(place)
	turn := Turn{Group: g.name, Ahead: e.told.ahead, Exact: place < exact}
	if turn.Exact {
		turn.Measured = make([]types.NamespacedName, 0, len(g.admitted))
		for _, other := range g.admitted {
			turn.Measured = append(turn.Measured, other.run.Name)
		}
	}
	return turn
}

// State is what a version of a run says of its place.
type State int

const (
	// Out is neither in the line nor admitted: suspended, cancelled, being deleted before its turn, or at its end.
	Out State = iota
	// Waiting is in the line.
	Waiting
	// Admitted holds a place, as its status says.
	Admitted
)

// Run is one version of a run, as far as the queue is concerned.
type Run struct {
	Name types.NamespacedName
	UID  types.UID
	// Version is the resource version. What an older one says than is known already is not heeded.
	Version string
	// Created and then the name are the order of the line.
	Created time.Time
	// Group is the line that the run waits in, in the words that people are told.
	Group string
	// Max is how many runs of the group may be admitted at once, this one among them. 0: no limit.
	Max   int
	State State
}

// compare is the order of a line.
func compare(a, b Run) int {
	return cmp.Or(
		a.Created.Compare(b.Created),
		cmp.Compare(a.Name.Namespace, b.Name.Namespace),
		cmp.Compare(a.Name.Name, b.Name.Name),
	)
}

// newer says whether a is a later version than b. Versions that cannot be compared count as the later one.
func newer(a, b Run) bool {
	order, err := resourceversion.CompareResourceVersion(a.Version, b.Version)
	return err != nil || order > 0
}

// older says whether a is an earlier version than b.
func older(a, b Run) bool {
	order, err := resourceversion.CompareResourceVersion(a.Version, b.Version)
	return err == nil && order < 0
}
