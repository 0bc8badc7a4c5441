package replay

import (
	"container/heap"
	"errors"
	"io"
	"time"
)

// Operations are written down when they end, and are sent again when they began. What takes longer than orderWindow may
// come after operations that began later; so may what comes when orderBytes or more are held.
const (
	orderWindow = 30 * time.Second
	orderBytes  = 16 << 20
	// heldBytes is what an entry takes beside its command.
	heldBytes = 256
)

// ordered returns the entries of a reader in the order in which they began.
type ordered struct {
	from reader
	held entries
	// spare are places for entries that are used again.
	spare []*entry
	// bytes of what is held, and newest is when the last of what was read had ended.
	bytes  int
	newest time.Time
	// last is when the entry began that was returned last, once there is one.
	last    time.Time
	any     bool
	ended   bool
	numbers int64
	// sessions are those of what is held, with when the last entry of each began: those of one session follow one another,
	// whatever the rounded times say.
	sessions map[uint64]*heldSession
	// Late counts what came too late to be sent in its place.
	Late int64
	// skip is asked for the reason why an entry is not to be held.
	skip func(*entry) bool
}

type heldSession struct {
	last time.Time
	held int
}

// next returns io.EOF after the last one.
func (o *ordered) next() (entry, error) {
	for !o.ended && !o.due() {
		if err := o.read(); err != nil {
			return entry{}, err
		}
	}
	if len(o.held) == 0 {
		return entry{}, io.EOF
	}
	popped, _ := heap.Pop(&o.held).(*entry)
	first := *popped
	*popped = entry{}
	o.spare = append(o.spare, popped)
	o.bytes -= len(first.command) + heldBytes
	if session := o.sessions[first.session]; session != nil {
		if session.held--; session.held == 0 {
			delete(o.sessions, first.session)
		}
	}
	if o.any && first.at.Before(o.last) {
		first.at = o.last
		o.Late++
	}
	o.last, o.any = first.at, true
	return first, nil
}

// due says whether what began first of what is held did so before all that is still to come.
func (o *ordered) due() bool {
	return len(o.held) > 0 && (o.bytes >= orderBytes || !o.held[0].at.After(o.newest.Add(-orderWindow)))
}

// read takes one entry from the reader.
func (o *ordered) read() error {
	one, err := o.from.next()
	if errors.Is(err, io.EOF) {
		o.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	if one.end.After(o.newest) {
		o.newest = one.end
	}
	if o.skip(&one) {
		return nil
	}
	o.follow(&one)
	o.numbers++
	one.number = o.numbers
	heap.Push(&o.held, o.kept(one))
	o.bytes += len(one.command) + heldBytes
	return nil
}

// kept is a place for an entry, which may have been another one's.
func (o *ordered) kept(one entry) *entry {
	last := len(o.spare) - 1
	if last < 0 {
		return &one
	}
	place := o.spare[last]
	o.spare = o.spare[:last]
	*place = one
	return place
}

// follow has an entry come after those of its session that are held.
func (o *ordered) follow(one *entry) {
	if one.session == 0 {
		return
	}
	session := o.sessions[one.session]
	if session == nil {
		session = &heldSession{last: one.at}
		o.sessions[one.session] = session
	}
	if one.at.Before(session.last) {
		one.at = session.last
	}
	session.last = one.at
	session.held++
}

// entries are a heap, with what began first on top.
type entries []*entry

func (e entries) Len() int { return len(e) }

func (e entries) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].number < e[j].number
	}
	return e[i].at.Before(e[j].at)
}

func (e entries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push is of heap.Interface.
func (e *entries) Push(one any) {
	added, _ := one.(*entry)
	*e = append(*e, added)
}

// Pop is of heap.Interface.
func (e *entries) Pop() any {
	last := len(*e) - 1
	one := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return one
}
