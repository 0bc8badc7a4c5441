package honesty

import (
	"context"
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// inserting is a batch of 60 MB, and a server takes at most 48 MB in one message.
const inserting = `
loadGenerator: {client: %s}
dataset:
  database: batches
  collections:
    - {name: big, documentCount: 1, fields: [{name: text, type: Binary, bytes: {maxLength: 600000}}]}
workload:
  steps:
    - name: insert
      threads: 1
      operationCount: 1
      operations: [{kind: InsertMany, batchDocuments: 100}]
`

// TestBatchesBeyondOneMessage has every client insert more than one message carries.
func TestBatchesBeyondOneMessage(t *testing.T) {
	for _, client := range []benchv1alpha1.Client{
		benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
	} {
		Check(t, Scenario{
			Item: "A20.4", Name: fmt.Sprintf("an InsertMany of 60 MB by the client %s", client),
			Doubt: benchv1alpha1.ReasonOperationErrors,
			Truth: "a driver splits it, and all 100 documents are inserted",
			Run:   func(t *testing.T) Told { return batch(t, client) },
		})
	}
}

func batch(t *testing.T, client benchv1alpha1.Client) Told {
	t.Helper()
	var declared benchv1alpha1.BenchmarkRunSpec
	if err := yaml.UnmarshalStrict(fmt.Appendf(nil, inserting, client), &declared); err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(declared)
	server := mongotest.Shared(t, mongotest.Newest())
	target, err := mongodriver.Open(t.Context(), mongodriver.Config{
		URIs: []string{server.URI()}, Connections: 4, Client: plan.Client,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	there, err := target.Count(t.Context(), plan.Database, "big")
	if err != nil {
		t.Fatal(err)
	}
	steps := reports[0].Steps
	inserted := steps[len(steps)-1].Operations[0]
	return Told{
		Reported: fmt.Sprintf("%d operations and %d errors; %d documents are there besides the first", inserted.Count,
			inserted.Errors, there-1),
		Wrong:  inserted.Count != 1 || inserted.Errors != 0 || there != 101,
		Doubts: doubts,
	}
}
