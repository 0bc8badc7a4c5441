package legacy

import (
	"context"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

var (
	_ loadgen.Drainer   = (*session)(nil)
	_ loadgen.Estimator = (*Target)(nil)
)

// Unacknowledged says whether an operation's writes go without a getLastError.
func (s *session) Unacknowledged(operation int) bool {
	return operation < len(s.operations) && s.operations[operation].unacknowledged
}

// Drain asks over the session's connection whether all before was taken in.
func (s *session) Drain(ctx context.Context) error {
	unanswered, broken := s.unanswered, s.broken
	s.unanswered, s.broken = false, false
	if broken {
		return errorclass.ErrBroken
	}
	if !unanswered {
		return nil
	}
	err := s.enter(ctx)
	if err == nil {
		// What is on its way may take the server longer than an operation may: the context alone ends the wait.
		err = s.conn.conn.SetDeadline(time.Time{})
	}
	if err == nil {
		err = ctx.Err() // It may have ended before the deadline was taken away.
	}
	if err == nil {
		_, err = s.run(newCommand("ping", int32(1)))
	}
	return s.leave(ctx, err)
}

// Estimate returns the number of documents that the server remembers.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	answer, err := t.runWithin(ctx, preparing, database, newCommand("count", collection))
	if err != nil {
		return 0, err
	}
	return number(answer, "n"), nil
}
