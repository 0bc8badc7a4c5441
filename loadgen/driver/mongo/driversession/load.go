package driversession

import (
	"context"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// Encode writes one insert of as many documents as it may hold.
func (s *Session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	// Servers that remember writes know a batch again; the trailing number is the same for whatever is in it.
	s.retry.beginWrite(&s.build.Command, true)
	c := &s.build.Command
	c.Begin("insert", collection)
	// Unless the plan wants it otherwise, one document that cannot be written must not keep the others of its batch out.
	c.Bool("ordered", s.ordered)
	c.Document("writeConcern", s.build.Loading)
	c.BeginArray("documents")
	var encoded int64
	for encoded < min(count, command.MaxBatchDocuments) {
		before := len(c.Bytes)
		c.Bytes = append(c.Bytes, byte(bson.TypeEmbeddedDocument))
		c.Bytes = strconv.AppendInt(c.Bytes, encoded, 10)
		c.Bytes = documents.Append(append(c.Bytes, 0), first+encoded)
		if len(c.Bytes) > command.MaxBatchBytes && encoded > 0 {
			c.Bytes = c.Bytes[:before]
			break
		}
		encoded++
	}
	c.EndNested()
	c.End()
	return encoded
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
