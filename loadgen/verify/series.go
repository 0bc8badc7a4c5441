package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"k8s.io/utils/ptr"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// stored reads the documents of a batch. A time-series collection has put the fields of each together anew, so that
// their order, which was not kept, is made the same in those that were to be.
func (c *comparison) stored(ctx context.Context, target loadgen.Target, batch *readBatch) ([]bson.Raw, error) {
	series := c.collection.TimeSeries
	if series == nil {
		return target.Read(ctx, c.database, batch.collection, batch.ids)
	}
	reader, able := target.(loadgen.SeriesReader)
	if !able {
		return nil, fmt.Errorf("%s reads no time-series collections", target.Driver())
	}
	collection := c.collection
	collection.Name, collection.Copies = batch.collection, 0
	stored, err := reader.ReadSeries(ctx, c.database, collection, batch.want)
	if err != nil {
		return nil, err
	}
	for _, documents := range [][]bson.Raw{batch.want, stored} {
		for i := range documents {
			if documents[i], err = inOrder(documents[i], ptr.Deref(series.MetaField, "")); err != nil {
				return nil, err
			}
		}
	}
	return stored, nil
}

// inOrder is a document of a time-series collection with its fields in the order of their names, and so those of
// documents in its metaField: the server keeps each field apart from the others, and sorts what says which series it
// is. Values, and the order of fields within any other value, stay as they are.
func inOrder(document bson.Raw, metaField string) (bson.Raw, error) {
	elements, err := document.Elements()
	if err != nil {
		return nil, fmt.Errorf("reading a document: %w", err)
	}
	slices.SortStableFunc(elements, func(a, b bson.RawElement) int { return cmp.Compare(a.Key(), b.Key()) })
	ordered := make(bson.D, 0, len(elements))
	for _, element := range elements {
		value := element.Value()
		if element.Key() == metaField {
			if value, err = sortedWithin(value); err != nil {
				return nil, err
			}
		}
		ordered = append(ordered, bson.E{Key: element.Key(), Value: value})
	}
	encoded, err := bson.Marshal(ordered)
	if err != nil {
		return nil, fmt.Errorf("writing a document: %w", err)
	}
	return encoded, nil
}

// sortedWithin sorts the fields of a value that is a document, and of the documents within it.
func sortedWithin(value bson.RawValue) (bson.RawValue, error) {
	document, ok := value.DocumentOK()
	if !ok {
		return value, nil
	}
	elements, err := document.Elements()
	if err != nil {
		return value, fmt.Errorf("reading a document: %w", err)
	}
	slices.SortStableFunc(elements, func(a, b bson.RawElement) int { return cmp.Compare(a.Key(), b.Key()) })
	ordered := make(bson.D, 0, len(elements))
	for _, element := range elements {
		within, err := sortedWithin(element.Value())
		if err != nil {
			return value, err
		}
		ordered = append(ordered, bson.E{Key: element.Key(), Value: within})
	}
	encoded, err := bson.Marshal(ordered)
	if err != nil {
		return value, fmt.Errorf("writing a document: %w", err)
	}
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: encoded}, nil
}
