package mongo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
)

// preparing is how long one step of preparing may take: an index of a large collection takes far longer than any
// operation that is measured.
const preparing = 24 * time.Hour

// collections makes collections and their indexes.
type collections struct{ client *driver.Client }

// Prepare drops and makes a collection. One that the server does not know all of is refused before.
func (c collections) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	if err := c.supports(ctx, collection); err != nil {
		return ofCollection(collection, err)
	}
	if err := c.client.Database(database).Collection(collection.Name).Drop(ctx); err != nil {
		return ofCollection(collection, fmt.Errorf("dropping it: %w", err))
	}
	return ofCollection(collection, sharding.Create(ctx, c.client.Database(database), collection))
}

// Remove drops collections, and then the one of the mark, so that what was not dropped is known to be a run's.
func (c collections) Remove(ctx context.Context, database string, names ...string) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	for _, name := range append(slices.Clone(names), reportv1.DatasetCollection) {
		if err := c.client.Database(database).Collection(name).Drop(ctx); err != nil {
			return fmt.Errorf("dropping collection %q: %w", name, errorclass.WithoutSecrets(err))
		}
	}
	return nil
}

// supports asks the server for its release where a collection is not for all of them.
func (c collections) supports(ctx context.Context, collection planv1.Collection) error {
	if !schema.NeedsRelease(collection) {
		return nil
	}
	build, err := lookup.Admin(ctx, c.client)(bson.D{{Key: "buildInfo", Value: 1}})
	if err != nil {
		return fmt.Errorf("asking for the server's version: %w", err)
	}
	return schema.Supports(mongod.ParseRelease(lookup.Text(build, "version")), collection)
}

// ofCollection says of an error which collection it is of.
func ofCollection(collection planv1.Collection, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("collection %q: %w", collection.Name, errorclass.WithoutSecrets(err))
}

// Create makes a collection that is missing.
func (c collections) Create(ctx context.Context, database string, collection planv1.Collection) error {
	err := c.supports(ctx, collection)
	if err == nil {
		err = sharding.Create(ctx, c.client.Database(database), collection)
	}
	return ofCollection(collection, err)
}

// Index makes the indexes of a collection. The server leaves one as it is that is there already and the same; one of
// the same name or keys that is another is an error.
func (c collections) Index(ctx context.Context, database string, collection planv1.Collection) error {
	if len(collection.Indexes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	command, err := schema.IndexCommand(collection)
	if err == nil {
		err = c.client.Database(database).RunCommand(ctx, command).Err()
	}
	return ofCollection(collection, err)
}

// ReadSeries returns the stored documents of a time-series collection that have the _id of one of these documents.
// There is no index on _id: the server finds the buckets by the time that these documents are of.
func (c collections) ReadSeries(
	ctx context.Context, database string, collection planv1.Collection, of []bson.Raw,
) ([]bson.Raw, error) {
	from := c.client.Database(database).Collection(collection.Name)
	documents, err := lookup.All[bson.Raw](ctx, from, seriesFilter(collection.TimeSeries.TimeField, of))
	return documents, errorclass.WithoutSecrets(err)
}

// seriesFilter selects documents of these _id among those of their times.
func seriesFilter(timeField string, of []bson.Raw) bson.D {
	ids := make(bson.A, 0, len(of))
	var first, last bson.DateTime
	for i, document := range of {
		ids = append(ids, document.Lookup("_id"))
		at, _ := document.Lookup(timeField).DateTimeOK()
		if i == 0 || bson.DateTime(at) < first {
			first = bson.DateTime(at)
		}
		if i == 0 || bson.DateTime(at) > last {
			last = bson.DateTime(at)
		}
	}
	return bson.D{
		{Key: timeField, Value: bson.D{{Key: "$gte", Value: first}, {Key: "$lte", Value: last}}},
		{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}},
	}
}
