package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// storedMark is the mark as the database holds it.
type storedMark struct {
	ID          string                `bson:"_id"`
	Fingerprint string                `bson:"fingerprint"`
	State       reportv1.DatasetState `bson:"state"`
}

// marks is the collection of a database that its mark is in. What the connection string says of reading and writing is
// for the workload: the mark is written for good and read where it was written.
func (t *Target) marks(database string) *driver.Collection {
	return t.client.Database(database).Collection(reportv1.DatasetCollection, options.Collection().
		SetReadPreference(readpref.Primary()).SetReadConcern(readconcern.Local()).
		SetWriteConcern(writeconcern.Majority()))
}

// Mark returns the mark of a database; nil when it has none.
func (t *Target) Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error) {
	var found storedMark
	err := t.marks(database).FindOne(ctx, bson.D{{Key: "_id", Value: reportv1.DatasetMarkID}}).Decode(&found)
	switch {
	case errors.Is(err, driver.ErrNoDocuments):
		return nil, nil //nolint:nilnil // A database without a mark is none of ours, which is no error.
	case err != nil:
		return nil, errorclass.WithoutSecrets(err)
	}
	return &reportv1.DatasetMark{Fingerprint: found.Fingerprint, State: found.State}, nil
}

// SetMark writes the mark, acknowledged by a majority.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	stored := storedMark{ID: reportv1.DatasetMarkID, Fingerprint: mark.Fingerprint, State: mark.State}
	_, err := t.marks(database).ReplaceOne(ctx, bson.D{{Key: "_id", Value: reportv1.DatasetMarkID}}, stored,
		options.Replace().SetUpsert(true))
	if err != nil {
		return errorclass.WithoutSecrets(err)
	}
	return nil
}

// Holds returns the names of the database's collections, without the mark's and the server's own.
func (t *Target) Holds(ctx context.Context, database string) ([]string, error) {
	names, err := t.client.Database(database).ListCollectionNames(ctx, bson.D{})
	if err != nil {
		return nil, fmt.Errorf("listing the collections: %w", errorclass.WithoutSecrets(err))
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == reportv1.DatasetCollection || strings.HasPrefix(name, "system.")
	})
	slices.Sort(names)
	return names, nil
}
