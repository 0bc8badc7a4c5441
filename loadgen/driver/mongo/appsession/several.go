package appsession

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// toSeveral says whether the parts of a BulkWrite go to several collections.
func toSeveral(parts []workload.Request) bool {
	for i := range parts {
		if parts[i].Collection != parts[0].Collection {
			return true
		}
	}
	return false
}

// bulkWriteToSeveral does a BulkWrite whose parts go to several collections, by the one command that MongoDB has for
// this from 8.0 on.
func bulkWriteToSeveral(ctx context.Context, s *Session, r *workload.Request, reply *loadgen.Reply) error {
	writes, err := crud.ClientWrites(s.database.Name(), r.Parts)
	if err != nil {
		return err
	}
	own := of(func(o *options.ClientBulkWriteOptions) {
		o.Ordered, o.Let, o.Comment = &r.Ordered, crud.LetOf(r), crud.CommentOf(r)
		if r.Declared != nil && r.Declared.WriteConcern != nil {
			o.WriteConcern = crud.WriteConcern(*r.Declared.WriteConcern)
		}
	})
	result, err := s.opener.Client.BulkWrite(ctx, writes, &own)
	err = errorclass.OfClient(err)
	if result == nil {
		return err
	}
	return written(reply, loadgen.Reply{
		Documents: result.InsertedCount + result.MatchedCount + result.UpsertedCount + result.DeletedCount,
		Inserted:  result.InsertedCount + result.UpsertedCount, Matched: result.MatchedCount,
		Modified: result.ModifiedCount, Deleted: result.DeletedCount,
	}, result.Acknowledged, err)
}
