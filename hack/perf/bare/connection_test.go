package bare_test

import (
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

func dial(t *testing.T) *bare.Connection {
	t.Helper()
	connection, err := bare.Dial(t.Context(), mongotest.Shared(t, "6.0.5").Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

func TestDocumentsOfASequenceAreReadBackInOneLongReply(t *testing.T) {
	connection := dial(t)
	const count, size = 40, 4000 // Together more than one read gets.
	var documents []byte
	for i := range count {
		document, err := bson.Marshal(bson.D{{Key: "_id", Value: i}, {Key: "filler", Value: make([]byte, size)}})
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document...)
	}
	insert, err := bare.Sequence(bson.D{{Key: "insert", Value: "c"}, {Key: "$db", Value: "bare"}}, "documents", documents)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := connection.Exchange(insert)
	if err == nil {
		err = bare.Check(reply)
	}
	if err != nil {
		t.Fatal(err)
	}
	reply, err = connection.Run(bson.D{{Key: "find", Value: "c"}, {Key: "$db", Value: "bare"}})
	if err != nil {
		t.Fatal(err)
	}
	batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	found, err := batch.Values()
	if err != nil || len(found) != count {
		t.Errorf("%d documents came back, %v; want %d", len(found), err, count)
	}
	reply, err = connection.Exchange(insert)
	if err != nil {
		t.Fatal(err)
	}
	if err := bare.Check(reply); err == nil {
		t.Error("inserting the same documents again gave no error")
	}
}

func TestACommandThatIsRefusedIsAnError(t *testing.T) {
	if _, err := dial(t).Run(bson.D{{Key: "noSuchCommand", Value: 1}, {Key: "$db", Value: "bare"}}); err == nil {
		t.Error("a command that does not exist gave no error")
	}
}
