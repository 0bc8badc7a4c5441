package wire

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBroken says that a connection broke before its unacknowledged writes were drained.
var ErrBroken = errors.New("a connection broke with unacknowledged writes on it; their outcome is unknown")

// ErrNothingSent is a mistake of the caller's: there is no batch, or it was lost with its connection.
var ErrNothingSent = errors.New("no batch waits to be acknowledged on this connection")

// Handle is a session's hold on its connection. What waits on it ends with its context and, for a Watch looks at it,
// when it takes too long. It serves the session's goroutine.
type Handle struct {
	watch *Watch
	// link is nil when there is no connection. Those who watch see it, too.
	link atomic.Pointer[Link]
	// state is odd while the session waits for the server, and never the same twice.
	state atomic.Uint64
	// done belongs to the context that is watched, until stop is called. A context that was followed by another one must
	// not end what that one's operation waits for: it sees by the number, which mutex guards, that it is the last no more.
	done     <-chan struct{}
	stop     func() bool
	mutex    sync.Mutex
	contexts uint64

	// Unanswered says that unacknowledged writes went over the connection, and broken that such a connection ended.
	Unanswered bool
	broken     bool

	// seen is the state when the watch looked last, and looks for how long it has been the same; the watch guards them.
	seen  uint64
	looks time.Duration
}

// Hold takes a connection that was just made.
func (h *Handle) Hold(ctx context.Context, link *Link) {
	h.link.Store(link)
	if ctx.Err() != nil {
		link.Abort()
	}
}

// Drop gives up the connection.
func (h *Handle) Drop() {
	h.watch.detach(h)
	h.Unanswered, h.broken = false, h.broken || h.Unanswered
}

// Enter begins to wait for the server.
func (h *Handle) Enter(ctx context.Context) {
	h.endWith(ctx)
	h.state.Add(1)
}

// endWith makes what waits on the connection end with a context.
func (h *Handle) endWith(ctx context.Context) {
	if done := ctx.Done(); done != h.done {
		h.follow(ctx)
		h.done = done
	}
}

// follow watches a context, whose end then ends what waits on the connection. It is as seldom called as sessions get
// another context.
func (h *Handle) follow(ctx context.Context) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if link := h.link.Load(); h.stop != nil && !h.stop() && link != nil {
		// It ended while nothing waited.
		link.Revive()
	}
	h.contexts++
	number := h.contexts
	h.stop = context.AfterFunc(ctx, func() {
		h.mutex.Lock()
		defer h.mutex.Unlock()
		if link := h.link.Load(); link != nil && h.contexts == number {
			link.Abort()
		}
	})
}

// Leave ends the waiting. An error of a context that has ended is the context's.
func (h *Handle) Leave(ctx context.Context, err error) error {
	h.state.Add(1)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Drain asks over the connection whether all unacknowledged writes before were taken in.
func (h *Handle) Drain(ctx context.Context, ask func() error) error {
	unanswered, broken := h.Unanswered, h.broken
	h.Unanswered, h.broken = false, false
	if broken {
		return ErrBroken
	}
	if !unanswered {
		return nil
	}
	// What is on its way may take the server longer than an operation may: the watch sees nothing of it.
	h.endWith(ctx)
	err := ask()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Close ends the connection, and the watch over it.
func (h *Handle) Close() {
	if h.stop != nil {
		h.stop()
	}
	h.watch.remove(h)
}

// How often connections are looked at: a tenth of the time that an operation may take, within limits.
const (
	watchesPerTimeout = 10
	shortestWatch     = 10 * time.Millisecond
	longestWatch      = time.Second
)

// Watch ends operations that take too long, and counts what went over the connections. A deadline for each operation
// would cost each of them two changes of a timer; looking at all sessions now and then costs nothing. So an operation
// may take longer than it should by the time between two looks.
type Watch struct {
	// Timeout is how long an operation may take.
	Timeout time.Duration

	mutex   sync.Mutex
	handles map[*Handle]bool
	// bytesIn and bytesOut are those of connections that are closed.
	bytesIn, bytesOut int64
	stop              chan struct{}
}

// Over begins to watch over a handle, which has to be closed.
func (w *Watch) Over(h *Handle) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.handles) == 0 {
		w.handles = map[*Handle]bool{}
		w.stop = make(chan struct{})
		go w.run(w.stop)
	}
	h.watch = w
	w.handles[h] = true
}

// remove ends it, and keeps what the handle's connection had counted.
func (w *Watch) remove(h *Handle) {
	w.detach(h)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.handles[h] {
		return
	}
	delete(w.handles, h)
	if len(w.handles) == 0 {
		close(w.stop)
	}
}

// detach takes a handle's connection away and closes it.
func (w *Watch) detach(h *Handle) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	link := h.link.Swap(nil)
	if link == nil {
		return
	}
	link.Close()
	w.bytesIn += link.BytesIn()
	w.bytesOut += link.BytesOut()
}

// Traffic is what went over all connections so far, without what TLS adds.
func (w *Watch) Traffic() (bytesIn, bytesOut int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	bytesIn, bytesOut = w.bytesIn, w.bytesOut
	for h := range w.handles {
		if link := h.link.Load(); link != nil {
			bytesIn += link.BytesIn()
			bytesOut += link.BytesOut()
		}
	}
	return bytesIn, bytesOut
}

func (w *Watch) run(stop <-chan struct{}) {
	interval := min(max(w.Timeout/watchesPerTimeout, shortestWatch), longestWatch)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			w.look(interval)
		}
	}
}

// look ends the operations that have not changed for the length of the timeout.
func (w *Watch) look(interval time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for h := range w.handles {
		state := h.state.Load()
		if state != h.seen || state%2 == 0 {
			h.seen, h.looks = state, 0
			continue
		}
		h.looks += interval
		if h.looks < w.Timeout {
			continue
		}
		if link := h.link.Load(); link != nil {
			link.Abort()
		}
	}
}
