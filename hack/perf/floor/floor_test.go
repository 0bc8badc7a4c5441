package main

import (
	"fmt"
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
	"github.com/mongobench/mongobench-operator/hack/perf/draw"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

func dial(t *testing.T) (*bare.Connection, string) {
	t.Helper()
	address := mongotest.Shared(t, "6.0.5").Address
	connection, err := bare.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection, address
}

func count(t *testing.T, connection *bare.Connection, database, collection string) int64 {
	t.Helper()
	reply, err := connection.Run(bson.D{{Key: "count", Value: collection}, {Key: "$db", Value: database}})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := reply.Lookup("n").AsInt64OK()
	return n
}

func TestEveryBatchOfALoadHasNewDocumentsOf57Bytes(t *testing.T) {
	connection, _ := dial(t)
	const batch = 300
	i, err := newInsert(batch)
	if err != nil {
		t.Fatal(err)
	}
	if i.stride != 57 {
		t.Errorf("a document has %d bytes, want 57", i.stride)
	}
	for number := range uint64(3) {
		if err := i.send(connection, number*batch); err != nil {
			t.Fatal(err)
		}
	}
	if got := count(t, connection, "perfload", "floor"); got != 3*batch {
		t.Errorf("the collection has %d documents, want %d", got, 3*batch)
	}
}

// empty is the value that every field has at first.
var empty = bson.Binary{Data: make([]byte, valueBytes)}

// fill inserts documents with keys of one length but for one of them.
func fill(t *testing.T, connection *bare.Connection, count int) {
	t.Helper()
	for i := range count {
		document := make(bson.D, 1, 1+fields)
		document[0] = bson.E{Key: "_id", Value: fmt.Sprintf("user%04d", i)}
		if i == 0 {
			document[0].Value = "user"
		}
		for f := range fields {
			document = append(document, bson.E{Key: fmt.Sprintf("field%d", f), Value: empty})
		}
		_, err := connection.Run(bson.D{
			{Key: "insert", Value: collection},
			{Key: "documents", Value: bson.A{document}},
			{Key: "$db", Value: database},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// changed counts the documents whose field3 was updated.
func changed(t *testing.T, connection *bare.Connection) int64 {
	t.Helper()
	reply, err := connection.Run(bson.D{
		{Key: "count", Value: collection},
		{Key: "$db", Value: database},
		{Key: "query", Value: bson.D{{Key: "field3", Value: bson.D{{Key: "$ne", Value: empty}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := reply.Lookup("n").AsInt64OK()
	return n
}

func TestPointsReadAndUpdateWhatIsThere(t *testing.T) {
	connection, address := dial(t)
	fill(t, connection, 20)
	ids, err := identifiers(t.Context(), address)
	if err != nil || len(ids) != 19 {
		t.Fatalf("%d keys, %v; want those of the most frequent length, 19", len(ids), err)
	}
	worker, err := newPointWorker(connection, ids, draw.Zipfian(len(ids), 1000), 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if err := worker.next(50); err != nil {
			t.Fatal(err)
		}
	}
	if changed(t, connection) == 0 {
		t.Error("no document has another field3 after 100 updates of fields that are drawn")
	}
	worker.ids, worker.draws = [][]byte{[]byte("user9999")}, []uint32{0}
	for name, reads := range map[string]int{"read": 100, "update": 0} {
		if err := worker.next(reads); err == nil {
			t.Errorf("a %s of a document that is not there gave no error", name)
		}
	}
}
