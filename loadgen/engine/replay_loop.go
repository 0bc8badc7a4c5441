package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// replayLoop has the operations of a recording sent at their times, those of one session one after the other.
//
//	file ── read ahead ──> leader: takes the next operation, waits until it is due
//	                          │ its session waits for no reply: sends it
//	                          └ it does: puts it behind, and takes the next one
//	reply ──> the next operation of the same session, if one is behind, or else the lead
//
// Nothing is dropped: what comes late because all workers wait for a reply has a response time that says so.
type replayLoop struct {
	window   window
	process  string
	speed    float64
	compares bool
	// lead holds one token; who has it may use the alarm, and takes from ahead.
	lead  chan struct{}
	alarm alarm.Alarm
	ahead *ahead
	// reading ends with stopReading.
	reading     sync.WaitGroup
	stopReading func()

	// mutex guards the rest. Who has the lead waits for room when too much is behind.
	mutex    sync.Mutex
	room     sync.Cond
	sessions map[uint64]*replaySession
	// spare are sessions that are no longer needed, and may be used again.
	spare   []*replaySession
	behind  int
	largest int
	stopped bool
	workers []*worker
}

const (
	// mostBehind is how many operations may be due and wait for others of their session.
	mostBehind = 4096
	// mostCursors is how many cursors a session may have open, and mostSessions how many sessions may have any; what is
	// beyond that is closed at once.
	mostCursors  = 16
	mostSessions = 10_000
)

// replaySession is a recorded session at work.
type replaySession struct {
	// busy says that one of its operations is under way.
	busy bool
	// behind are the operations that wait for the one that is under way.
	behind []replay.Operation
	// cursors that are open: the recorded ones, and what stands for them.
	cursors []replayCursor
}

type replayCursor struct{ recorded, open int64 }

func (l *replayLoop) work(ctx context.Context, w *worker) error {
	l.join(w)
	stop := context.AfterFunc(ctx, l.stop)
	defer stop()
	freeSince := time.Since(l.window.begin)
	for {
		session, err := l.take(ctx, w)
		if err != nil || w.replaying.next.Command == nil {
			return err
		}
		due := l.due(&w.replaying.next)
		for free := due >= freeSince; ; free = false {
			if err := l.send(ctx, w, session, free); err != nil {
				return err
			}
			if !l.follow(&w.replaying.next, session) {
				break
			}
		}
		freeSince = time.Since(l.window.begin)
	}
}

func (l *replayLoop) join(w *worker) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.workers = append(l.workers, w)
}

// stop ends all waits.
func (l *replayLoop) stop() {
	l.stopReading()
	l.ahead.end(errStopped)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stopped = true
	l.room.Broadcast()
}

// due is when an operation is due, from the begin of the window.
func (l *replayLoop) due(o *replay.Operation) time.Duration {
	if l.speed <= 0 {
		return 0
	}
	return time.Duration(float64(o.Due) / l.speed)
}

// take gives a worker the next operation once it is due, and its session, nil where it has none. Without one it has no
// command.
func (l *replayLoop) take(ctx context.Context, w *worker) (*replaySession, error) {
	<-l.lead
	defer func() { l.lead <- struct{}{} }()
	for {
		queued, err := l.read(ctx, &w.replaying.next)
		if err != nil || w.replaying.next.Command == nil {
			return nil, err
		}
		if l.speed > 0 {
			if err := l.alarm.Until(ctx, l.window.begin.Add(l.due(&w.replaying.next))); err != nil {
				return nil, err
			}
		}
		if session, taken := l.begin(&w.replaying.next, queued); taken {
			return session, nil
		}
	}
}

// read takes the next operation from those that were read ahead, and returns how many more are due. It has no command
// when there is nothing more to send.
func (l *replayLoop) read(ctx context.Context, o *replay.Operation) (queued int, _ error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	now := time.Since(l.window.begin)
	queued, err := l.ahead.take(o, func(due time.Duration) bool { return l.speed > 0 && due <= l.recorded(now) })
	switch {
	case errors.Is(err, io.EOF):
		o.Command = nil
		return 0, nil
	case err != nil:
		return 0, errors.Join(context.Cause(ctx), err)
	case l.over(l.due(o), now):
		o.Command = nil
	}
	return queued, nil
}

// recorded is the time of the recording that has come after so long.
func (l *replayLoop) recorded(now time.Duration) time.Duration {
	return time.Duration(float64(now) * l.speed)
}

// over says whether an operation is beyond the end of the window.
func (l *replayLoop) over(due, now time.Duration) bool {
	if l.window.end.IsZero() {
		return false
	}
	length := l.window.end.Sub(l.window.begin)
	return due > length || l.speed <= 0 && now >= length
}

