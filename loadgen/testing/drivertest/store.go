package drivertest

import (
	"context"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Contents is what a collection holds: how many documents, and a sum of their hashes that does not depend on their
// order.
type Contents struct {
	Documents int64
	Sum       uint64
}

// Collections are the contents of all collections.
func (t *Target) Collections() map[string]Contents {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return maps.Clone(t.collections)
}

// Indexed are the collections that indexes were made of, in this order.
func (t *Target) Indexed() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.indexed)
}

// Prepare empties the collection.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	t.mutex.Lock()
	delete(t.collections, collection.Name)
	delete(t.documents, collection.Name)
	t.mutex.Unlock()
	return t.Create(ctx, database, collection)
}

// Create makes a collection that is missing.
func (t *Target) Create(_ context.Context, _ string, collection planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.collections == nil {
		t.collections, t.documents = map[string]Contents{}, map[string]map[string]bson.Raw{}
	}
	if t.documents[collection.Name] == nil {
		t.collections[collection.Name] = Contents{}
		t.documents[collection.Name] = map[string]bson.Raw{}
	}
	return nil
}

// Index remembers which collection it was told.
func (t *Target) Index(_ context.Context, _ string, collection planv1.Collection) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.indexed = append(t.indexed, collection.Name)
	return nil
}

// Count counts what was inserted, less what the script loses.
func (t *Target) Count(_ context.Context, _, collection string) (int64, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.collections[collection].Documents - t.Lose, nil
}

// Read finds the documents that were kept.
func (t *Target) Read(_ context.Context, _, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var found []bson.Raw
	for _, id := range ids {
		document := t.documents[collection][id.String()]
		if document != nil && t.Spoil != nil {
			document = t.Spoil(document)
		}
		if document != nil {
			found = append(found, document)
		}
	}
	return found, nil
}

// insert adds a batch to a collection. Documents that are there already are left out when that is allowed, and else
// counted twice.
func (t *Target) insert(b batch, resume bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.batches++
	contents := t.collections[b.collection]
	for _, document := range b.documents {
		if t.Keep {
			id := document.Lookup("_id").String()
			if _, there := t.documents[b.collection][id]; there && resume {
				continue
			}
			t.documents[b.collection][id] = document
		}
		contents.Documents++
		contents.Sum += hash(document)
	}
	t.collections[b.collection] = contents
}

// bytesPerDocument is what every document and every index entry takes, by the script.
const bytesPerDocument = 100

// Marks are the marks that were written, in their order.
func (t *Target) Marks() []reportv1.DatasetMark {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.marks)
}

// Mark is the last that was written.
func (t *Target) Mark(context.Context, string) (*reportv1.DatasetMark, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.marks) == 0 {
		return nil, nil //nolint:nilnil // A database without a mark is no error.
	}
	last := t.marks[len(t.marks)-1]
	return &last, nil
}

// SetMark remembers a mark.
func (t *Target) SetMark(_ context.Context, _ string, mark reportv1.DatasetMark) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.marks = append(t.marks, mark)
	return nil
}

// Holds are the names of the collections that were made, and of Foreign ones.
func (t *Target) Holds(context.Context, string) ([]string, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return append(slices.Sorted(maps.Keys(t.collections)), t.Foreign...), nil
}

// Sizes are as much as the script says for every document, on one shard.
func (t *Target) Sizes(
	_ context.Context, _ string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	sizes := make([]reportv1.CollectionSize, 0, len(collections))
	for _, collection := range collections {
		documents := t.collections[collection.Name].Documents
		sizes = append(sizes, reportv1.CollectionSize{
			Collection: collection.Name, Documents: documents,
			DataBytes: documents * bytesPerDocument, StorageBytes: documents * bytesPerDocument / 2,
			Indexes: []reportv1.IndexSize{{Name: "_id_", Bytes: documents}},
		})
	}
	return sizes, nil
}

// Balancing is never going on.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
