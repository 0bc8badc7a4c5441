package shards

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// open connects to servers, which all tests share, as the shards of one.
func open(tb testing.TB, version string, shards int) (*Target, []*mongotest.Server) {
	tb.Helper()
	servers := make([]*mongotest.Server, shards)
	configs := make([]mongo.Config, shards)
	for i := range servers {
		servers[i] = mongotest.SharedAs(tb, fmt.Sprint("shard", i), version)
		configs[i] = mongo.Config{URIs: []string{servers[i].URI()}, Connections: 4}
	}
	target, err := Open(tb.Context(), configs)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close(context.Background()) })
	return target, servers
}

// openOne connects to one server.
func openOne(tb testing.TB, server *mongotest.Server) *mongo.Target {
	tb.Helper()
	target, err := mongo.Open(tb.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 4})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// documents are all that a session of the router answers with.
func (s *session) answer(ctx context.Context, r *workload.Request) ([]bson.Raw, error) {
	var found []bson.Raw
	var reply loadgen.Reply
	defer s.Settle(ctx)
	if err := s.reader.open(ctx, s.targets(r), r, &reply); err != nil {
		return nil, err
	}
	for {
		document, err := s.reader.next(ctx, &reply)
		if document == nil || err != nil {
			return found, err
		}
		found = append(found, append(bson.Raw(nil), document...))
	}
}

// only is a measured step of these operations.
func only(operations ...planv1.Operation) planv1.Step {
	return planv1.Step{Name: "measured", Kind: planv1.StepMeasure, Operations: operations}
}
