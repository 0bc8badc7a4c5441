package engine

import (
	"errors"
	"sync"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// errStopped is why a recording is not read to its end.
var errStopped = errors.New("the recording is not read any more")

// Limits of what is read ahead.
const (
	aheadOperations = 1024
	aheadBytes      = 16 << 20
	// aheadSignal is how many have to be there before who waits for one is told: each time costs a change of goroutines.
	// The reader waits for nothing but room meanwhile, of which half has to be free.
	aheadSignal = 64
)

// ahead are the operations of a recording that were read and not taken.
type ahead struct {
	mutex      sync.Mutex
	more, room sync.Cond
	// ring holds length operations from first on, of so many bytes. Of them, due were due when last looked at.
	ring               []replay.Operation
	first, length, due int
	bytes              int
	ended              error
}

func newAhead() *ahead {
	a := &ahead{ring: make([]replay.Operation, aheadOperations)}
	a.more.L, a.room.L = &a.mutex, &a.mutex
	return a
}

// fill reads until the end, or until nobody wants more. The buffers of what was taken are used again.
func (a *ahead) fill(stream *replay.Stream) error {
	var next replay.Operation
	for {
		if err := stream.Next(&next); err != nil {
			return err
		}
		if err := a.put(&next); err != nil {
			return err
		}
	}
}

// put waits until there is room, and gives an old operation for the new one.
func (a *ahead) put(next *replay.Operation) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for a.ended == nil && (a.length == len(a.ring) || a.length > 0 && a.bytes+len(next.Command) > aheadBytes) {
		a.more.Signal()
		a.room.Wait()
	}
	if a.ended != nil {
		return a.ended
	}
	place := &a.ring[(a.first+a.length)%len(a.ring)]
	*place, *next = *next, *place
	a.length++
	a.bytes += len(place.Command)
	if a.length >= aheadSignal {
		a.more.Signal()
	}
	return nil
}

// end says that nothing more comes, and why: io.EOF at the end of the recording. The first reason counts.
func (a *ahead) end(why error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.ended == nil {
		a.ended = why
	}
	a.more.Broadcast()
	a.room.Broadcast()
}

// take gives the next operation for an old one, and how many more are due. What was read before the end is given.
func (a *ahead) take(o *replay.Operation, isDue func(time.Duration) bool) (due int, _ error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for a.length == 0 && a.ended == nil {
		a.more.Wait()
	}
	if a.length == 0 {
		return 0, a.ended
	}
	place := &a.ring[a.first]
	*place, *o = *o, *place
	a.first = (a.first + 1) % len(a.ring)
	a.length--
	a.bytes -= len(o.Command)
	a.due = max(0, a.due-1)
	for a.due < a.length && isDue(a.ring[(a.first+a.due)%len(a.ring)].Due) {
		a.due++
	}
	if a.length <= len(a.ring)/2 {
		a.room.Signal()
	}
	return a.due, nil
}
