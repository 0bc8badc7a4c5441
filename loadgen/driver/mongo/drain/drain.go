package drain

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Pool knows the connections that the driver has open. An unacknowledged write leaves its connection at once to the
// next operation of any session, so that only a question over each of them tells what the servers have taken in. The
// driver has no such question, and gives out whichever connection is free. So questions are held back, as soon as they
// have a connection, until there is one for each:
//
//	ping ── checks out 3 ──┐
//	ping ── checks out 1 ──┼── held until 1, 2 and 3 are checked out; then all are sent
//	ping ── checks out 2 ──┘
type Pool struct {
	mutex sync.Mutex
	open  map[connection]struct{}
	// ended is how many connections have ended, and since how many had before the first write that is not drained yet.
	ended, since int64
	// unanswered says that there is such a write. It is only set with the mutex held.
	unanswered atomic.Bool

	// draining is held by who drains; gathering is not nil while questions are held back.
	draining  sync.Mutex
	gathering atomic.Pointer[gathering]
	// filling is not nil while connections are opened beforehand.
	filling atomic.Pointer[filling]
}

// connection is one of the driver's.
type connection struct {
	server string
	number int64
}

// Observe follows the driver's connections. The driver waits for it.
func (p *Pool) Observe(e *event.PoolEvent) {
	which := connection{e.Address, e.ConnectionID}
	switch e.Type {
	case event.ConnectionCheckedOut:
		if g := p.gathering.Load(); g != nil {
			g.hold(which)
		}
		if f := p.filling.Load(); f != nil {
			f.hold()
		}
	case event.ConnectionReady:
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if p.open == nil {
			p.open = map[connection]struct{}{}
		}
		p.open[which] = struct{}{}
	case event.ConnectionClosed:
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if _, known := p.open[which]; known {
			delete(p.open, which)
			p.ended++
		}
		if g := p.gathering.Load(); g != nil {
			g.remove(which)
		}
	}
}

// Sends says that an unacknowledged write goes out.
func (p *Pool) Sends() {
	if p.unanswered.Load() {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.unanswered.Load() {
		p.since = p.ended
		p.unanswered.Store(true)
	}
}

// begin says whether there are such writes, and how many connections had ended before the first of them.
func (p *Pool) begin() (ended int64, some bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.since, p.unanswered.Swap(false)
}

// fail takes back what begin did.
func (p *Pool) fail(ended int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.since = ended
	p.unanswered.Store(true)
}

// brokenSince is an error when more connections than these have ended.
func (p *Pool) brokenSince(ended int64) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ended > ended {
		return wire.ErrBroken
	}
	return nil
}

// gathering is questions that wait for one another.
type gathering struct {
	// everywhere says that any server may have been written to, as with mongos. Otherwise the primary was, which is where
	// questions go to: connections to others hold no writes.
	everywhere bool
	// all is closed when every connection has its question, taken is told of each that gets one, and done is closed when
	// the gathering is given up.
	all, taken chan struct{}
	done       <-chan struct{}

	mutex sync.Mutex
	// missing are the connections without a question.
	missing map[connection]struct{}
}

// gather begins to hold questions back.
func (p *Pool) gather(ctx context.Context, everywhere bool) *gathering {
	g := &gathering{
		everywhere: everywhere, all: make(chan struct{}), taken: make(chan struct{}, 1), done: ctx.Done(),
		missing: map[connection]struct{}{},
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for which := range p.open {
		g.missing[which] = struct{}{}
	}
	p.gathering.Store(g)
	return g
}

// complete says whether there is a question for every connection.
func (g *gathering) complete() bool {
	select {
	case <-g.all:
		return true
	default:
		return false
	}
}

// hold takes a connection for a question, and returns when it may be asked.
func (g *gathering) hold(which connection) {
	g.take(which)
	select {
	case g.taken <- struct{}{}:
	default:
	}
	select {
	case <-g.all:
	case <-g.done:
	}
}

func (g *gathering) take(which connection) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.everywhere {
		for other := range g.missing {
			if other.server != which.server {
				delete(g.missing, other)
			}
		}
	}
	g.drop(which)
}

// remove is for a connection that has ended.
func (g *gathering) remove(which connection) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.drop(which)
}

func (g *gathering) drop(which connection) {
	delete(g.missing, which)
	if len(g.missing) == 0 && !g.complete() {
		close(g.all)
	}
}

// gatherPause is how long a question is waited for to have a connection before another one is asked.
const gatherPause = 10 * time.Millisecond

// Drain returns when the servers have taken in what was sent over the driver's connections. Who comes while another one
// drains finds nothing left to do: what it has sent was sent before that began.
func (p *Pool) Drain(ctx context.Context, client *driver.Client) error {
	p.draining.Lock()
	defer p.draining.Unlock()
	ended, some := p.begin()
	if !some {
		return nil
	}
	err := p.pingAll(ctx, client)
	if err == nil {
		err = p.brokenSince(ended)
	} else {
		// The next one will not know either.
		p.fail(ended)
	}
	if deadline, bounded := ctx.Deadline(); err != nil && bounded && !time.Now().Before(deadline) {
		// The driver ends what waits at a deadline by itself, which may be before the context does.
		<-ctx.Done()
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errorclass.WithoutSecrets(err)
}

// pingAll asks one question over each connection that writes may have gone over.
func (p *Pool) pingAll(ctx context.Context, client *driver.Client) error {
	admin := client.Database("admin")
	primary := options.RunCmd().SetReadPreference(readpref.Primary())
	reply, err := admin.RunCommand(ctx, lookup.IsMaster, primary).Raw()
	if err != nil {
		return fmt.Errorf("asking what the deployment is: %w", err)
	}
	group, asking := errgroup.WithContext(ctx)
	gathered := p.gather(asking, lookup.IsMongos(reply))
	defer p.gathering.Store(nil)
	pause := time.NewTicker(gatherPause)
	defer pause.Stop()
	for !gathered.complete() && asking.Err() == nil {
		group.Go(func() error { return ping(asking, admin, primary) })
		select {
		case <-gathered.taken:
		case <-gathered.all:
		case <-pause.C:
		case <-asking.Done():
		}
	}
	return group.Wait()
}

func ping(ctx context.Context, admin *driver.Database, primary *options.RunCmdOptionsBuilder) error {
	return admin.RunCommand(ctx, command.Ping, primary).Err()
}
