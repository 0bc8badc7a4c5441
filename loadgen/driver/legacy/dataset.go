package legacy

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

// preparing is how long what reads or writes a whole collection may take: an index of a large one takes far longer than
// any operation that is measured. All else may take as long as an operation.
const preparing = 24 * time.Hour

// controlled does something over the control connection, outside of any measurement, which may take as long as limit.
// One that broke is replaced at its next use.
func (t *Target) controlled(ctx context.Context, limit time.Duration, do func(*conn) error) error {
	late := fmt.Errorf("no reply within %s: %w", limit, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	t.admin.Lock()
	defer t.admin.Unlock()
	if t.control == nil {
		var err error
		if t.control, err = t.dial(ctx); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, t.control.Abort)
	err := do(t.control)
	if !stop() || err != nil && !isRefusal(err) {
		t.control.Close()
		t.control = nil
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return err
}

// run sends one command and returns a copy of its reply.
func (t *Target) run(ctx context.Context, database string, document bson.Raw) (bson.Raw, error) {
	return t.runWithin(ctx, t.servers.Timeout, database, document)
}

// runWithin is run for a command that may take as long as limit.
func (t *Target) runWithin(
	ctx context.Context, limit time.Duration, database string, document bson.Raw,
) (answer bson.Raw, err error) {
	err = t.controlled(ctx, limit, func(c *conn) error {
		found, err := c.run(database, document)
		answer = bytes.Clone(found)
		return err
	})
	return answer, err
}

// Describe returns what the server says of itself.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	server, err := describe.Server(func(command bson.D) (bson.Raw, error) {
		return t.run(ctx, adminDatabase, encoded(command))
	})
	if err != nil {
		return server, err
	}
	if server.Product == "TokuMX" {
		server.StorageEngine = server.Product
	} else if server.StorageEngine == "" {
		server.StorageEngine = "mmapv1" // The only one before 3.0, which therefore had no name.
	}
	if t.servers.WriteConcern != nil {
		server.Durability = loadgen.ConcernDurability(*t.servers.WriteConcern, server)
	}
	server.TLS = connection.TLSName(t.servers.Wire.TLS != nil)
	return server, nil
}

// Prepare drops and makes a collection. One that the server does not know all of is refused before.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	if err := t.supports(ctx, collection); err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	_, err := t.runWithin(ctx, preparing, database, newCommand("drop", collection.Name))
	if err != nil && !errorclass.HasCode(err, errorclass.NamespaceNotFound) {
		return fmt.Errorf("collection %q: dropping it: %w", collection.Name, err)
	}
	return t.Create(ctx, database, collection)
}

// Create makes a collection that is missing.
func (t *Target) Create(ctx context.Context, database string, collection planv1.Collection) error {
	if err := t.supports(ctx, collection); err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	command, err := schema.CreateCommand(collection)
	if err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	_, err = t.run(ctx, database, encoded(command))
	if err != nil && !errorclass.HasCode(err, errorclass.NamespaceExists) {
		return fmt.Errorf("collection %q: making it: %w", collection.Name, err)
	}
	return nil
}

// supports asks the server for its release where a collection is not for all of them: one that is old takes options
// that it does not know, and ignores them.
func (t *Target) supports(ctx context.Context, collection planv1.Collection) error {
	if !schema.NeedsRelease(collection) {
		return nil
	}
	build, err := t.run(ctx, adminDatabase, encoded(bson.D{{Key: "buildInfo", Value: 1}}))
	if err != nil {
		return fmt.Errorf("asking for the server's version: %w", err)
	}
	return schema.Supports(mongod.ParseRelease(lookup.Text(build, "version")), collection)
}

// Index makes the indexes of a collection: by a command, or before 2.6 by an insert into system.indexes.
func (t *Target) Index(ctx context.Context, database string, collection planv1.Collection) error {
	if len(collection.Indexes) == 0 {
		return nil
	}
	command, err := schema.IndexCommand(collection)
	if err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	_, err = t.runWithin(ctx, preparing, database, encoded(command))
	if errorclass.HasCode(err, errorclass.CommandNotFound) {
		err = t.insertIndexes(ctx, database, collection)
	}
	if err != nil {
		return fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	return nil
}

// insertIndexes inserts the indexes of a collection into system.indexes, one after the other.
func (t *Target) insertIndexes(ctx context.Context, database string, collection planv1.Collection) error {
	for _, index := range collection.Indexes {
		definition, err := schema.IndexDefinition(index)
		if err != nil {
			return err
		}
		definition = append(bson.D{{Key: "ns", Value: database + "." + collection.Name}}, definition...)
		var m messages
		m.begin(opInsert, 0, database, "system.indexes")
		m.document(encoded(definition))
		if err := t.write(ctx, preparing, database, &m); err != nil {
			return err
		}
	}
	return nil
}

// write sends an opcode and the question how it went, with more terms of the question.
func (t *Target) write(
	ctx context.Context, limit time.Duration, database string, m *messages, terms ...any,
) error {
	_, err := t.change(ctx, limit, database, m, terms...)
	return err
}

// change is write, and returns how many documents it was about, as updates and deletes know.
func (t *Target) change(
	ctx context.Context, limit time.Duration, database string, m *messages, terms ...any,
) (number int64, err error) {
	err = t.controlled(ctx, limit, func(c *conn) (err error) {
		m.end(c.next())
		if c.hello.Set == "" {
			terms = nil // One server alone has no majority to ask, and before 2.6 refuses the question.
		}
		m.command(c, database, newCommand(append([]any{"getlasterror", 1}, terms...)...))
		if err := c.Write(m.bytes); err != nil {
			return err
		}
		number, err = c.acknowledged()
		return err
	})
	return number, err
}

// Count counts the documents of a collection by reading them.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	// A query that every document passes makes the server look at each, rather than at what it remembers.
	everything := newCommand("_id", newCommand("$exists", true))
	answer, err := t.runWithin(ctx, preparing, database, newCommand("count", collection, "query", everything))
	return lookup.Number(answer, "n"), err
}

