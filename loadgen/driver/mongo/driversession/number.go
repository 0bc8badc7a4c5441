package driversession

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// number sends a command whose answer is a number, and counts it as one document, unless there is nothing to count.
func number(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	raw, err := s.send(ctx, command.FormOf(r.Kind).Write(&s.build, r), s.build.Terms(r).Read, reply)
	if err != nil {
		return err
	}
	answer, err := wire.Parse(raw)
	reply.Documents += min(answer.N, 1)
	r.Taking.Number(answer.N)
	return err
}
