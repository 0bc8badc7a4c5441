package legacy_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }

// servers still take the requests that are tested here; 6.0 no longer does.
var servers = []string{"4.2.6", "4.4.2", "5.0.4"}

// forms are the wire versions of TokuMX 2.0 and MongoDB 2.4, and of MongoDB 2.6.
var forms = []int{0, 2}

// eachForm runs a test in every form against every server.
func eachForm(t *testing.T, test func(t *testing.T, server *mongotest.Server, form int)) {
	t.Helper()
	for _, version := range servers {
		for _, form := range forms {
			t.Run(fmt.Sprintf("mongod %s, wire version %d", version, form), func(t *testing.T) {
				test(t, mongotest.Shared(t, version), form)
			})
		}
	}
}

func open(t *testing.T, server *mongotest.Server, form int) *legacy.Target {
	t.Helper()
	known := config(server)
	known.WireVersion = &form
	target, err := legacy.Open(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

func config(server *mongotest.Server) driver.Config {
	return driver.Config{
		URIs: []string{server.URI()}, Connections: 2,
		OperationTimeout: 2 * time.Minute, SelectionTimeout: 2 * time.Minute,
	}
}

// modern opens the same server by the client that every other server is measured by: what it says is right.
func modern(t *testing.T, server *mongotest.Server) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), config(server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

func session(t *testing.T, target loadgen.Target, use loadgen.Use) loadgen.Session {
	t.Helper()
	opened, err := target.Session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	return opened
}

// raw encodes a document, or with [ an array, of Extended JSON.
func raw(t *testing.T, text string) bson.Raw {
	t.Helper()
	if text == "" {
		return nil
	}
	var wrapped bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(`{"it": `+text+`}`), false, &wrapped); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return wrapped.Lookup("it").Value
}
