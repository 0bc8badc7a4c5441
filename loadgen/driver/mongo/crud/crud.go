package crud

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// UpdateOf is an update as the driver wants it: a document, or a list of stages.
func UpdateOf(r *workload.Request) (any, error) {
	switch {
	case len(r.Update) == 0:
		return nil, nil
	case r.UpdateIsPipeline:
		return StagesOf(r.Update)
	default:
		return r.Update, nil
	}
}

// Models describes writes to the driver.
func Models(writes []workload.Request) ([]driver.WriteModel, error) {
	described := make([]driver.WriteModel, 0, len(writes))
	for i := range writes {
		r := &writes[i]
		describe := models[r.Kind]
		if describe == nil {
			return nil, fmt.Errorf("an operation of kind %s is no part of a bulk write", r.Kind)
		}
		update, err := UpdateOf(r)
		if err != nil {
			return nil, err
		}
		described = describe(described, r, update)
	}
	return described, nil
}

// models describe a write of a kind.
var models = map[operation.Kind]func(all []driver.WriteModel, r *workload.Request, update any) []driver.WriteModel{
	operation.InsertOne:  inserts,
	operation.InsertMany: inserts,
	operation.ReplaceOne: func(all []driver.WriteModel, r *workload.Request, _ any) []driver.WriteModel {
		return append(all, driver.NewReplaceOneModel().
			SetFilter(r.Filter).SetReplacement(r.Documents[0]).SetUpsert(r.Upsert).
			SetHint(HintOf(r)).SetCollation(CollationOf(r)).SetSort(SortOf(r)))
	},
	operation.DeleteOne: func(all []driver.WriteModel, r *workload.Request, _ any) []driver.WriteModel {
		return append(all, driver.NewDeleteOneModel().
			SetFilter(r.Filter).SetHint(HintOf(r)).SetCollation(CollationOf(r)))
	},
	operation.DeleteMany: func(all []driver.WriteModel, r *workload.Request, _ any) []driver.WriteModel {
		return append(all, driver.NewDeleteManyModel().
			SetFilter(r.Filter).SetHint(HintOf(r)).SetCollation(CollationOf(r)))
	},
	operation.UpdateOne:       updateOne,
	operation.ReadModifyWrite: updateOne,
	operation.UpdateMany: func(all []driver.WriteModel, r *workload.Request, update any) []driver.WriteModel {
		return append(all, driver.NewUpdateManyModel().
			SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert).
			SetHint(HintOf(r)).SetCollation(CollationOf(r)).SetArrayFilters(ArrayFiltersOf(r)))
	},
}

func inserts(all []driver.WriteModel, r *workload.Request, _ any) []driver.WriteModel {
	for _, document := range r.Documents {
		all = append(all, driver.NewInsertOneModel().SetDocument(document))
	}
	return all
}

func updateOne(all []driver.WriteModel, r *workload.Request, update any) []driver.WriteModel {
	return append(all, driver.NewUpdateOneModel().
		SetFilter(r.Filter).SetUpdate(update).SetUpsert(r.Upsert).
		SetHint(HintOf(r)).SetCollation(CollationOf(r)).SetArrayFilters(ArrayFiltersOf(r)).SetSort(SortOf(r)))
}

// StagesOf are the stages of a pipeline, one by one.
func StagesOf(pipeline bson.Raw) ([]bson.Raw, error) {
	stages := []bson.Raw{}
	if len(pipeline) == 0 {
		return stages, nil
	}
	values, err := bson.RawArray(pipeline).Values()
	if err != nil {
		return nil, fmt.Errorf("reading the pipeline: %w", err)
	}
	for _, value := range values {
		stage, ok := value.DocumentOK()
		if !ok {
			return nil, fmt.Errorf("a stage of the pipeline is no document but %s", value.Type)
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

// TransactionOptions are the concerns that a Transaction declares; those of the connection string are the driver's
// default.
func TransactionOptions(declared *planv1.Operation) *options.TransactionOptionsBuilder {
	builder := options.Transaction()
	if declared == nil {
		return builder
	}
	if declared.ReadConcern != "" {
		builder.SetReadConcern(&readconcern.ReadConcern{Level: command.ServerName(declared.ReadConcern)})
	}
	if declared.WriteConcern != nil {
		builder.SetWriteConcern(WriteConcern(*declared.WriteConcern))
	}
	return builder
}

// WriteConcern is a write concern as the driver has it. It knows of no time limit: the operation's is the
// driver's.
func WriteConcern(declared planv1.WriteConcern) *writeconcern.WriteConcern {
	concern := &writeconcern.WriteConcern{}
	if declared.Journal != "" {
		concern.Journal = new(declared.Journal == benchv1alpha1.JournalRequired)
	}
	if number, err := command.ParseW(declared.W); err == nil {
		concern.W = number
	} else {
		concern.W = declared.W
	}
	return concern
}

// AnswersWithCursor knows the commands that leave a cursor behind, which has to be closed.
func AnswersWithCursor(command bson.Raw) bool {
	name, err := command.IndexErr(0)
	if err != nil {
		return false
	}
	switch name.Key() {
	case "find", "listCollections", "listIndexes":
		return true
	case "aggregate":
		explain, _ := command.Lookup("explain").BooleanOK()
		return !explain
	default:
		return false
	}
}
