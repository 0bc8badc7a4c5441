package drivertest

import (
	"context"
	"maps"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

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
