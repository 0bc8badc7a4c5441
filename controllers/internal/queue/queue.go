package queue

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Queue says whose turn it is. The zero value admits nobody until it is seeded.
type Queue struct {
	mutex   sync.Mutex
	seeded  bool
	entries map[key]*entry
	groups  map[string]*group
	turns   turns
	// users counts the admitted runs of each target that runs refer to: it has its place with theirs.
	users map[key]int
	// changed are the groups of which somebody may have to be told something new.
	changed map[*group]bool
	wake    map[Kind]Wake
	// woken are those to be woken once the mutex is free.
	woken   []*entry
	seeding seeding
}

// Wake is called for one whose answer has changed: it is its turn, or it has moved. It must not block.
type Wake func(name types.NamespacedName, admitted bool)

// WakeWith has a function called for those of a kind.
func (q *Queue) WakeWith(kind Kind, wake Wake) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.wake == nil {
		q.wake = map[Kind]Wake{}
	}
	q.wake[kind] = wake
}

// Seed tells of every run and target that there is, read past all caches, and lets the queue admit from then on. Those
// that are admitted hold their places before anybody else gets one.
func (q *Queue) Seed(runs []Run) {
	q.change(func() {
		for _, run := range runs {
			q.hear(run)
		}
		for _, g := range q.groups {
			for _, l := range g.lines {
				l.began(&q.turns)
			}
			q.touch(g)
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
		if e := q.entries[run.key()]; e != nil && run.State != Out {
			turn = q.groups[e.run.Group].turn(e)
			turn.AtOnce = q.accompanies(e.run)
		}
	})
	return turn
}

// Forget takes out what is gone.
func (q *Queue) Forget(kind Kind, name types.NamespacedName) {
	q.change(func() {
		if e := q.entries[key{kind, name}]; e != nil {
			q.leave(e)
		}
	})
}

// change does something to the queue, and wakes those whom it concerns.
func (q *Queue) change(do func()) {
	q.mutex.Lock()
	do()
	q.moved()
	woken, wake := make(map[key]bool, len(q.woken)), q.wake
	for _, e := range q.woken {
		woken[e.run.key()] = e.admitted
	}
	q.woken = nil
	q.mutex.Unlock()
	for who, admitted := range woken {
		if call := wake[who.kind]; call != nil {
			call(who.name, admitted)
		}
	}
}

// hear takes in what a version of a run says.
func (q *Queue) hear(run Run) {
	q.turns.hear(run)
	e := q.entries[run.key()]
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
	if admitted == e.admitted && e.run.Group == run.Group && slices.Equal(e.run.targets(), run.targets()) {
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
	if q.entries == nil {
		q.entries, q.groups = map[key]*entry{}, map[string]*group{}
		q.users, q.changed = map[key]int{}, map[*group]bool{}
	}
	e := &entry{run: run, admitted: admitted}
	q.entries[run.key()] = e
	q.add(e)
	q.admit()
}

// leave takes an entry out of its group, which may let others in.
func (q *Queue) leave(e *entry) {
	delete(q.entries, e.run.key())
	q.drop(e)
	q.admit()
}

// add puts an entry where it belongs, and drop takes it out.
func (q *Queue) add(e *entry) {
	g := q.groups[e.run.Group]
	if g == nil {
		g = &group{name: e.run.Group, lines: map[string]*line{}}
		q.groups[e.run.Group] = g
	}
	g.add(e, &q.turns)
	q.count(e, 1)
	q.touch(g)
}

func (q *Queue) drop(e *entry) {
	g := q.groups[e.run.Group]
	g.drop(e, &q.turns)
	q.count(e, -1)
	q.touch(g)
	if len(g.lines) == 0 {
		delete(q.groups, g.name)
	}
}

// count counts the admitted runs of a target.
func (q *Queue) count(e *entry, by int) {
	if !e.admitted || e.run.Kind != KindRun {
		return
	}
	for _, target := range e.run.targets() {
		if q.users[target] += by; q.users[target] == 0 {
			delete(q.users, target)
		}
	}
}

// admit gives the places that are free to those whose turn it is, and wakes them.
func (q *Queue) admit() {
	if !q.seeded {
		return
	}
	for target := q.accompanying(); target != nil; target = q.accompanying() {
		q.promote(target)
	}
	for next := q.next(); next != nil; next = q.next() {
		behind := q.behind(next)
		q.turns.take(next.run)
		q.promote(next)
		for _, l := range behind {
			l.began(&q.turns)
		}
		if target := q.accompanying(); target != nil {
			q.promote(target)
		}
	}
}

// promote gives an entry a place.
func (q *Queue) promote(e *entry) {
	q.drop(e)
	e.admitted = true
	q.add(e)
	q.woken = append(q.woken, e)
}

func (q *Queue) touch(g *group) { q.changed[g] = true }

// moved wakes those who are to be told something new after lines moved, or those who hold places changed.
func (q *Queue) moved() {
	if !q.seeded {
		return
	}
	for g := range q.changed {
		for _, l := range g.lines {
			for _, place := range marks(len(l.entries)) {
				e := l.entries[place]
				if now := g.tell(l, place); e.told != now {
					e.told = now
					q.woken = append(q.woken, e)
				}
			}
		}
	}
	clear(q.changed)
}
