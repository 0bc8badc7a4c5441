package wiresession

import (
	"sync"
	"time"
)

// How often sessions are looked at: a tenth of the time that an operation may take, within limits.
const (
	watchesPerTimeout = 10
	shortestWatch     = 10 * time.Millisecond
	longestWatch      = time.Second
)

// watch ends operations that take too long. A deadline for each operation would cost each of them two changes of a
// timer; looking at all sessions now and then costs nothing. So an operation may take longer than it should by the time
// between two looks.
type watch struct {
	timeout time.Duration

	mutex    sync.Mutex
	sessions map[*Session]*watched
	// bytesIn and bytesOut are those of connections that are closed.
	bytesIn, bytesOut int64
	stop              chan struct{}
}

// watched is what was seen of a session when it was last looked at.
type watched struct {
	state uint64
	looks time.Duration
}

// add begins to watch over a session.
func (w *watch) add(s *Session) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.sessions) == 0 {
		w.sessions = map[*Session]*watched{}
		w.stop = make(chan struct{})
		go w.run(w.stop)
	}
	w.sessions[s] = &watched{}
}

// remove ends it, and keeps what the session's connection had counted.
func (w *watch) remove(s *Session) {
	w.detach(s)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if _, ok := w.sessions[s]; !ok {
		return
	}
	delete(w.sessions, s)
	if len(w.sessions) == 0 {
		close(w.stop)
	}
}

// detach takes a session's connection away and closes it.
func (w *watch) detach(s *Session) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	conn := s.shared.Swap(nil)
	if conn == nil {
		return
	}
	conn.Close()
	w.bytesIn += conn.BytesIn()
	w.bytesOut += conn.BytesOut()
}

// traffic is what went over all connections so far.
func (w *watch) traffic() (bytesIn, bytesOut int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	bytesIn, bytesOut = w.bytesIn, w.bytesOut
	for s := range w.sessions {
		if conn := s.shared.Load(); conn != nil {
			bytesIn += conn.BytesIn()
			bytesOut += conn.BytesOut()
		}
	}
	return bytesIn, bytesOut
}

func (w *watch) run(stop <-chan struct{}) {
	interval := min(max(w.timeout/watchesPerTimeout, shortestWatch), longestWatch)
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
func (w *watch) look(interval time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for s, last := range w.sessions {
		state := s.state.Load()
		if state != last.state || state%2 == 0 {
			last.state, last.looks = state, 0
			continue
		}
		last.looks += interval
		if last.looks < w.timeout {
			continue
		}
		if conn := s.shared.Load(); conn != nil {
			conn.Abort()
		}
	}
}
