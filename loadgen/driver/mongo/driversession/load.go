package driversession

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// Encode writes one insert of as many documents as it may hold.
func (s *Session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	// Servers that remember writes know a batch again; the trailing number is the same for whatever is in it.
	s.retry.beginWrite(&s.build.Command, true)
	return s.build.Load(command.Batch{
		Collection: collection, Ordered: s.ordered,
		MaxDocuments: command.MaxBatchDocuments, MaxBytes: command.MaxBatchBytes,
	}, documents, first, count)
}

// Pipeline is one batch: the driver waits for every reply.
func (s *Session) Pipeline() int {
	return 1
}

// Acknowledge has nothing to wait for: Send did.
func (s *Session) Acknowledge(context.Context) error {
	return nil
}

// Send sends what Encode wrote, and waits for the reply.
func (s *Session) Send(ctx context.Context) error {
	var reply loadgen.Reply
	err := s.change(ctx, s.build.Command.Bytes, &reply)
	if s.resume && errorclass.OnlyThereAlready(err) {
		return nil
	}
	return err
}
