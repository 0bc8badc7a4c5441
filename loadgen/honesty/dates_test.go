package honesty

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// expiring are two collections: of one all documents are due when they are loaded, of the other none for a day.
const expiring = `
dataset:
  database: expiring
  collections:
    - name: due
      documentCount: 500
      indexes: [{keys: [{field: at}], expireAfterSeconds: 3600}]
      fields: [{name: at, type: Date, date: {minOffsetSeconds: -90000, maxOffsetSeconds: -7200}}]
    - name: later
      documentCount: 500
      indexes: [{keys: [{field: at}], expireAfterSeconds: 86400}]
      fields: [{name: at, type: Date, date: {minOffsetSeconds: 0, maxOffsetSeconds: 3600}}]
    - name: kept
      documentCount: 500
      fields: [{name: at, type: Date, date: {minOffsetSeconds: -3600, maxOffsetSeconds: 3600}}]
workload:
  steps:
    - name: read
      operationCount: 10
      operations:
        - kind: FindOne
          collection: kept
          parameters: [{name: id, type: Key}]
          filter: '{"_id": {"$param": "id"}}'
`

// patience is how long a server's TTL monitor, which wakes every second, may take on a slow machine.
const patience = 5 * time.Minute

func TestDatesFromTheLoad(t *testing.T) {
	Check(t, Scenario{
		Item: "A20.5", Name: "a TTL index on dates around the load",
		Truth: "500 documents are due when they are loaded, and 500 are not for a day",
		Run:   expires,
	})
}

func expires(t *testing.T) Told {
	t.Helper()
	var declared benchv1alpha1.BenchmarkRunSpec
	if err := yaml.UnmarshalStrict([]byte(expiring), &declared); err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(declared)
	server := mongotest.Start(t, mongotest.Newest(), "--setParameter", "ttlMonitorSleepSecs=1")
	target, err := mongodriver.Open(t.Context(), mongodriver.Config{URIs: []string{server.URI()}, Connections: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
	first := dated(t, plan, target)
	second := dated(t, plan, target)
	if !second.After(first) {
		t.Fatal("a dataset with dates around the load was not loaded again")
	}
	verified, err := verify.Verify(t.Context(), target, plan.Dated(second), verify.Options{
		Check: benchv1alpha1.VerifyAll,
	})
	if err := errors.Join(err, verify.Differences(verified)); err != nil {
		t.Fatal(err)
	}
	due := left(t, target, "due")
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); due > 0 && time.Now().Before(deadline); due = left(t, target, "due") {
		<-ticker.C
	}
	later := left(t, target, "later")
	return Told{
		Reported: fmt.Sprintf("%d of those that were due are left, and %d of the others", due, later),
		Wrong:    due != 0 || later != 500,
	}
}

// dated follows a plan, and returns when its load began.
func dated(t *testing.T, plan planv1.Plan, target *mongodriver.Target) time.Time {
	t.Helper()
	before := time.Now().UnixMilli()
	if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
		t.Fatal(err)
	}
	mark, err := target.Mark(t.Context(), plan.Database)
	if err != nil || mark == nil {
		t.Fatalf("mark %v, error %v", mark, err)
	}
	if mark.LoadBegan < before || mark.LoadBegan > time.Now().UnixMilli() {
		t.Fatalf("the load began at %d, before it was asked for at %d or in the future", mark.LoadBegan, before)
	}
	return time.UnixMilli(mark.LoadBegan)
}

// left is how many documents a collection has.
func left(t *testing.T, target *mongodriver.Target, collection string) int64 {
	t.Helper()
	number, err := target.Count(t.Context(), "expiring", collection)
	if err != nil {
		t.Fatal(err)
	}
	return number
}
