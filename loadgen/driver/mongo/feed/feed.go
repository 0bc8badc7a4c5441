package feed

import (
	"context"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// defaultAwait is how long a reader waits for news unless it says so.
const defaultAwait = time.Second

// closeTimeout bounds what is done to end a reader at the server.
const closeTimeout = 2 * time.Second

// Feed is a change stream or a tailing cursor.
type Feed interface {
	TryNext(ctx context.Context) bool
	Decode(into any) error
	RemainingBatchLength() int
	Err() error
	ID() int64
	Close(ctx context.Context) error
}

// Readers are the open ones of a session, by operation.
type Readers struct {
	// Open opens the reader of an operation.
	Open func(ctx context.Context, r *workload.Request) (Feed, error)
	// Clock is that of the primary, once a change stream was opened.
	Clock Clock
	// Take is given each piece of news; nil leaves them as they are.
	Take func(Feed) error
	// Timeout bounds how long a document that was inserted may take to come.
	Timeout time.Duration

	open []Feed
}

// New has room for those of this many operations.
func New(operations int, open func(context.Context, *workload.Request) (Feed, error), take func(Feed) error) Readers {
	return Readers{Open: open, Take: take, open: make([]Feed, operations)}
}

// Close closes all of them.
func (s *Readers) Close(ctx context.Context) {
	for i, reader := range s.open {
		if reader != nil {
			_ = reader.Close(ctx)
			s.open[i] = nil
		}
	}
}

// Await waits for the next news of a ChangeStream or Tail, and takes all that came together. The time of such an
// operation is from the commit of the first change that came until it was here: how long its reader waited says how far
// apart changes were, and nothing of the server.
//
// Operations have no time, and say so as unacknowledged writes do, when no news came, when the reader had to be opened
// first, and when it is not known when the change was committed: of a Tail, through a mongos, and before 6.0.
func (s *Readers) Await(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	current := s.open[r.Operation]
	if current == nil {
		reply.Unacknowledged = true
		opened, err := s.Open(ctx, r)
		if err != nil {
			return err
		}
		s.open[r.Operation], current = opened, opened
	}
	if current.TryNext(ctx) {
		committed, known := s.Clock.committed(current)
		reply.Since, reply.Unacknowledged = committed, reply.Unacknowledged || !known
		return s.takeAll(ctx, current, reply)
	}
	reply.Unacknowledged = true
	err := current.Err()
	if err == nil && current.ID() != 0 {
		return nil
	}
	s.drop(ctx, r.Operation)
	if err != nil {
		return err
	}
	// The server has ended it without an error, as it ends a tailing cursor of an empty collection. It is reopened
	// after the time that it should have waited.
	return alarm.Timer{}.Until(ctx, time.Now().Add(AwaitOf(r)))
}

// takeAll takes the news that came together, the first of which is at hand.
func (s *Readers) takeAll(ctx context.Context, current Feed, reply *loadgen.Reply) error {
	for {
		reply.Documents++
		if s.Take != nil {
			if err := s.Take(current); err != nil {
				return err
			}
		}
		if current.RemainingBatchLength() == 0 || !current.TryNext(ctx) {
			return nil
		}
	}
}

// drop closes a reader. The next operation opens another.
func (s *Readers) drop(ctx context.Context, operation int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = s.open[operation].Close(ctx)
	s.open[operation] = nil
}

// AwaitOf is how long the reader of a request waits for news.
func AwaitOf(r *workload.Request) time.Duration {
	if r.MaxAwaitMillis <= 0 {
		return defaultAwait
	}
	return time.Duration(r.MaxAwaitMillis) * time.Millisecond
}

var (
	_ Feed = (*Stream)(nil)
	_ Feed = (*driver.Cursor)(nil)
)
