package queue

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Queue says whose turn it is. The zero value admits no run until it is seeded.
type Queue struct {
	mutex  sync.Mutex
	seeded bool
	runs   map[types.NamespacedName]*entry
	groups map[string]*group
	wake   func(run types.NamespacedName, admitted bool)
	// woken are those to be woken once the mutex is free.
	woken []*entry
}

// WakeWith has a function called for each run whose answer has changed: it is its turn, or it has moved. It must not
// block.
func (q *Queue) WakeWith(wake func(run types.NamespacedName, admitted bool)) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.wake = wake
}

// Seeded says whether the queue was told of every run.
func (q *Queue) Seeded() bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.seeded
}

// Seed tells of every run that there is, read past all caches, and lets the queue admit from then on. Those that are
// admitted hold their places before anybody else gets one.
func (q *Queue) Seed(runs []Run) {
	q.change(func() {
		for _, run := range runs {
			q.hear(run)
		}
		q.seeded = true
		q.admit()
	})
}

// Note tells of a version of a run: before the run asks, so that one that was created later and asks earlier does not
// get ahead of it.
func (q *Queue) Note(run Run) {
	q.change(func() { q.hear(run) })
}

// Ask tells of a version of a run, and answers it. A run that is neither waiting nor admitted gets no turn.
func (q *Queue) Ask(run Run) Turn {
	var turn Turn
	q.change(func() {
		q.hear(run)
		if e := q.runs[run.Name]; e != nil && run.State != Out {
			turn = q.groups[e.run.Group].turn(e)
		}
	})
	return turn
}

// Forget takes out a run that is gone.
func (q *Queue) Forget(name types.NamespacedName) {
	q.change(func() {
		if e := q.runs[name]; e != nil {
			q.leave(e)
		}
	})
}

// change does something to the queue, and wakes those whom it concerns.
func (q *Queue) change(do func()) {
	q.mutex.Lock()
	do()
	woken, wake := make(map[types.NamespacedName]bool, len(q.woken)), q.wake
	for _, e := range q.woken {
		woken[e.run.Name] = e.admitted
	}
	q.woken = nil
	q.mutex.Unlock()
	if wake == nil {
		return
	}
	for run, admitted := range woken {
		wake(run, admitted)
	}
}

// hear takes in what a version of a run says.
func (q *Queue) hear(run Run) {
	e := q.runs[run.Name]
	switch {
	case e == nil:
		q.join(run, run.State == Admitted)
	case older(run, e.run):
	case e.run.UID != run.UID: // The one that is known is gone, and another has its name.
		q.leave(e)
		q.join(run, run.State == Admitted)
	case run.State == Out:
		q.leave(e)
	default:
		q.update(e, run)
	}
}

// update takes in another version of a run that is known.
//
// A place that was assumed is given back only when a newer version shows that its status was never written: a write
// rests on the version that was seen before, so that none can follow. A place that a status told of is given back when
// the status says so.
func (q *Queue) update(e *entry, run Run) {
	admitted := e.admitted
	switch {
	case run.State == Admitted:
		admitted = true
	case e.run.State == Admitted && newer(run, e.run):
		admitted = false
	case e.run.Group != run.Group && newer(run, e.run):
		admitted = false
	}
	if admitted == e.admitted && e.run.Group == run.Group {
		e.run = run
		q.admit()
		return
	}
	q.leave(e)
	q.join(run, admitted)
}

// join adds a run to its group.
func (q *Queue) join(run Run, admitted bool) {
	if run.State == Out {
		return
	}
	if q.runs == nil {
		q.runs, q.groups = map[types.NamespacedName]*entry{}, map[string]*group{}
	}
	g := q.groups[run.Group]
	if g == nil {
		g = &group{name: run.Group}
		q.groups[run.Group] = g
	}
	e := &entry{run: run, admitted: admitted}
	q.runs[run.Name] = e
	g.add(e)
	q.moved(g)
	q.admit()
}

// leave takes an entry out of its group, which may let others in.
func (q *Queue) leave(e *entry) {
	g := q.groups[e.run.Group]
	delete(q.runs, e.run.Name)
	g.drop(e)
	if len(g.line)+len(g.admitted) == 0 {
		delete(q.groups, g.name)
	} else {
		q.moved(g)
	}
	q.admit()
}

// admit gives the places that are free to those whose turn it is, and wakes them.
func (q *Queue) admit() {
	if !q.seeded {
		return
	}
	for first := q.next(); first != nil; first = q.next() {
		g := q.groups[first.run.Group]
		g.drop(first)
		first.admitted = true
		g.add(first)
		q.woken = append(q.woken, first)
		q.moved(g)
	}
}

// moved wakes those who are to be told something new after a line moved by one, or those who are measured changed.
func (q *Queue) moved(g *group) {
	if !q.seeded {
		return
	}
	for _, place := range marks(len(g.line)) {
		e := g.line[place]
		if now := g.tell(place); e.told != now {
			e.told = now
			q.woken = append(q.woken, e)
		}
	}
}

// exact is how many runs of a line are told exactly where they are, and whom they wait for. An exact position for
// each of n runs would be n*n/2 writes until the line is empty.
const exact = 3

// step is by how much one number that is not exact differs from the next: "no more than 10, 100, 1000".
const step = 10

// Turn is the answer to a run that asks whether it is its turn.
type Turn struct {
	// Admitted: it is.
	Admitted bool
	// Group that it waits or is admitted in.
	Group string
	// Ahead is the number of runs that wait before it. If it is not Exact there are no more than that.
	Ahead int
	Exact bool
	// Measured are the runs of the group that are admitted, in their order, and of the namespace of the one that asks,
	// and Others is the number of those of other namespaces, which are none of its business; only when Ahead is exact.
	Measured []types.NamespacedName
	Others   int
}

// told is what makes one answer to a waiting run different from another.
type told struct {
	group string
	ahead int
	// changes counts those of the admitted runs of the group; 0 where these are not told of.
	changes int
}

// published rounds the number of runs ahead to what is told: from exact on up to a power of ten.
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

// listOf is the list that an entry belongs in.
func (g *group) listOf(e *entry) *[]*entry {
	if e.admitted {
		return &g.admitted
	}
	return &g.line
}

// add puts an entry where it belongs, and drop takes it out.
func (g *group) add(e *entry) {
	list := g.listOf(e)
	at, _ := slices.BinarySearchFunc(*list, e.run, inOrder)
	*list = slices.Insert(*list, at, e)
	g.changed(e)
}

func (g *group) drop(e *entry) {
	list := g.listOf(e)
	if at, found := slices.BinarySearchFunc(*list, e.run, inOrder); found {
		*list = slices.Delete(*list, at, at+1)
	}
	g.changed(e)
}

func (g *group) changed(e *entry) {
	if e.admitted {
		g.changes++
	}
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
			if other.run.Name.Namespace != e.run.Name.Namespace {
				turn.Others++
				continue
			}
			turn.Measured = append(turn.Measured, other.run.Name)
		}
	}
	return turn
}
