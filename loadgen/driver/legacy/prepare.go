package legacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
)

// Codes and words of what is there, or not there, already.
const (
	codeNamespaceExists   = 48
	codeNamespaceNotFound = 26
	saidNotFound          = "ns not found"
	saidExists            = "collection already exists"
)

const bytesPerMebibyte = 1 << 20

// preparing is how long what reads or writes a whole collection may take: an index of a large one takes far longer than
// any operation that is measured. All else may take as long as an operation.
const preparing = 24 * time.Hour

// controlled does something over the control connection, outside of any measurement, which may take as long as limit.
// One that broke is replaced at its next use.
func (t *Target) controlled(ctx context.Context, limit time.Duration, do func(*conn) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: within %s", errAborted, limit))
	defer cancel()
	t.admin.Lock()
	defer t.admin.Unlock()
	if t.control == nil {
		var err error
		if t.control, err = t.dial(ctx); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, t.control.abort)
	err := do(t.control)
	if !stop() || err != nil && !isRefusal(err) {
		t.control.close()
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
	build, err := t.run(ctx, adminDatabase, newCommand("buildInfo", int32(1)))
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking for the server's version: %w", err)
	}
	server := reportv1.Server{
		GitVersion: text(build, "gitVersion"), Topology: "Standalone", Members: 1,
	}
	server.Product, server.Version = describe.Product(func(field string) string { return text(build, field) })
	hello, _ := t.run(ctx, adminDatabase, newCommand("isMaster", int32(1)))
	if text(hello, "setName") != "" {
		server.Topology, server.Members = "ReplicaSet", len(readHello(hello).hosts)
	}
	status, _ := t.run(ctx, adminDatabase, newCommand("serverStatus", int32(1)))
	server.StorageEngine = text(status, "storageEngine", "name")
	server.CacheMebibytes = number(status, "wiredTiger", "cache", "maximum bytes configured") / bytesPerMebibyte
	if text(build, "tokumxVersion") != "" {
		server.StorageEngine = "TokuMX"
	} else if server.StorageEngine == "" {
		server.StorageEngine = "mmapv1" // The only one before 3.0, which therefore had no name.
	}
	host, _ := t.run(ctx, adminDatabase, newCommand("hostInfo", int32(1)))
	server.MemoryLimitMebibytes = number(host, "system", "memSizeMB")
	server.CPUCores = int(number(host, "system", "numCores"))
	server.DefaultWriteConcern = "w: 1"
	byDefault := planv1.WriteConcern{W: "1"}
	if t.servers.WriteConcern != nil {
		byDefault = *t.servers.WriteConcern
	}
	server.Durability = loadgen.ConcernDurability(byDefault, server)
	server.TLS = "Off"
	if t.servers.Wire.TLS != nil {
		server.TLS = "On"
	}
	return server, nil
}

// Prepare drops and makes collections.
func (t *Target) Prepare(ctx context.Context, database string, collections []planv1.Collection) error {
	for _, collection := range collections {
		_, err := t.runWithin(ctx, preparing, database, newCommand("drop", collection.Name))
		if err != nil && !saidOrCode(err, saidNotFound, codeNamespaceNotFound) {
			return fmt.Errorf("collection %q: dropping it: %w", collection.Name, err)
		}
	}
	return t.Create(ctx, database, collections)
}

// Create makes the collections that are missing.
func (t *Target) Create(ctx context.Context, database string, collections []planv1.Collection) error {
	for _, collection := range collections {
		fields := []any{"create", collection.Name}
		if collection.CappedBytes > 0 {
			fields = append(fields, "capped", true, "size", collection.CappedBytes)
			if collection.CappedDocuments > 0 {
				fields = append(fields, "max", collection.CappedDocuments)
			}
		}
		if collection.Compressor != "" {
			fields = append(fields, "storageEngine",
				newCommand("wiredTiger", newCommand("configString", "block_compressor="+collection.Compressor)))
		}
		_, err := t.run(ctx, database, newCommand(fields...))
		if err != nil && !saidOrCode(err, saidExists, codeNamespaceExists) {
			return fmt.Errorf("collection %q: making it: %w", collection.Name, err)
		}
	}
	return nil
}

