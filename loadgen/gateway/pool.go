package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// held is a session of the pool, with what its requests are drawn into.
type held struct {
	session loadgen.Session
	request workload.Request
}

// pool holds the sessions of a gateway: at most size of them, in use or free, over all parts of the plan. Steps follow
// one another, so that the free sessions of a part make way for those of the next.
type pool struct {
	open func(ctx context.Context, part string) (loadgen.Session, error)
	// slots has a place for each session that may be in use.
	slots chan struct{}

	mutex sync.Mutex
	free  map[string][]*held
	// open sessions, those in use included.
	sessions int
	closed   bool
}

func newPool(size int, open func(context.Context, string) (loadgen.Session, error)) *pool {
	return &pool{open: open, slots: make(chan struct{}, size), free: map[string][]*held{}}
}

// errBusy is what a request gets for which no session was free in time.
var errBusy = errors.New("the gateway had no session free in time")

var errClosed = errors.New("the gateway is closing")

// take waits for a session of a part, at most for so long, and says for how long it waited. Whoever takes one gives it
// back.
func (p *pool) take(ctx context.Context, part string, patience time.Duration) (*held, time.Duration, error) {
	select {
	case p.slots <- struct{}{}:
		h, err := p.get(ctx, part)
		return h, 0, err
	default:
	}
	began := time.Now()
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case p.slots <- struct{}{}:
		waited := time.Since(began)
		h, err := p.get(ctx, part)
		return h, waited, err
	case <-patient.Done():
		if ctx.Err() != nil {
			return nil, time.Since(began), context.Cause(ctx)
		}
		return nil, time.Since(began), errBusy
	}
}

// get is a free session of a part or else a new one, for whoever has a slot.
func (p *pool) get(ctx context.Context, part string) (*held, error) {
	known, spare, err := p.pick(part)
	if spare != nil {
		spare.session.Close()
	}
	if known != nil {
		return known, nil
	}
	var session loadgen.Session
	if err == nil {
		session, err = p.open(ctx, part)
	}
	if err != nil {
		p.mutex.Lock()
		p.sessions--
		p.mutex.Unlock()
		<-p.slots
		return nil, err
	}
	return &held{session: session}, nil
}

// pick takes a free session of a part. Without one there is to be a new one, for which a spare one of another part may
// have to go.
func (p *pool) pick(part string) (known, spare *held, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		p.sessions++
		return nil, nil, errClosed
	}
	if last := len(p.free[part]) - 1; last >= 0 {
		known, p.free[part] = p.free[part][last], p.free[part][:last]
		return known, nil, nil
	}
	if p.sessions < cap(p.slots) {
		p.sessions++
		return nil, nil, nil
	}
	for other, free := range p.free {
		if last := len(free) - 1; last >= 0 {
			spare, p.free[other] = free[last], free[:last]
			return nil, spare, nil
		}
	}
	// All that are open are in use, which takes a slot each, and the caller has one of them.
	return nil, nil, errors.New("the gateway lost count of its sessions")
}

// give gives a session back.
func (p *pool) give(part string, h *held) {
	p.mutex.Lock()
	closed := p.closed
	if !closed {
		p.free[part] = append(p.free[part], h)
	}
	p.mutex.Unlock()
	if closed {
		h.session.Close()
	}
	<-p.slots
}

// fill opens so many sessions of a part before they are needed, as far as they are not open already.
func (p *pool) fill(ctx context.Context, part string, count int, patience time.Duration) error {
	taken := make([]*held, count)
	group, opening := errgroup.WithContext(ctx)
	group.SetLimit(loadgen.MostConnecting)
	for i := range taken {
		group.Go(func() (err error) {
			taken[i], _, err = p.take(opening, part, patience)
			return err
		})
	}
	err := group.Wait()
	for _, h := range taken {
		if h != nil {
			p.give(part, h)
		}
	}
	return err
}

// close closes the sessions that are free, and each of the others once it is given back.
func (p *pool) close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.closed = true
	for part, free := range p.free {
		for _, h := range free {
			h.session.Close()
		}
		delete(p.free, part)
	}
}
