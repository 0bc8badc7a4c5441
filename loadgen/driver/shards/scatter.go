package shards

import (
	"context"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// everywhere sends an operation without documents in its answer to several shards, and adds up what they say. It waits
// for all of them, and returns the first error.
func (s *session) everywhere(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	var first error
	var begun placement.Set
	for rest := targets; rest != 0 && first == nil; rest = rest.Next() {
		if first = of(rest.First(), s.streams[rest.First()].Begin(ctx, r)); first == nil {
			begun |= placement.Only(rest.First())
		}
	}
	return s.endAll(ctx, begun, reply, first)
}

// endAll waits for the replies of shards.
func (s *session) endAll(ctx context.Context, begun placement.Set, reply *loadgen.Reply, first error) error {
	for rest := begun; rest != 0; rest = rest.Next() {
		if err := s.streams[rest.First()].End(ctx, reply); err != nil && first == nil {
			first = of(rest.First(), err)
		}
	}
	return first
}

// command sends a command that all shards may be sent.
func (s *session) command(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	if err := s.rules.checkCommand(r); err != nil {
		return err
	}
	err := s.everywhere(ctx, s.all, r, reply)
	// An n in such an answer is no number of documents.
	reply.Documents = 0
	return err
}

// readAndWrite does both halves of a ReadModifyWrite on several shards, one of which has the document.
func (s *session) readAndWrite(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	half := *r
	half.Kind = operation.FindOne
	var read loadgen.Reply
	err := s.read(ctx, targets, &half, &read)
	// The first shard with a document is enough for the answer, and the others' replies have to be out of the way.
	s.Settle(ctx)
	reply.Retries = read.Retries
	if err != nil {
		return err
	}
	half.Kind = operation.UpdateOne
	return s.everywhere(ctx, targets, &half, reply)
}

// count adds up what the shards count: each as far as the answer could need it.
func (s *session) count(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	wanted := merge.NewRange(r.Skip, r.Limit)
	s.part = *r
	s.part.Skip, s.part.Limit = 0, wanted.Asked()
	for rest := targets; rest != 0; rest = rest.Next() {
		if err := s.streams[rest.First()].Begin(ctx, &s.part); err != nil {
			return of(rest.First(), err)
		}
	}
	var sum int64
	for rest := targets; rest != 0; rest = rest.Next() {
		documents, _, err := s.streams[rest.First()].Batch(ctx, reply, false)
		if err != nil {
			return of(rest.First(), err)
		}
		sum += counted(documents)
	}
	// The answer is one document, unless there is nothing to count.
	if sum > wanted.Skip {
		reply.Documents = 1
	}
	return nil
}

// counted is what a shard says in its answer to a count.
func counted(documents []byte) int64 {
	_, document, _ := value.First(documents)
	found, _ := value.Field(document.Data, "n")
	number, _ := value.Number(found)
	return number
}