// Read returns the stored documents with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	return t.find(ctx, database, collection, encoded(bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}))
}

// find reads all documents that pass a filter.
func (t *Target) find(
	ctx context.Context, database, collection string, filter bson.Raw,
) (documents []bson.Raw, err error) {
	err = t.controlled(ctx, t.servers.Timeout, func(c *conn) (err error) {
		documents, err = c.find(database, collection, filter)
		return err
	})
	return documents, err
}

// find reads all documents that pass a filter, outside of any measurement.
func (c *conn) find(database, collection string, filter bson.Raw) ([]bson.Raw, error) {
	var m messages
	m.query(database, collection, 0, 0)
	m.document(filter)
	m.end(c.next())
	var documents []bson.Raw
	for {
		answer, err := c.ask(m.bytes)
		if err != nil {
			return nil, err
		}
		for rest := answer.documents; len(rest) > 0; {
			length, _ := documentLength(rest)
			documents = append(documents, bytes.Clone(rest[:length]))
			rest = rest[length:]
		}
		if answer.cursor == 0 {
			return documents, nil
		}
		m.reset()
		m.getMore(c, database, collection, 0, answer.cursor)
	}
}

// Estimate returns the number of documents that the server remembers.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	answer, err := t.runWithin(ctx, preparing, database, newCommand("count", collection))
	return lookup.Number(answer, "n"), err
}

// Mark returns the mark of a database; nil when it has none.
func (t *Target) Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error) {
	found, err := t.find(ctx, database, reportv1.DatasetCollection, newCommand("_id", reportv1.DatasetMarkID))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &reportv1.DatasetMark{
		Fingerprint: lookup.Text(found[0], "fingerprint"), State: reportv1.DatasetState(lookup.Text(found[0], "state")),
		LoadBegan: lookup.Number(found[0], "loadBegan"),
	}, nil
}

// SetMark writes the mark.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	var m messages
	m.begin(opUpdate, 0, database, reportv1.DatasetCollection)
	m.int32(updateUpsert)
	m.document(newCommand("_id", reportv1.DatasetMarkID))
	m.document(newCommand("_id", reportv1.DatasetMarkID, "fingerprint", mark.Fingerprint, "state", string(mark.State),
		"loadBegan", mark.LoadBegan))
	return t.write(ctx, t.servers.Timeout, database, &m, "w", "majority")
}

// Holds returns the names of the database's collections, without the mark's and the server's own.
func (t *Target) Holds(ctx context.Context, database string) ([]string, error) {
	var names []string
	err := t.controlled(ctx, t.servers.Timeout, func(c *conn) error {
		cursor := newCommand("batchSize", 1<<20)
		answer, err := c.run(database, newCommand("listCollections", 1, "cursor", cursor))
		if err == nil {
			for _, document := range lookup.Documents(answer, "cursor", "firstBatch") {
				names = append(names, lookup.Text(document, "name"))
			}
			return nil
		}
		if !errorclass.HasCode(err, errorclass.CommandNotFound) {
			return err
		}
		// Before 3.0 the names are in a collection, with those of the indexes.
		found, err := c.find(database, "system.namespaces", nil)
		for _, document := range found {
			name := strings.TrimPrefix(lookup.Text(document, "name"), database+".")
			if !strings.Contains(name, "$") {
				names = append(names, name)
			}
		}
		return err
	})
	return slices.DeleteFunc(names, func(name string) bool {
		return name == reportv1.DatasetCollection || strings.HasPrefix(name, "system.")
	}), err
}

// Sizes of the collections, after a checkpoint where the server is asked for one.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	// A user that may not ask for it gets the sizes of the last checkpoint.
	_, _ = t.runWithin(ctx, preparing, adminDatabase, newCommand("fsync", 1))
	sizes := make([]reportv1.CollectionSize, 0, len(collections))
	for _, collection := range collections {
		answer, err := t.run(ctx, database, newCommand("collStats", collection.Name))
		if err != nil {
			return nil, fmt.Errorf("collection %q: asking for its size: %w", collection.Name, err)
		}
		sizes = append(sizes, describe.SizeOf(collection.Name, answer))
	}
	return sizes, nil
}

// Balancing says that nothing is moved.
func (t *Target) Balancing(context.Context) (bool, error) { return false, nil }
