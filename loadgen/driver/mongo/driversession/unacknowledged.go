package driversession

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// sendUnacknowledged sends unacknowledged writes, as an application would through the driver, which tells the
// server so; a command that is sent as it is would be answered. How many documents it changed is not known: their
// number stays 0, and only the collection itself can say what arrived.
func (s *Session) sendUnacknowledged(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	reply.Unacknowledged = true
	s.opener.Pool.Sends()
	if r.Kind != operation.BulkWrite {
		return s.sendModels(ctx, []workload.Request{*r}, true)
	}
	return command.EachRun(r, func(from, end int) error { return s.sendModels(ctx, r.Parts[from:end], r.Ordered) })
}

// sendModels sends writes to one collection.
func (s *Session) sendModels(ctx context.Context, writes []workload.Request, ordered bool) error {
	described, err := crud.Models(writes)
	if err != nil {
		return err
	}
	none := options.Collection().SetWriteConcern(writeconcern.Unacknowledged())
	_, err = s.database.Collection(writes[0].Collection, none).
		BulkWrite(ctx, described, options.BulkWrite().SetOrdered(ordered))
	return err
}

var _ loadgen.Drainer = (*Session)(nil)

// Unacknowledged says whether an operation's writes go without a reply.
func (s *Session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over all of the driver's connections: which of them carried the session's writes is not known.
func (s *Session) Drain(ctx context.Context) error {
	return s.opener.Pool.Drain(ctx, s.opener.Client)
}
