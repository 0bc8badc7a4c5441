package legacy

import (
	"context"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Mark returns the mark of a database; nil when it has none.
func (t *Target) Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error) {
	var found []bson.Raw
	err := t.controlled(ctx, t.servers.Timeout, func(c *conn) error {
		var err error
		found, err = c.find(database, reportv1.DatasetCollection, newCommand("_id", reportv1.DatasetMarkID))
		return err
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &reportv1.DatasetMark{
		Fingerprint: text(found[0], "fingerprint"), State: reportv1.DatasetState(text(found[0], "state")),
	}, nil
}

// SetMark writes the mark.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	return t.controlled(ctx, t.servers.Timeout, func(c *conn) error {
		var m messages
		m.begin(opUpdate)
		m.int32(0)
		m.namespace(database, reportv1.DatasetCollection)
		m.int32(updateUpsert)
		m.document(newCommand("_id", reportv1.DatasetMarkID))
		m.document(newCommand("_id", reportv1.DatasetMarkID, "fingerprint", mark.Fingerprint, "state", string(mark.State)))
		m.end(c.next())
		c.appendCommand(&m, database, newCommand("getlasterror", int32(1), "w", "majority"))
		if c.hello.set == "" {
			// One server alone has no majority to ask, and before 2.6 refuses the question.
			m.bytes = m.bytes[:m.start]
			c.appendCommand(&m, database, newCommand("getlasterror", int32(1)))
		}
		if err := c.send(m.bytes); err != nil {
			return err
		}
		_, err := acknowledged(c)
		return err
	})
}

// Holds returns the names of the database's collections, without the mark's and the server's own.
func (t *Target) Holds(ctx context.Context, database string) ([]string, error) {
	var names []string
	err := t.controlled(ctx, t.servers.Timeout, func(c *conn) error {
		cursor := newCommand("batchSize", int32(1<<20))
		answer, err := c.run(database, newCommand("listCollections", int32(1), "cursor", cursor))
		if err == nil {
			names = listed(answer)
			return nil
		}
		if !saidOrCode(err, "no such cmd", codeCommandNotFound) {
			return err
		}
		// Before 3.0 the names are in a collection, with those of the indexes.
		found, err := c.find(database, "system.namespaces", nil)
		for _, document := range found {
			name := strings.TrimPrefix(text(document, "name"), database+".")
			if !strings.Contains(name, "$") {
				names = append(names, name)
			}
		}
		return err
	})
	var others []string
	for _, name := range names {
		if name != reportv1.DatasetCollection && !strings.HasPrefix(name, "system.") {
			others = append(others, name)
		}
	}
	return others, err
}

func listed(answer bson.Raw) []string {
	batch, _ := answer.Lookup("cursor", "firstBatch").ArrayOK()
	values, _ := batch.Values()
	names := make([]string, 0, len(values))
	for _, value := range values {
		if document, ok := value.DocumentOK(); ok {
			names = append(names, text(document, "name"))
		}
	}
	return names
}

// Sizes of the collections, after a checkpoint where the server is asked for one.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	// A user that may not ask for it gets the sizes of the last checkpoint.
	_, _ = t.runWithin(ctx, preparing, adminDatabase, newCommand("fsync", int32(1)))
	sizes := make([]reportv1.CollectionSize, 0, len(collections))
	for _, collection := range collections {
		answer, err := t.run(ctx, database, newCommand("collStats", collection.Name))
		if err != nil {
			return nil, fmt.Errorf("collection %q: asking for its size: %w", collection.Name, err)
		}
		size := reportv1.CollectionSize{
			Collection: collection.Name, Documents: number(answer, "count"),
			DataBytes: number(answer, "size"), StorageBytes: number(answer, "storageSize"),
			FreeBytes: number(answer, "freeStorageSize"), Indexes: []reportv1.IndexSize{},
		}
		indexes, _ := answer.Lookup("indexSizes").DocumentOK()
		elements, _ := bsoncore.Document(indexes).Elements()
		for _, element := range elements {
			bytes, _ := element.Value().AsInt64OK()
			size.Indexes = append(size.Indexes, reportv1.IndexSize{Name: element.Key(), Bytes: bytes})
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// Balancing says that nothing is moved.
func (t *Target) Balancing(context.Context) (bool, error) { return false, nil }
