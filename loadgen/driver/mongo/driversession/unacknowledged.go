package driversession

import (
	"context"
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// sendUnacknowledged sends unacknowledged writes, as an application would through the driver, which tells the
// server so; a command that is sent as it is would be answered. How many documents it changed is not known: their
// number stays 0, and only the collection itself can say what arrived.
func (s *Session) sendUnacknowledged(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	reply.Unacknowledged = true
	s.opener.Pool.sends()
	if r.Kind != operation.BulkWrite {
		return s.sendModels(ctx, []workload.Request{*r}, true)
	}
	return command.EachRun(r, func(from, end int) error { return s.sendModels(ctx, r.Parts[from:end], r.Ordered) })
}

// sendModels sends writes to one collection.
func (s *Session) sendModels(ctx context.Context, writes []workload.Request, ordered bool) error {
	described := make([]driver.WriteModel, 0, len(writes))
	for i := range writes {
		r := &writes[i]
		describe := models[r.Kind]
		if describe == nil {
			return fmt.Errorf("an operation of kind %s cannot be sent without an acknowledgement", r.Kind)
		}
		update, err := updateOf(r)
		if err != nil {
			return err
		}
		described = describe(described, r, update)
	}
	none := options.Collection().SetWriteConcern(writeconcern.Unacknowledged())
	_, err := s.database.Collection(writes[0].Collection, none).
		BulkWrite(ctx, described, options.BulkWrite().SetOrdered(ordered))
	return err
}

// updateOf is an update as the driver wants it: a document, or a list of stages.
func updateOf(r *workload.Request) (any, error) {
	switch {
	case len(r.Update) == 0:
		return nil, nil
	case r.UpdateIsPipeline:
		return stagesOf(r.Update)
	default:
		return r.Update, nil
	}
}

type writeModels = []driver.WriteModel

// models describe a write to the driver.
var models = map[operation.Kind]func(all writeModels, r *workload.Request, update any) writeModels{
	operation.InsertOne:  inserts,
	operation.InsertMany: inserts,
	operation.ReplaceOne: func(all writeModels, r *workload.Request, _ any) writeModels {
		return append(all, driver.NewReplaceOneModel().
			SetFilter(r.Filter).SetReplacement(r.Documents[0]).SetUpsert(r.Upsert))
	},
	operation.DeleteOne: func(all writeModels, r *workload.Request, _ any) writeModels {
		return append(all, driver.NewDeleteOneModel().SetFilter(r.Filter))
	},
	operation.DeleteMany: func(all writeModels, r *workload.Request, _ any) writeModels {
		return append(all, driver.NewDeleteManyModel().SetFilter(r.Filter))
	},
	operation.UpdateOne:       updateOne,
	operation.ReadModifyWrite: updateOne,
	operation.UpdateMany: func(all writeModels, r *workload.Request, update any) writeModels {
		return append(all, driver.NewUpdateManyModel().SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert))
	},
}

func inserts(all writeModels, r *workload.Request, _ any) writeModels {
	for _, document := range r.Documents {
		all = append(all, driver.NewInsertOneModel().SetDocument(document))
	}
	return all
}

func updateOne(all writeModels, r *workload.Request, update any) writeModels {
	return append(all, driver.NewUpdateOneModel().SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert))
}
