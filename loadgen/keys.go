package loadgen

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// KeyFinder is a Target that can tell what lies in a collection that was not loaded from a plan.
type KeyFinder interface {
	// FindKeys calls each with the fields of at most so many documents of a collection, in the order of their _id. Of a
	// larger collection they are those whose _id has the least hashes, so that they depend on the collection alone. A
	// document is only valid during the call.
	FindKeys(ctx context.Context, keys KeyQuery, each func(bson.Raw) error) error
}

// KeyQuery is what is asked for of at most so many documents of a collection: their _id and these fields.
type KeyQuery struct {
	Database, Collection string
	Fields               []string
	Most                 int64
}
