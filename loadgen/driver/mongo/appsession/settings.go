package appsession

import (
	"go.mongodb.org/mongo-driver/v2/mongo/options"
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
	count             lister[options.CountOptions]
	bulk              lister[options.BulkWriteOptions]
}

func newSettings(s *Session) settings {
	return settings{
		findOne: of(func(o *options.FindOneOptions) {
			o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		}),
		find: of(func(o *options.FindOptions) {
			o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
			o.Skip, o.Limit, o.BatchSize = positive(s.request.Skip), positive(s.request.Limit), positive(s.request.BatchSize)
		}),
		aggregate: of(func(o *options.AggregateOptions) {
			o.BatchSize, o.AllowDiskUse = positive(s.request.BatchSize), s.request.AllowDiskUse
		}),
		updateOne:  of(func(o *options.UpdateOneOptions) { o.Upsert = upsert(s.request.Upsert) }),
		updateMany: of(func(o *options.UpdateManyOptions) { o.Upsert = upsert(s.request.Upsert) }),
		replace:    of(func(o *options.ReplaceOptions) { o.Upsert = upsert(s.request.Upsert) }),
		findOneAndUpdate: of(func(o *options.FindOneAndUpdateOptions) {
			o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
			o.Upsert = upsert(s.request.Upsert)
		}),
		findOneAndReplace: of(func(o *options.FindOneAndReplaceOptions) {
			o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
			o.Upsert = upsert(s.request.Upsert)
		}),
		findOneAndDelete: of(func(o *options.FindOneAndDeleteOptions) {
			o.Projection, o.Sort = document(s.request.Projection), document(s.request.Sort)
		}),
		count: of(func(o *options.CountOptions) {
			o.Skip, o.Limit = positive(s.request.Skip), positive(s.request.Limit)
		}),
		bulk: of(func(o *options.BulkWriteOptions) { o.Ordered = &s.request.Ordered }),
	}
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
