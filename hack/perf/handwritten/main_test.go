package main

import (
	"context"
	"os"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// TestItFillsItsCollectionAndWorksUntilItIsEnded has it work until the server has seen updates.
func TestItFillsItsCollectionAndWorksUntilItIsEnded(t *testing.T) {
	address := mongotest.Shared(t, "6.0.5").Address
	connection, err := bare.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--uri", "mongodb://" + address, "--threads", "2", "--reads", "50", "--records", "1500"})
	}()
	updates, deadline := int64(0), time.Now().Add(2*time.Minute)
	for updates < 50 && time.Now().Before(deadline) {
		status, err := connection.Run(bson.D{{Key: "serverStatus", Value: 1}, {Key: "$db", Value: "admin"}})
		if err != nil {
			t.Fatal(err)
		}
		updates, _ = status.Lookup("opcounters", "update").AsInt64OK()
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it ended by itself")
	}
	counted, err := connection.Run(bson.D{{Key: "count", Value: collection}, {Key: "$db", Value: database}})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := counted.Lookup("n").AsInt64OK(); updates < 50 || n != 1500 {
		t.Errorf("%d updates, and %d documents; want 50 at least, and 1500", updates, n)
	}
}
