//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestLoadGeneratorRoutes measures two shards without a mongos: documents lie where the hash of their _id puts them,
// and are found by it, by asking both shards, and in an order that neither shard knows.
func TestLoadGeneratorRoutes(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Sharded("6.0.5", 2)
	nodes := nodeCount(t)
	if nodes > 1 {
		target.MongoDB.Placement = &benchv1alpha1.PlacementSpec{MembersPerNode: new(int32(1))}
	}
	run := harness.Run("bench", target)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
	mixed := &run.Spec.Workload.Steps[0]
	mixed.Operations = append(mixed.Operations, benchv1alpha1.Operation{
		Name: "scatter", Parameters: []benchv1alpha1.Parameter{anyAge()},
		Request: benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationFind, Filter: `{"age": {"$gte": {"$param": "age"}}}`, Limit: 20,
		},
	}, benchv1alpha1.Operation{
		Name: "sort",
		Request: benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationFind, Sort: []benchv1alpha1.SortKey{{Field: "age"}}, Limit: 50,
		},
	})
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	checkMeasured(t, ended, n.Report(t, ended))
	checkServer(t, ended, "6.0.5", "Sharded", 2)
	if got := ended.Status.Server; ptr.Deref(got.Shards, 0) != 2 || got.Router != string(benchv1alpha1.RouterClient) {
		t.Errorf("the server is %d shards behind router %q, want 2 and Client", ptr.Deref(got.Shards, 0), got.Router)
	}
	checkShards(t, n, nodes)
}

// checkShards asks each shard by itself what it holds, and looks where they run.
func checkShards(t *testing.T, n *harness.Namespace, nodes int) {
	t.Helper()
	user, password := credentials(t, n, "bench-load")
	used, all := map[string]bool{}, int64(0)
	for shard := range 2 {
		name := fmt.Sprintf("bench-shard%d-0", shard)
		pod := &corev1.Pod{}
		n.Fetch(t, name, pod)
		used[pod.Spec.NodeName] = true
		uri := fmt.Sprintf("mongodb://%s@%s/?directConnection=true", url.UserPassword(user, password),
			n.Forward(t, name, mongoPort))
		count := countPeople(t, uri)
		all += count
		if count < harness.Documents*2/5 {
			t.Errorf("pod %s holds %d of %d documents, want about a half", name, count, harness.Documents)
		}
	}
	if all != harness.Documents {
		t.Errorf("both shards hold %d documents, want %d, each once", all, harness.Documents)
	}
	if nodes > 1 && len(used) != 2 {
		t.Errorf("the shards run on %v, want a node each", used)
	}
}

// countPeople counts the documents that a mongod holds.
func countPeople(t *testing.T, uri string) int64 {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetTimeout(hashTime))
	if err != nil {
		t.Fatalf("connecting to mongod: %v", err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	count, err := client.Database("mongobench").Collection("people").CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatalf("counting documents: %v", err)
	}
	return count
}

// anyAge is a parameter within the bounds of an Int that declares none.
func anyAge() benchv1alpha1.Parameter {
	return benchv1alpha1.Parameter{Name: "age", Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorInt)}
}