// begin says whether an operation may be sent now. If not, it is behind the one of its session that is under way.
func (l *replayLoop) begin(o *replay.Operation, queued int) (*replaySession, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.largest = max(l.largest, queued+l.behind)
	if o.Session == 0 {
		return nil, true
	}
	session := l.sessions[o.Session]
	if session == nil {
		session = l.fresh()
		l.sessions[o.Session] = session
	}
	if !session.busy {
		session.busy = true
		return session, true
	}
	session.behind = append(session.behind, *o)
	*o = replay.Operation{}
	l.behind++
	for l.behind >= mostBehind && !l.stopped {
		l.room.Wait()
	}
	return nil, false
}

// follow says whether the session of the operation that was answered has another one behind it, which is then the next.
func (l *replayLoop) follow(o *replay.Operation, session *replaySession) bool {
	if session == nil {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(session.behind) > 0 && !l.stopped {
		*o = session.behind[0]
		session.behind = append(session.behind[:0], session.behind[1:]...)
		l.behind--
		l.room.Signal()
		return true
	}
	session.busy = false
	if len(session.cursors) == 0 {
		delete(l.sessions, o.Session)
		l.spare = append(l.spare, session)
	}
	return false
}

// fresh is a session without anything, which may have been another one.
func (l *replayLoop) fresh() *replaySession {
	last := len(l.spare) - 1
	if last < 0 {
		return &replaySession{}
	}
	session := l.spare[last]
	l.spare = l.spare[:last]
	return session
}

// send sends an operation, and counts what became of it. One that asks a cursor for more that is not open is not sent.
func (l *replayLoop) send(ctx context.Context, w *worker, session *replaySession, free bool) error {
	r := &w.replaying
	o := &r.next
	if o.Cursor != 0 && !patched(o, session) {
		r.WithoutCursor++
		return nil
	}
	w.request.Operation, w.request.Kind = o.Place, operation.RunCommand
	w.request.Command, w.request.Database = o.Command, o.Database
	result, err := w.execute(ctx, 0)
	if err != nil {
		return err
	}
	if l.speed > 0 {
		due := l.due(o)
		result.due = l.window.begin.Add(due)
		if w.recorder != nil {
			w.recorder.Sent(result.sent.Sub(l.window.recorded()), result.sent.Sub(result.due), free)
		}
	}
	if l.compares {
		r.compare(&o.Answer, &w.reply, result.err)
	}
	if err := w.finish(ctx, result, l.window.recorded()); err != nil {
		return err
	}
	l.keep(ctx, w, session)
	return nil
}

// cursorAt is where the cursor is in a getMore: behind the length, the type and the name.
const cursorAt = 4 + 1 + len("getMore") + 1

// patched puts the open cursor in the place of the recorded one. Where it is not known which that is, it is the one
// that was opened last.
func patched(o *replay.Operation, session *replaySession) bool {
	if session == nil || len(session.cursors) == 0 {
		return false
	}
	found := session.cursors[len(session.cursors)-1]
	for _, cursor := range session.cursors {
		if cursor.recorded == o.Cursor {
			found = cursor
		}
	}
	if found.recorded != 0 && found.recorded != o.Cursor {
		return false
	}
	binary.LittleEndian.PutUint64(o.Command[cursorAt:], uint64(found.open))
	return true
}

// keep remembers a cursor that was left open, and forgets one that was not. The session is this worker's until follow.
func (l *replayLoop) keep(ctx context.Context, w *worker, session *replaySession) {
	o, open := &w.replaying.next, w.reply.Cursor
	if session == nil {
		if open != 0 {
			w.replaying.session.Kill(ctx, &w.request, open)
		}
		return
	}
	recorded := o.Answer.Cursor
	if o.Cursor != 0 {
		recorded = o.Cursor
		session.forget(o.Cursor)
	}
	if open == 0 {
		return
	}
	if len(session.cursors) >= mostCursors || l.crowded() {
		w.replaying.session.Kill(ctx, &w.request, open)
		return
	}
	session.cursors = append(session.cursors, replayCursor{recorded: recorded, open: open})
}

// forget takes away the cursor that stands for a recorded one, or else the last one of which that is not known.
func (s *replaySession) forget(recorded int64) {
	at := -1
	for i, cursor := range s.cursors {
		if cursor.recorded == recorded || cursor.recorded == 0 && at < 0 {
			at = i
		}
		if cursor.recorded == recorded {
			break
		}
	}
	if at >= 0 {
		s.cursors = append(s.cursors[:at], s.cursors[at+1:]...)
	}
}

func (l *replayLoop) crowded() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.sessions) >= mostSessions
}

func (l *replayLoop) bounds() window { return l.window }

func (l *replayLoop) close() {
	l.stop()
	l.reading.Wait()
	if l.alarm != nil {
		l.alarm.Close()
	}
}

// report says how the times were kept, after the last worker has ended; nil where there are none to keep.
func (l *replayLoop) report(recording *measure.Recording) (*reportv1.Arrivals, error) {
	if l.speed <= 0 {
		return nil, nil //nolint:nilnil // A closed loop has no arrivals, which is no error.
	}
	arrivals, err := recording.Arrivals()
	if err != nil {
		return nil, err
	}
	arrivals.Process, arrivals.LargestQueue = l.process, int64(l.largest)
	return arrivals, nil
}
