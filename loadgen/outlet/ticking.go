package outlet

import (
	"sync"
	"time"
)

// ticking does something over and over, until it is stopped.
type ticking struct {
	done  chan struct{}
	ended sync.WaitGroup
}

func tick(period time.Duration, do func()) *ticking { return tickOr(period, nil, do) }

// tickOr does it also when it is asked for.
func tickOr(period time.Duration, asked <-chan struct{}, do func()) *ticking {
	t := &ticking{done: make(chan struct{})}
	t.ended.Go(func() {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				do()
			case <-asked:
				do()
			case <-t.done:
				return
			}
		}
	})
	return t
}

// stop returns once it is not done any more.
func (t *ticking) stop() {
	close(t.done)
	t.ended.Wait()
}
