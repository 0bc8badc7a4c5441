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
	for from := 0; from < len(r.Parts); {
		next := command.BulkEnd(r.Parts, from)
		if err := s.sendModels(ctx, r.Parts[from:next], r.Ordered); err != nil {
			return err
		}
		from = next
	}
	return nil
}

// sendModels sends writes to one collection.
func (s *Session) sendModels(ctx context.Context, writes []workload.Request, ordered bool) error {
	models := make([]driver.WriteModel, 0, len(writes))
	for i := range writes {
		var err error
		if models, err = appendModels(models, &writes[i]); err != nil {
			return err
		}
	}
	none := options.Collection().SetWriteConcern(writeconcern.Unacknowledged())
	_, err := s.database.Collection(writes[0].Collection, none).
		BulkWrite(ctx, models, options.BulkWrite().SetOrdered(ordered))
	return err
}

// appendModels describes a write to the driver.
func appendModels(models []driver.WriteModel, r *workload.Request) ([]driver.WriteModel, error) {
	switch r.Kind {
	case operation.InsertOne, operation.InsertMany:
		for _, document := range r.Documents {
			models = append(models, driver.NewInsertOneModel().SetDocument(document))
		}
		return models, nil
	case operation.ReplaceOne:
		return append(models, driver.NewReplaceOneModel().
			SetFilter(r.Filter).SetReplacement(r.Documents[0]).SetUpsert(r.Upsert)), nil
	case operation.DeleteOne:
		return append(models, driver.NewDeleteOneModel().SetFilter(r.Filter)), nil
	case operation.DeleteMany:
		return append(models, driver.NewDeleteManyModel().SetFilter(r.Filter)), nil
	case operation.UpdateOne, operation.UpdateMany, operation.ReadModifyWrite:
		update, err := updateOf(r)
		if err != nil {
			return nil, err
		}
		if r.Kind == operation.UpdateMany {
			return append(models, driver.NewUpdateManyModel().
				SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert)), nil
		}
		return append(models, driver.NewUpdateOneModel().
			SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert)), nil
	default:
		return nil, fmt.Errorf("an operation of kind %s cannot be sent without an acknowledgement", r.Kind)
	}
}

// updateOf is an update as the driver wants it: a document, or a list of stages.
func updateOf(r *workload.Request) (any, error) {
	if !r.UpdateIsPipeline {
		return r.Update, nil
	}
	return stagesOf(r.Update)
}
