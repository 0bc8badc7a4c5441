package mongo

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
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

// FindKeys calls each with these fields of at most so many documents of a collection. The index on _id is read from one
// end to the other, since a random sample would be another one for every load pod.
func (t *Target) FindKeys(
	ctx context.Context, database, collection string, fields []string, most int64, each func(bson.Raw) error,
) (err error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	defer func() { err = errorclass.WithoutSecrets(err) }()
	from := t.client.Database(database).Collection(collection)
	chosen, err := chooseIDs(ctx, from, int(most))
	if err != nil {
		return fmt.Errorf("reading the _id of all documents: %w", err)
	}
	projection := bson.D{}
	for _, field := range fields {
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
	var chosen choice
	for at := 0; cursor.Next(ctx); at++ {
		chosen.offer(at, cursor.Current.Lookup("_id"), most)
	}
	if err := cursor.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(chosen, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
	ids := make([]bson.RawValue, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].id
	}
	return ids, nil
}

// badValue is how a server refuses a hint at an index that is not there.
const badValue = 2

// candidate is an _id with its hash and its place in the index.
type candidate struct {
	hash uint64
	at   int
	id   bson.RawValue
}

// choice are candidates, the one with the highest hash first.
type choice []candidate

// offer takes a candidate, and no more than most: those with the least hashes.
func (c *choice) offer(at int, id bson.RawValue, most int) {
	if len(id.Value) > maxIDBytes {
		return
	}
	hash := uint64(stream.New(int64(id.Type), string(id.Value)))
	if len(*c) == most && hash >= (*c)[0].hash {
		return
	}
	taken := candidate{hash: hash, at: at, id: bson.RawValue{Type: id.Type, Value: slices.Clone(id.Value)}}
	if len(*c) < most {
		heap.Push(c, taken)
		return
	}
	(*c)[0] = taken
	heap.Fix(c, 0)
}

// Len, Less, Swap, Push and Pop are those of a heap.
func (c choice) Len() int           { return len(c) }
func (c choice) Less(i, j int) bool { return c[i].hash > c[j].hash }
func (c choice) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push appends a candidate.
func (c *choice) Push(one any) { *c = append(*c, one.(candidate)) }

// Pop removes the last.
func (c *choice) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
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
