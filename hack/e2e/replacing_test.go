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
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// replacedDocuments are loaded, in batches so small that a throttled server takes some time.
	replacedDocuments, replacedBatch = 300_000, 10
	// lostAt is the percentage of the load at which a pod is taken away.
	lostAt = 20
)

// TestLoadPodIsLostWhileLoading takes one of two load pods away in the middle of the load: the run goes on, every
// document is there once, and what the lost pod had loaded is not sent again.
func TestLoadPodIsLostWhileLoading(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	n.Apply(t, harness.Target("db", harness.Throttled(harness.Standalone("6.0.5"))))
	run := harness.RunOn("bench", "db")
	run.Spec.Dataset = harness.Bulky(replacedDocuments)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(2)), BatchDocuments: new(int32(replacedBatch))}
	run.Spec.LoadGenerator.Pods = new(int32(2))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("read", 1)}
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	n.WaitRun(t, run, "loading", harness.InStage(benchv1alpha1.StageLoading))
	n.WaitLoaded(t, "bench-pod-1", lostAt)
	pods := &corev1.PodList{}
	isLoad := client.MatchingLabels{"app.kubernetes.io/component": "load"}
	if err := n.List(t.Context(), pods, client.InNamespace(n.Name), isLoad); err != nil || len(pods.Items) != 2 {
		t.Fatalf("there are %d load pods, want 2: %v", len(pods.Items), err)
	}
	if err := n.Delete(t.Context(), &pods.Items[1]); err != nil {
		t.Fatalf("deleting a load pod: %v", err)
	}
	ended := n.WaitSuccess(t, run)

	load := harness.StepOf(t, n.Report(t, ended), "load")
	if load.ResumedDocuments == 0 || load.Documents+load.ResumedDocuments != replacedDocuments {
		t.Errorf("%d documents were written and %d left out, want some of each and %d in all", load.Documents,
			load.ResumedDocuments, replacedDocuments)
	}
	user, password := credentials(t, n, "db-admin")
	uri := fmt.Sprintf("mongodb://%s@%s/?directConnection=true", url.UserPassword(user, password),
		n.Forward(t, "db-mongod-0", mongoPort))
	found, sent := inserted(t, uri)
	cluster.Summary.Figure("a load pod lost at %d %% of its load: %d documents, %d sent, %d left out", lostAt, found, sent,
		load.ResumedDocuments)
	if found != replacedDocuments {
		t.Errorf("the collection holds %d documents, want %d", found, replacedDocuments)
	}
	if sent < replacedDocuments || sent*2 >= replacedDocuments*3 {
		t.Errorf("%d documents were sent, want less than 1.5 times the %d", sent, replacedDocuments)
	}
}

// inserted is how many documents the collection of a run holds, and how many a server was sent since it was started.
func inserted(t *testing.T, uri string) (found, sent int64) {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetTimeout(hashTime))
	if err != nil {
		t.Fatalf("connecting to mongod: %v", err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	database := client.Database("mongobench")
	if found, err = database.Collection("people").CountDocuments(t.Context(), bson.D{}); err != nil {
		t.Fatalf("counting documents: %v", err)
	}
	var status struct {
		Counters struct {
			Insert int64 `bson:"insert"`
		} `bson:"opcounters"`
	}
	if err := database.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Decode(&status); err != nil {
		t.Fatalf("asking for the server's counters: %v", err)
	}
	return found, status.Counters.Insert
}
