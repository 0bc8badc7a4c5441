package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// Read returns the stored documents with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	from := t.client.Database(database).Collection(collection)
	documents, err := lookup.All[bson.Raw](ctx, from, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}})
	return documents, errorclass.WithoutSecrets(err)
}

// Traffic is what went over all connections since the target was opened.
func (t *Target) Traffic() reportv1.Traffic {
	traffic := t.traffic.Sum()
	bytesIn, bytesOut := t.byWire.Traffic()
	replayedIn, replayedOut := t.byReplay.Traffic()
	bytesIn, bytesOut = bytesIn+replayedIn, bytesOut+replayedOut
	traffic.BytesIn += bytesIn
	traffic.BytesOut += bytesOut
	return traffic
}

// Count counts the documents of a collection, by reading them: what the server remembers as the count is wrong after an
// unclean stop.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	number, err := t.client.Database(database).Collection(collection).CountDocuments(ctx, bson.D{})
	return number, errorclass.WithoutSecrets(err)
}

// Estimate returns the number of documents that the server remembers, which is at once as good as its last write. With
// shards those of moved chunks that are still to be deleted are among them.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	ofPrimary := options.Collection().SetReadPreference(readpref.Primary())
	number, err := t.client.Database(database).Collection(collection, ofPrimary).EstimatedDocumentCount(ctx)
	return number, errorclass.WithoutSecrets(err)
}

// storedMark is the mark as the database holds it.
type storedMark struct {
	ID          string                `bson:"_id"`
	Fingerprint string                `bson:"fingerprint"`
	State       reportv1.DatasetState `bson:"state"`
	LoadBegan   int64                 `bson:"loadBegan,omitempty"`
}

// marks is the collection of a database that its mark is in, and its claim. What the connection string says of reading
// and writing is for the workload: they are written for good and read where they were written.
func (c claims) marks(database string) *driver.Collection {
	return c.client.Database(database).Collection(reportv1.DatasetCollection, options.Collection().
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
	return &reportv1.DatasetMark{
		Fingerprint: found.Fingerprint, State: found.State, LoadBegan: found.LoadBegan,
	}, nil
}

// SetMark writes the mark, acknowledged by a majority.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	stored := storedMark{
		ID: reportv1.DatasetMarkID, Fingerprint: mark.Fingerprint, State: mark.State, LoadBegan: mark.LoadBegan,
	}
	_, err := t.marks(database).ReplaceOne(ctx, bson.D{{Key: "_id", Value: reportv1.DatasetMarkID}}, stored,
		options.Replace().SetUpsert(true))
	return errorclass.WithoutSecrets(err)
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

// sampleBatch is how many documents of a sample come at a time.
const sampleBatch = 1000

// CollectionInfo is what a server tells of a collection besides its documents.
type CollectionInfo struct {
	// Options that it was created with, and Indexes, as the server lists them.
	Options bson.Raw
	Indexes []bson.Raw
	// Documents is their number by the server's own counting, which an unclean stop may have put wrong.
	Documents int64
}

// About returns what the server tells of a collection. One that is not there is an error.
func (t *Target) About(ctx context.Context, database, collection string) (info CollectionInfo, err error) {
	db, name := t.client.Database(database), database+"."+collection
	defer func() { err = errorclass.WithoutSecrets(err) }()
	found, err := db.ListCollectionSpecifications(ctx, bson.D{{Key: "name", Value: collection}})
	if err != nil {
		return info, fmt.Errorf("looking for collection %s: %w", name, err)
	}
	if len(found) == 0 {
		return info, fmt.Errorf("there is no collection %s; check --database and --collection, which heed upper and "+
			"lower case", name)
	}
	if found[0].Type == "view" {
		return info, fmt.Errorf("%s is a view; name the collection that it is of", name)
	}
	info.Options = found[0].Options
	cursor, err := db.Collection(collection).Indexes().List(ctx)
	if err == nil {
		err = cursor.All(ctx, &info.Indexes)
	}
	if err != nil {
		return info, fmt.Errorf("listing the indexes of %s: %w", name, err)
	}
	info.Documents, err = db.Collection(collection).EstimatedDocumentCount(ctx)
	if err != nil {
		return info, fmt.Errorf("counting collection %s: %w", name, err)
	}
	return info, nil
}

