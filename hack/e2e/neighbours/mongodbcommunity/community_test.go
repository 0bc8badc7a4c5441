//go:build e2e

package mongodbcommunity

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	page = "mongodbcommunity"
	// measured is what the page's target is.
	measured = "ReplicaSet 6.0.5, 3 members"
	// within is how long it may take until all that was made for a target is gone.
	within = 5 * time.Minute
)

// TestMongoDBCommunityOperator has it deploy a replica set, on which two runs succeed; then the target is deleted, and
// a run with a target of its own takes the same name.
func TestMongoDBCommunityOperator(t *testing.T) {
	n := cluster.Namespace(t)
	install(t, n)
	before := objects(t, n)
	reader := part.User(t, cluster, n.Name)
	reader.Apply(t, part.Block(t, page, "yaml", "BenchmarkTarget"))
	reader.Run(t, part.Block(t, page, "sh", "benchmarkrun/first"))

	first := &benchv1alpha1.BenchmarkRun{}
	n.Fetch(t, "first", first)
	ended := n.WaitSuccess(t, first)
	server := ended.Status.Server
	got := fmt.Sprintf("%s %s, %d members", server.Topology, server.Version, ptr.Deref(server.Members, 0))
	if got != measured {
		t.Errorf("measured was %s, want %s", got, measured)
	}
	if members := n.Report(t, ended).Members; len(members) != 3 {
		t.Errorf("%d members were observed, want 3", len(members))
	}
	second := harness.RunOn("second", "community")
	n.Apply(t, second)
	n.WaitSuccess(t, second)

	target := &benchv1alpha1.BenchmarkTarget{}
	n.Fetch(t, "community", target)
	reader.Run(t, "kubectl delete benchmarkrun --all; kubectl delete benchmarktarget community")
	t.Logf("all that was made for the target is gone after %s", n.WaitLeft(t, within, before...).Round(time.Second))

	// Of the same name: what is there from before would be found in the way, or measured.
	again := harness.Run("community", &target.Spec)
	n.Apply(t, again)
	n.WaitSuccess(t, again)
	reader.Run(t, "kubectl delete benchmarkrun --all")
	n.WaitLeft(t, within, before...)
}

// objects are what is there before the first target.
func objects(t *testing.T, n *harness.Namespace) []string {
	t.Helper()
	found, err := n.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}
