package mongo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

var _ loadgen.KeyFinder = (*Target)(nil)

const (
	// scanBatch is how many values of _id of a scan come at a time, and fetchBatch how many documents are asked for.
	scanBatch, fetchBatch = 10_000, 1000
	// maxIDBytes are those of the longest _id that is taken as a key.
	maxIDBytes = 1024
)

// FindKeys calls each with fields of documents. The index on _id is read from one end to the other, since a random
// sample would be another one for every load pod.
func (t *Target) FindKeys(ctx context.Context, keys loadgen.KeyQuery, each func(bson.Raw) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	defer func() { err = errorclass.WithoutSecrets(err) }()
	from := t.client.Database(keys.Database).Collection(keys.Collection)
	chosen, err := chooseIDs(ctx, from, int(keys.Most))
	if err != nil {
		return fmt.Errorf("reading the _id of all documents: %w", err)
	}
	projection := bson.D{}
	for _, field := range keys.Fields {
		projection = append(projection, bson.E{Key: field, Value: 1})
	}
	for batch := range slices.Chunk(chosen, fetchBatch) {
		if err := fetch(ctx, from, batch, projection, each); err != nil {
			return fmt.Errorf("reading the documents of the keys: %w", err)
		}
	}
	return nil
}

// chooseIDs are the values of _id with the least hashes, in the order of the index.
func chooseIDs(ctx context.Context, from *driver.Collection, most int) ([]bson.RawValue, error) {
	byID := bson.D{{Key: "_id", Value: 1}}
	scan := options.Find().SetProjection(byID).SetSort(byID).SetBatchSize(scanBatch)
	// With the hint the index alone is read. What has none on _id, as a view, is sorted, which may need the disk.
	cursor, err := from.Find(ctx, bson.D{}, scan.SetHint(byID))
	if refused := new(driver.CommandError); errors.As(err, refused) && refused.Code == badValue {
		cursor, err = from.Find(ctx, bson.D{}, scan.SetHint(nil).SetAllowDiskUse(true))
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = cursor.Close(context.WithoutCancel(ctx)) }()
	chosen := choice{most: most, below: math.MaxUint64}
	for at := 0; cursor.Next(ctx); at++ {
		chosen.offer(at, cursor.Current.Lookup("_id"))
	}
	return chosen.ids(), cursor.Err()
}

// badValue is how a server refuses a hint at an index that is not there.
const badValue = 2

// candidate is an _id with its hash and its place in the index.
type candidate struct {
	hash uint64
	at   int
	id   bson.RawValue
}

// choice are the candidates with the least hashes, and up to as many more, which are sorted out from time to time.
type choice struct {
	most       int
	candidates []candidate
	// below is what a hash has to be to be among them.
	below uint64
}

// offer takes a candidate.
func (c *choice) offer(at int, id bson.RawValue) {
	hash := uint64(stream.New(int64(id.Type), string(id.Value)))
	if hash >= c.below || len(id.Value) > maxIDBytes {
		return
	}
	kept := bson.RawValue{Type: id.Type, Value: slices.Clone(id.Value)}
	c.candidates = append(c.candidates, candidate{hash: hash, at: at, id: kept})
	if len(c.candidates) == 2*c.most {
		c.sortOut()
	}
}

func (c *choice) sortOut() {
	if len(c.candidates) <= c.most {
		return
	}
	slices.SortFunc(c.candidates, func(a, b candidate) int { return cmp.Compare(a.hash, b.hash) })
	clear(c.candidates[c.most:])
	c.candidates = c.candidates[:c.most]
	c.below = c.candidates[c.most-1].hash
}

// ids are those that were chosen, in the order of the index.
func (c *choice) ids() []bson.RawValue {
	c.sortOut()
	slices.SortFunc(c.candidates, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
	ids := make([]bson.RawValue, len(c.candidates))
	for i := range c.candidates {
		ids[i] = c.candidates[i].id
	}
	return ids
}

// fetch calls each with fields of documents, in the order of their ids. One that is gone by now is left out.
func fetch(
	ctx context.Context, from *driver.Collection, ids []bson.RawValue, projection bson.D, each func(bson.Raw) error,
) error {
	key := func(id bson.RawValue) string { return string(append([]byte{byte(id.Type)}, id.Value...)) }
	filter := bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
	cursor, err := from.Find(ctx, filter, options.Find().SetProjection(projection))
	if err != nil {
		return err
	}
	var documents []bson.Raw
	if err := cursor.All(ctx, &documents); err != nil {
		return err
	}
	found := make(map[string]bson.Raw, len(documents))
	for _, document := range documents {
		found[key(document.Lookup("_id"))] = document
	}
	for _, id := range ids {
		if document, there := found[key(id)]; there {
			if err := each(document); err != nil {
				return err
			}
		}
	}
	return nil
}