// Sample calls each with size random documents of a collection, or with all when there are no more. A document is only
// valid during the call.
func (t *Target) Sample(
	ctx context.Context, database, collection string, size int64, each func(bson.Raw) error,
) (err error) {
	from := t.client.Database(database).Collection(collection)
	defer func() { err = errorclass.WithoutSecrets(err) }()
	documents, err := from.EstimatedDocumentCount(ctx)
	if err != nil {
		return fmt.Errorf("counting collection %s.%s: %w", database, collection, err)
	}
	pipeline := bson.A{bson.D{{Key: "$sample", Value: bson.D{{Key: "size", Value: size}}}}}
	if documents <= size {
		pipeline = bson.A{}
	}
	// A sample of more than a twentieth is sorted, which may need more memory than the server gives it.
	withDisk := options.Aggregate().SetAllowDiskUse(true).SetBatchSize(sampleBatch)
	cursor, err := from.Aggregate(ctx, pipeline, withDisk)
	if err != nil {
		return fmt.Errorf("sampling collection %s.%s: %w", database, collection, err)
	}
	defer func() { _ = cursor.Close(context.WithoutCancel(ctx)) }()
	for cursor.Next(ctx) {
		if err := each(cursor.Current); err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return fmt.Errorf("sampling collection %s.%s: %w", database, collection, err)
	}
	return nil
}

// storedCheckpoint is a checkpoint as the database holds it.
type storedCheckpoint struct {
	ID                      string `bson:"_id"`
	reportv1.LoadCheckpoint `bson:",inline"`
}

// checkpoints finds those of all pods.
var checkpoints = bson.D{{Key: "_id", Value: bson.D{
	{Key: "$gte", Value: reportv1.CheckpointID}, {Key: "$lt", Value: reportv1.CheckpointID + "~"},
}}}

// Checkpoints returns those of all pods.
func (t *Target) Checkpoints(ctx context.Context, database string) ([]reportv1.LoadCheckpoint, error) {
	cursor, err := t.marks(database).Find(ctx, checkpoints)
	if err != nil {
		return nil, errorclass.WithoutSecrets(err)
	}
	var stored []storedCheckpoint
	if err := cursor.All(ctx, &stored); err != nil {
		return nil, errorclass.WithoutSecrets(err)
	}
	found := make([]reportv1.LoadCheckpoint, len(stored))
	for i := range stored {
		found[i] = stored[i].LoadCheckpoint
	}
	return found, nil
}

// SetCheckpoint replaces that of a pod. It is journaled by a majority: the journal of a server, and the oplog of a
// replica set, are in order, so that what was acknowledged before it is as durable.
func (t *Target) SetCheckpoint(ctx context.Context, database string, checkpoint reportv1.LoadCheckpoint) error {
	journaled := true
	marks := t.client.Database(database).Collection(reportv1.DatasetCollection, options.Collection().
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journaled}))
	stored := storedCheckpoint{ID: reportv1.CheckpointID + strconv.Itoa(checkpoint.Pod), LoadCheckpoint: checkpoint}
	_, err := marks.ReplaceOne(ctx, bson.D{{Key: "_id", Value: stored.ID}}, stored, options.Replace().SetUpsert(true))
	return errorclass.WithoutSecrets(err)
}

// ClearCheckpoints removes those of all pods.
func (t *Target) ClearCheckpoints(ctx context.Context, database string) error {
	_, err := t.marks(database).DeleteMany(ctx, checkpoints)
	return errorclass.WithoutSecrets(err)
}
