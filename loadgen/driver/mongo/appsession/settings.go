package appsession

import (
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// lister gives the driver the settings of the request under way. A builder would be made for each operation.
type lister[T any] struct {
	setters []func(*T) error
}

// List returns them.
func (l *lister[T]) List() []func(*T) error {
	return l.setters
}

func of[T any](set func(*T)) lister[T] {
	return lister[T]{setters: []func(*T) error{func(o *T) error {
		set(o)
		return nil
	}}}
}

// settings are those of the driver's methods, each of which takes them from the session's request.
type settings struct {
	findOne           lister[options.FindOneOptions]
	find              lister[options.FindOptions]
	aggregate         lister[options.AggregateOptions]
	updateOne         lister[options.UpdateOneOptions]
	updateMany        lister[options.UpdateManyOptions]
	replace           lister[options.ReplaceOptions]
	findOneAndUpdate  lister[options.FindOneAndUpdateOptions]
	findOneAndReplace lister[options.FindOneAndReplaceOptions]
	findOneAndDelete  lister[options.FindOneAndDeleteOptions]
	insertOne         lister[options.InsertOneOptions]
	insertMany        lister[options.InsertManyOptions]
	deleteOne         lister[options.DeleteOneOptions]
	deleteMany        lister[options.DeleteManyOptions]
	estimate          lister[options.EstimatedDocumentCountOptions]
	distinct          lister[options.DistinctOptions]
	count             lister[options.CountOptions]
	bulk              lister[options.BulkWriteOptions]
}

func newSettings(s *Session) settings {
	all := settings{
		insertOne:  of(func(o *options.InsertOneOptions) { o.Comment = crud.CommentOf(s.request) }),
		insertMany: of(func(o *options.InsertManyOptions) { o.Comment = crud.CommentOf(s.request) }),
		count: of(func(o *options.CountOptions) {
			o.Skip, o.Limit = positive(s.request.Skip), positive(s.request.Limit)
			o.Hint, o.Collation, o.Comment = rare(s.request)
		}),
		estimate: of(func(o *options.EstimatedDocumentCountOptions) { o.Comment = crud.CommentOf(s.request) }),
		distinct: of(func(o *options.DistinctOptions) { o.Hint, o.Collation, o.Comment = rare(s.request) }),
		bulk: of(func(o *options.BulkWriteOptions) {
			o.Ordered, o.Let, o.Comment = &s.request.Ordered, crud.LetOf(s.request), crud.CommentOf(s.request)
		}),
	}
	all.setReads(s)
	all.setUpdates(s)
	all.setExchanges(s)
	return all
}

// rare are the settings that most operations may have and few have.
func rare(r *workload.Request) (hint any, collation *options.Collation, comment any) {
	if r.Options == nil {
		return nil, nil, nil
	}
	return crud.HintOf(r), crud.CollationOf(r), crud.CommentOf(r)
}

// setReads are those of what returns documents.
func (all *settings) setReads(s *Session) {
	all.findOne = of(func(o *options.FindOneOptions) {
		o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		o.Hint, o.Collation, o.Comment = rare(s.request)
	})
	all.find = of(func(o *options.FindOptions) {
		o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		o.Skip, o.Limit, o.BatchSize = positive(s.request.Skip), positive(s.request.Limit), positive(s.request.BatchSize)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
	all.aggregate = of(func(o *options.AggregateOptions) {
		o.BatchSize, o.AllowDiskUse = positive(s.request.BatchSize), s.request.AllowDiskUse
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
}

// setUpdates are those of what updates, replaces and deletes.
func (all *settings) setUpdates(s *Session) {
	all.updateOne = of(func(o *options.UpdateOneOptions) {
		o.Upsert, o.Sort = upsert(s.request.Upsert), document(s.request.Sort)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.ArrayFilters, o.Let = crud.ArrayFiltersOf(s.request), crud.LetOf(s.request)
	})
	all.updateMany = of(func(o *options.UpdateManyOptions) {
		o.Upsert = upsert(s.request.Upsert)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.ArrayFilters, o.Let = crud.ArrayFiltersOf(s.request), crud.LetOf(s.request)
	})
	all.replace = of(func(o *options.ReplaceOptions) {
		o.Upsert, o.Sort = upsert(s.request.Upsert), document(s.request.Sort)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
	all.deleteOne = of(func(o *options.DeleteOneOptions) {
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
	all.deleteMany = of(func(o *options.DeleteManyOptions) {
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
}

// setExchanges are those of what changes a document and returns it.
func (all *settings) setExchanges(s *Session) {
	all.findOneAndUpdate = of(func(o *options.FindOneAndUpdateOptions) {
		o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		o.Upsert = upsert(s.request.Upsert)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.ArrayFilters, o.Let = crud.ArrayFiltersOf(s.request), crud.LetOf(s.request)
	})
	all.findOneAndReplace = of(func(o *options.FindOneAndReplaceOptions) {
		o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		o.Upsert = upsert(s.request.Upsert)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
	all.findOneAndDelete = of(func(o *options.FindOneAndDeleteOptions) {
		o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		o.Hint, o.Collation, o.Comment = rare(s.request)
		o.Let = crud.LetOf(s.request)
	})
}

// document is a document that may be left out.
func document(value []byte) any {
	if len(value) == 0 {
		return nil
	}
	return value
}

// positive is a number, unless it is 0, which means the server's default.
func positive[T int32 | int64](value T) *T {
	if value <= 0 {
		return nil
	}
	return &value
}

func upsert(value bool) *bool {
	if !value {
		return nil
	}
	return &value
}
