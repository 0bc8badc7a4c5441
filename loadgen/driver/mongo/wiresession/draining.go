package wiresession

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

var (
	_ loadgen.Drainer = (*Session)(nil)
	_ loadgen.Drainer = (*Stream)(nil)
)

// Unacknowledged says whether an operation's writes go without a reply.
func (s *Session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over the session's connection whether all before was taken in.
func (s *Session) Drain(ctx context.Context) error {
	unanswered, broken := s.unanswered, s.broken
	s.unanswered, s.broken = false, false
	if broken {
		return errorclass.ErrBroken
	}
	if !unanswered {
		return nil
	}
	s.beginOnce()
	s.build.Command.CopyOpen(command.Ping)
	s.build.Command.End()
	// What is on its way may take the server longer than an operation may: the watch sees nothing of it.
	s.endWith(ctx)
	_, err := s.judge(s.conn.Call(s.build.Command.Bytes))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