func saidOrCode(err error, words string, code int) bool {
	var refused interface{ HasErrorCode(code int) bool }
	return strings.Contains(err.Error(), words) || errors.As(err, &refused) && refused.HasErrorCode(code)
}

// Index makes the indexes of collections: by a command, or before 2.6 by an insert into system.indexes.
func (t *Target) Index(ctx context.Context, database string, collections []planv1.Collection) error {
	for _, collection := range collections {
		for _, index := range collection.Indexes {
			if err := t.index(ctx, database, collection.Name, index); err != nil {
				return fmt.Errorf("collection %q: %w", collection.Name, err)
			}
		}
	}
	return nil
}

func (t *Target) index(ctx context.Context, database, collection string, index planv1.Index) error {
	specification := indexDocument(index, "")
	builder := bsoncore.NewDocumentBuilder().AppendString("createIndexes", collection)
	array := bsoncore.NewArrayBuilder().AppendDocument(specification).Build()
	_, err := t.runWithin(ctx, preparing, database, bson.Raw(builder.AppendArray("indexes", array).Build()))
	if err == nil || !saidOrCode(err, "no such cmd", codeCommandNotFound) {
		return err
	}
	return t.controlled(ctx, preparing, func(c *conn) error {
		var m messages
		m.begin(opInsert)
		m.int32(0)
		m.namespace(database, "system.indexes")
		m.document(indexDocument(index, database+"."+collection))
		m.end(c.next())
		c.appendCommand(&m, database, newCommand("getlasterror", int32(1)))
		if err := c.send(m.bytes); err != nil {
			return err
		}
		_, err := acknowledged(c)
		return err
	})
}

// indexDocument describes an index; with the namespace that it is for, as system.indexes wants it.
func indexDocument(index planv1.Index, namespace string) []byte {
	builder := bsoncore.NewDocumentBuilder()
	if namespace != "" {
		builder.AppendString("ns", namespace)
	}
	keys := bsoncore.NewDocumentBuilder()
	name := make([]string, 0, 2*len(index.Keys))
	for _, key := range index.Keys {
		name = append(name, key.Field, key.Order)
		if order, err := strconv.ParseInt(key.Order, 10, 32); err == nil {
			keys.AppendInt32(key.Field, int32(order))
			continue
		}
		keys.AppendString(key.Field, key.Order)
	}
	builder.AppendDocument("key", keys.Build())
	if index.Name != "" {
		name = []string{index.Name}
	}
	builder.AppendString("name", strings.Join(name, "_"))
	if index.Unique {
		builder.AppendBoolean("unique", true)
	}
	if index.Sparse {
		builder.AppendBoolean("sparse", true)
	}
	if index.ExpireAfterSeconds != nil {
		builder.AppendInt32("expireAfterSeconds", *index.ExpireAfterSeconds)
	}
	return builder.Build()
}

// Count counts the documents of a collection by reading them.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	// A query that every document passes makes the server look at each, rather than at what it remembers.
	everything := newCommand("_id", newCommand("$exists", true))
	answer, err := t.runWithin(ctx, preparing, database, newCommand("count", collection, "query", everything))
	if err != nil {
		return 0, err
	}
	return number(answer, "n"), nil
}

// Read returns the stored documents with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	array := bsoncore.NewArrayBuilder()
	for _, id := range ids {
		array.AppendValue(bsoncore.Value{Type: bsoncore.Type(id.Type), Data: id.Value})
	}
	in := bson.Raw(bsoncore.NewDocumentBuilder().AppendArray("$in", array.Build()).Build())
	var documents []bson.Raw
	err := t.controlled(ctx, t.servers.Timeout, func(c *conn) error {
		var err error
		documents, err = c.find(database, collection, newCommand("_id", in))
		return err
	})
	return documents, err
}

// find reads all documents that pass a filter, outside of any measurement.
func (c *conn) find(database, collection string, filter bson.Raw) ([]bson.Raw, error) {
	var m messages
	q := query{database: database, collection: collection, filter: filter}
	appendQuery(&m, c.next(), q)
	var documents []bson.Raw
	for {
		if err := c.send(m.bytes); err != nil {
			return nil, err
		}
		answer, err := c.receive()
		if err == nil {
			err = queried(answer)
		}
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
		appendGetMore(&m, c.next(), q, answer.cursor)
	}
}
