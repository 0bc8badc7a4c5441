package appsession

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// method does the operations of a kind, by the method that the driver has for them.
type method func(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error

// methods has one of every kind but for the wholes and readers, which sessions do by themselves.
var methods = map[operation.Kind]method{
	operation.InsertOne:              insertOne,
	operation.InsertMany:             insertMany,
	operation.FindOne:                findOne,
	operation.Find:                   find,
	operation.UpdateOne:              updateOne,
	operation.UpdateMany:             updateMany,
	operation.ReplaceOne:             replaceOne,
	operation.DeleteOne:              deleteOne,
	operation.DeleteMany:             deleteMany,
	operation.ReadModifyWrite:        readModifyWrite,
	operation.FindOneAndUpdate:       findOneAndUpdate,
	operation.Aggregate:              aggregate,
	operation.CountDocuments:         countDocuments,
	operation.Distinct:               distinct,
	operation.FindOneAndDelete:       findOneAndDelete,
	operation.FindOneAndReplace:      findOneAndReplace,
	operation.EstimatedDocumentCount: estimatedDocumentCount,
	operation.BulkWrite:              bulkWrite,
	operation.InsertThenFind:         insertThenFind,
	operation.Connect:                connect,
	operation.RunCommand:             runCommand,
}

func insertOne(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	result, err := s.collection(r).InsertOne(ctx, r.Documents[0], &s.settings.insertOne)
	if result == nil {
		return err
	}
	return written(reply, loadgen.Reply{Documents: 1, Inserted: 1}, result.Acknowledged, err)
}

func connect(ctx context.Context, s *Session, r *workload.Request, _ *loadgen.Reply) error {
	return s.opener.Connect.Connect(ctx, r.Declared.ConnectUntil)
}

// insertThenFind counts the document that it reads, if it sees it, beside the one that it inserts.
func insertThenFind(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	return command.InsertThenFind(r, func(half *workload.Request) error {
		s.request = half
		if half.Kind == operation.FindOne {
			return findOne(ctx, s, half, reply)
		}
		return insertOne(ctx, s, half, reply)
	})
}

func insertMany(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	result, err := s.collection(r).InsertMany(ctx, r.Documents, &s.settings.insertMany)
	if result == nil {
		return err
	}
	inserted := int64(len(result.InsertedIDs))
	return written(reply, loadgen.Reply{Documents: inserted, Inserted: inserted}, result.Acknowledged, err)
}

func findOne(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	documents, err := single(r, s.collection(r).FindOne(ctx, r.Filter, &s.settings.findOne))
	reply.Documents += documents
	return err
}

func find(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	cursor, err := s.collection(r).Find(ctx, r.Filter, &s.settings.find)
	if err != nil {
		return err
	}
	return s.read(ctx, cursor, r, r.FirstBatchOnly, reply)
}

func aggregate(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	stages, err := crud.StagesOf(r.Pipeline)
	if err != nil {
		return err
	}
	cursor, err := s.collection(r).Aggregate(ctx, stages, &s.settings.aggregate)
	if err != nil {
		return err
	}
	return s.read(ctx, cursor, r, r.FirstBatchOnly, reply)
}

func updateOne(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	update, err := crud.UpdateOf(r)
	if err != nil {
		return err
	}
	result, err := s.collection(r).UpdateOne(ctx, r.Filter, update, &s.settings.updateOne)
	return s.updated(reply, result, err)
}

func updateMany(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	update, err := crud.UpdateOf(r)
	if err != nil {
		return err
	}
	result, err := s.collection(r).UpdateMany(ctx, r.Filter, update, &s.settings.updateMany)
	return s.updated(reply, result, err)
}

func replaceOne(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	result, err := s.collection(r).ReplaceOne(ctx, r.Filter, r.Documents[0], &s.settings.replace)
	return s.updated(reply, result, err)
}

// updated adds what an update matched or inserted.
func (s *Session) updated(reply *loadgen.Reply, result *driver.UpdateResult, err error) error {
	if result == nil {
		return err
	}
	return written(reply, loadgen.Reply{
		Documents: result.MatchedCount + result.UpsertedCount,
		Inserted:  result.UpsertedCount, Matched: result.MatchedCount, Modified: result.ModifiedCount,
	}, result.Acknowledged, err)
}

func deleteOne(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	result, err := s.collection(r).DeleteOne(ctx, r.Filter, &s.settings.deleteOne)
	return s.deleted(reply, result, err)
}

func deleteMany(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	result, err := s.collection(r).DeleteMany(ctx, r.Filter, &s.settings.deleteMany)
	return s.deleted(reply, result, err)
}

func (s *Session) deleted(reply *loadgen.Reply, result *driver.DeleteResult, err error) error {
	if result == nil {
		return err
	}
	return written(reply, loadgen.Reply{Documents: result.DeletedCount, Deleted: result.DeletedCount},
		result.Acknowledged, err)
}

// readModifyWrite reads a document and updates it. What it read is no part of the documents that it wrote.
func readModifyWrite(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	if _, err := single(r, s.collection(r).FindOne(ctx, r.Filter, &s.settings.findOne)); err != nil {
		return err
	}
	return updateOne(ctx, s, r, reply)
}

func findOneAndUpdate(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	update, err := crud.UpdateOf(r)
	if err != nil {
		return err
	}
	return exchanged(r, reply, s.collection(r).FindOneAndUpdate(ctx, r.Filter, update, &s.settings.findOneAndUpdate))
}

func findOneAndReplace(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	return exchanged(r, reply,
		s.collection(r).FindOneAndReplace(ctx, r.Filter, r.Documents[0], &s.settings.findOneAndReplace))
}

// exchanged takes the document as it was before it was changed. Where none comes back, an upsert has inserted.
func exchanged(r *workload.Request, reply *loadgen.Reply, result *driver.SingleResult) error {
	documents, err := single(r, result)
	reply.Documents, reply.Matched = reply.Documents+documents, reply.Matched+documents
	if err == nil && r.Upsert && documents == 0 {
		reply.Documents, reply.Inserted = reply.Documents+1, reply.Inserted+1
	}
	return err
}

func findOneAndDelete(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	documents, err := single(r, s.collection(r).FindOneAndDelete(ctx, r.Filter, &s.settings.findOneAndDelete))
	reply.Documents, reply.Deleted = reply.Documents+documents, reply.Deleted+documents
	return err
}

// countDocuments counts; the number comes as one document, or as none.
func countDocuments(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	number, err := s.collection(r).CountDocuments(ctx, r.Filter, &s.settings.count)
	r.Taking.Number(number)
	reply.Documents += min(number, 1)
	return err
}

func estimatedDocumentCount(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	number, err := s.collection(r).EstimatedDocumentCount(ctx, &s.settings.estimate)
	r.Taking.Number(number)
	reply.Documents += min(number, 1)
	return err
}

func distinct(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	var values bson.A
	result := s.collection(r).Distinct(ctx, r.Declared.Field, r.Filter, &s.settings.distinct)
	if err := result.Decode(&values); err != nil {
		return err
	}
	if r.Taking != nil {
		raw, err := result.Raw()
		if err != nil {
			return err
		}
		r.Taking.Batch(raw)
	}
	reply.Documents += int64(len(values))
	return nil
}

func bulkWrite(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	if toSeveral(r.Parts) {
		return bulkWriteToSeveral(ctx, s, r, reply)
	}
	models, err := crud.Models(r.Parts)
	if err != nil {
		return err
	}
	result, err := s.collection(r).BulkWrite(ctx, models, &s.settings.bulk)
	if result == nil {
		return err
	}
	return written(reply, loadgen.Reply{
		Documents: result.InsertedCount + result.MatchedCount + result.UpsertedCount + result.DeletedCount,
		Inserted:  result.InsertedCount + result.UpsertedCount, Matched: result.MatchedCount,
		Modified: result.ModifiedCount, Deleted: result.DeletedCount,
	}, result.Acknowledged, err)
}

// runCommand sends a command, which the driver sends as it is and never twice.
func runCommand(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	document, read := s.build.RunCommand(r), s.build.Terms(r).Read
	if crud.AnswersWithCursor(r.Command) {
		cursor, err := s.database.RunCommandCursor(ctx, document, read)
		if err != nil {
			return err
		}
		return s.read(ctx, cursor, r, true, reply)
	}
	var answer bson.D
	result := s.database.RunCommand(ctx, document, read)
	if err := result.Decode(&answer); err != nil || r.Taking == nil {
		return err
	}
	raw, err := result.Raw()
	r.Taking.Document(raw)
	return err
}
