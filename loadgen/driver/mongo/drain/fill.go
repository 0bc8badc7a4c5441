package drain

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// fillTime bounds the opening of connections.
const fillTime = 30 * time.Second

// filling is questions that are held back until there are so many that have a connection.
type filling struct {
	left atomic.Int64
	all  chan struct{}
	done <-chan struct{}
}

func (f *filling) hold() {
	if f.left.Add(-1) == 0 {
		close(f.all)
	}
	select {
	case <-f.all:
	case <-f.done:
	}
}

// Fill has the driver open connections, until there are so many, or an error or the time ends it. The driver opens one
// only when none is free, so that questions are held back until each has its own. What cannot be opened beforehand the
// operations find out themselves: only the end of the context is an error.
func (p *Pool) Fill(ctx context.Context, connections int, ask func(context.Context) error) error {
	p.draining.Lock()
	defer p.draining.Unlock()
	bounded, cancel := context.WithTimeout(ctx, fillTime)
	defer cancel()
	group, asking := errgroup.WithContext(bounded)
	f := &filling{all: make(chan struct{}), done: asking.Done()}
	f.left.Store(int64(connections))
	p.filling.Store(f)
	defer p.filling.Store(nil)
	for range connections {
		group.Go(func() error { return ask(asking) })
	}
	_ = group.Wait()
	return ctx.Err()
}
