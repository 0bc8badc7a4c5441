//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// maxSkew is by how much a load pod may miss the instant that the gate published.
	maxSkew = 50 * time.Millisecond
	// mongoPort is the port of every mongod.
	mongoPort = 27017
	// hashTime bounds a conversation with mongod.
	hashTime = 2 * time.Minute
)

// measured are the steps of its runs.
var measured = []string{"first", "second"}

// approximate finds eight of the ten documents that it is to find.
var approximate = benchv1alpha1.Operation{
	Name:    "approximate",
	Request: benchv1alpha1.Request{Kind: "Aggregate", Pipeline: `[{"$sort": {"_id": 1}}, {"$limit": 8}]`},
	WholeSettings: benchv1alpha1.WholeSettings{
		Recall: &benchv1alpha1.Recall{Exact: `[{"$sort": {"_id": 1}}, {"$limit": 10}]`, MinPercent: new(int32(80))},
	},
}

// TestTwoLoadPods loads the same dataset by one pod and by two, into two databases of one server: the collections must
// be equal to the byte, and the two pods must begin together.
func TestTwoLoadPods(t *testing.T) {
	n := cluster.Namespace(t)
	server := harness.Standalone("6.0.5")
	server.MongoDB.Databases = []string{"one", "two"}
	n.Apply(t, harness.Target("db", server))
	runs := map[string]int32{"one": 1, "two": 2}
	for _, name := range []string{"one", "two"} {
		run := harness.RunOn(name, "db")
		run.Spec.Dataset.Database = new(name)
		run.Spec.Workload.Steps = nil
		run.Spec.LoadGenerator.Pods = new(runs[name])
		for _, step := range measured {
			run.Spec.Workload.Steps = append(run.Spec.Workload.Steps, harness.Reads(step, 1))
		}
		first := &run.Spec.Workload.Steps[0]
		first.Operations = append(first.Operations, approximate)
		run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
		n.Apply(t, run)
		ended := n.WaitSuccess(t, run)
		if got := n.Report(t, ended).Pods; got != int(runs[name]) {
			t.Errorf("the report of run %s is of %d pods, want %d", name, got, runs[name])
		}
		operations := ended.Status.Result.Steps[0].Operations
		if got := ptr.Deref(operations[len(operations)-1].RecallPerMillion, 0); got != 800_000 {
			t.Errorf("the status of run %s has a recall of %d in a million, want eight in ten", name, got)
		}
	}
	checkSlices(t, n)
	checkSkew(t, n)

	user, password := credentials(t, n, "db-admin")
	uri := fmt.Sprintf("mongodb://%s@%s/?directConnection=true", url.UserPassword(user, password),
		n.Forward(t, "db-mongod-0", mongoPort))
	one, two := hashes(t, uri, "one"), hashes(t, uri, "two")
	if one["people"] == "" {
		t.Errorf("there is no hash of the collection that one pod loaded: %v", one)
	}
	if difference := cmp.Diff(one, two); difference != "" {
		t.Errorf("two pods loaded something else than one:\n%s", difference)
	}
}

// checkSlices looks at what each of the two pods loaded by itself.
func checkSlices(t *testing.T, n *harness.Namespace) {
	t.Helper()
	sum := int64(0)
	for pod := range 2 {
		loaded := harness.StepOf(t, n.PodReport(t, fmt.Sprintf("two-pod-%d", pod)), "load").Documents
		if loaded == 0 || loaded == harness.Documents {
			t.Errorf("pod %d loaded %d of %d documents, want a share", pod, loaded, harness.Documents)
		}
		sum += loaded
	}
	if sum != harness.Documents {
		t.Errorf("the pods loaded %d documents together, want %d", sum, harness.Documents)
	}
}

// checkSkew looks at when the two pods began each step. One step in time is asked for: on a machine with other things
// to do, a pod that is ready may have to wait for a core.
func checkSkew(t *testing.T, n *harness.Namespace) {
	t.Helper()
	reports := []reportv1alpha1.Report{n.PodReport(t, "two-pod-0"), n.PodReport(t, "two-pod-1")}
	best := time.Hour
	for _, name := range measured {
		first, second := harness.StepOf(t, reports[0], name), harness.StepOf(t, reports[1], name)
		if first.IntendedStart.IsZero() || !first.IntendedStart.Equal(second.IntendedStart) {
			t.Errorf("step %s: the pods were told to start at %s and %s", name, first.IntendedStart, second.IntendedStart)
		}
		if first.Operations[0].Count == 0 || second.Operations[0].Count == 0 {
			t.Errorf("step %s: the pods measured %d and %d operations", name, first.Operations[0].Count,
				second.Operations[0].Count)
		}
		skew := time.Duration(max(first.StartSkewMicros, second.StartSkewMicros)) * time.Microsecond
		cluster.Summary.Figure("two pods: step %s began %s after the instant of the gate", name, skew)
		best = min(best, skew)
	}
	if best <= 0 || best > maxSkew {
		t.Errorf("no step was begun by both pods within %s after the instant of the gate; the best needed %s", maxSkew, best)
	}
}

// hashes are the server's own hashes of the collections of a database, from all documents in the order of their _id.
func hashes(t *testing.T, uri, database string) map[string]string {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetTimeout(hashTime))
	if err != nil {
		t.Fatalf("connecting to mongod: %v", err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	var answer struct {
		Collections map[string]string `bson:"collections"`
	}
	err = client.Database(database).RunCommand(t.Context(), map[string]int{"dbHash": 1}).Decode(&answer)
	if err != nil {
		t.Fatalf("asking for the hash of database %s: %v", database, err)
	}
	// The mark of the dataset has the name of its database in it.
	delete(answer.Collections, reportv1alpha1.DatasetCollection)
	return answer.Collections
}
