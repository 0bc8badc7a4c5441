package mongo_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMarks(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) { checkMarks(t, mongotest.Shared(t, version)) })
	}
}

func checkMarks(t *testing.T, server *mongotest.Server) {
	t.Helper()
	target, db := open(t, server), database(t, server, "marks")
	wantHeld(t, target)
	wantMark(t, target, "marks", nil)
	for _, state := range []reportv1.DatasetState{reportv1.DatasetLoading, reportv1.DatasetClean} {
		mark := reportv1.DatasetMark{Fingerprint: "f", State: state}
		if err := target.SetMark(t.Context(), "marks", mark); err != nil {
			t.Fatal(err)
		}
		wantMark(t, target, "marks", &mark)
	}
	wantHeld(t, target)
	for _, name := range []string{"b", "a"} {
		if _, err := db.Collection(name).InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
	}
	wantHeld(t, target, "a", "b")
	if marks := documentsOf(t, db, reportv1.DatasetCollection); len(marks) != 1 {
		t.Errorf("marks: %v", marks)
	}
	if err := target.Remove(t.Context(), "marks", "a", "not there"); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, target, "b") // It was not named.
	wantMark(t, target, "marks", nil)
}

func wantHeld(t *testing.T, target *mongo.Target, want ...string) {
	t.Helper()
	got, err := target.Holds(t.Context(), "marks")
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("collections, error %v (-want +got):\n%s", err, diff)
	}
}

func wantMark(t *testing.T, target *mongo.Target, database string, want *reportv1.DatasetMark) {
	t.Helper()
	got, err := target.Mark(t.Context(), database)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("mark, error %v (-want +got):\n%s", err, diff)
	}
}

// reusing is a plan of a dataset with this fingerprint and one operation.
func reusing(fingerprint string, operation planv1.Operation) planv1.Plan {
	p := planOf("reused", planv1.Step{Threads: 1, OperationCount: 20, Operations: []planv1.Operation{operation}})
	p.Dataset = fingerprint
	return p
}

// TestADatasetIsReusedUntilItIsWrittenTo follows plans against a server as `loadgen run` does.
func TestADatasetIsReusedUntilItIsWrittenTo(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) { checkReuse(t, mongotest.Shared(t, version)) })
	}
}

func checkReuse(t *testing.T, server *mongotest.Server) {
	t.Helper()
	read := planv1.Operation{
		Parameters: []planv1.Parameter{key}, Name: "read",
		Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
	}
	insert := planv1.Operation{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}}
	target, db := open(t, server), database(t, server, "reused")
	hashes := make([][sha256.Size]byte, 0, 5)
	for i, tc := range []struct {
		plan  planv1.Plan
		loads int64
		left  reportv1.DatasetState
	}{
		{reusing("one", read), loaded, reportv1.DatasetClean},
		{reusing("one", read), 0, reportv1.DatasetClean},
		{reusing("one", insert), 0, reportv1.DatasetDirty},
		{reusing("one", read), loaded, reportv1.DatasetClean},
		{reusing("two", read), loaded, reportv1.DatasetClean},
	} {
		reports, err := drivertest.Run(t.Context(), tc.plan, target)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if load := reports[0].Steps[1]; load.Documents != tc.loads || (load.Skipped == "") != (tc.loads > 0) {
			t.Errorf("run %d loaded %d documents, skipped: %q", i, load.Documents, load.Skipped)
		}
		wantMark(t, target, "reused", &reportv1.DatasetMark{Fingerprint: tc.plan.Dataset, State: tc.left})
		hashes = append(hashes, hashOf(t, db, "things"))
	}
	if hashes[0] != hashes[1] || hashes[0] != hashes[4] {
		t.Error("what was left or loaded again has other bytes")
	}
}

func TestSizes(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) { checkSizes(t, mongotest.Shared(t, version)) })
	}
}

func checkSizes(t *testing.T, server *mongotest.Server) {
	t.Helper()
	target := open(t, server)
	database(t, server, "sizes")
	insert := []planv1.Operation{{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}}}
	p := planOf("sizes", planv1.Step{Threads: 1, OperationCount: 1, Operations: insert})
	p.Collections = append(p.Collections, planv1.Collection{Name: "empty"})
	if _, err := drivertest.Run(t.Context(), p, target); err != nil {
		t.Fatal(err)
	}
	sizes, err := target.Sizes(t.Context(), "sizes", p.Collections)
	if err != nil || len(sizes) != 2 {
		t.Fatalf("%v, error %v", sizes, err)
	}
	things, empty := sizes[0], sizes[1]
	// The smallest file of WiredTiger has a page of 4 KB.
	const page = 4096
	onDisk := make([]int64, 0, 3)
	onDisk = append(onDisk, things.StorageBytes)
	for _, index := range things.Indexes {
		onDisk = append(onDisk, index.Bytes)
	}
	if things.DataBytes < (loaded+1)*40 || len(onDisk) != 3 || slices.Min(onDisk) < page {
		t.Errorf("got %+v", things)
	}
	want := reportv1.CollectionSize{
		Collection: "things", Documents: loaded + 1, Indexes: []reportv1.IndexSize{{Name: "_id_"}, {Name: "n_1"}},
	}
	bytes := cmpopts.IgnoreFields(reportv1.CollectionSize{}, "DataBytes", "StorageBytes", "FreeBytes")
	if diff := cmp.Diff(want, things, bytes, cmpopts.IgnoreFields(reportv1.IndexSize{}, "Bytes")); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	if empty.Collection != "empty" || empty.Documents != 0 || empty.DataBytes != 0 {
		t.Errorf("got %+v", empty)
	}
}

// checkUnsettled asks for sizes without the right to make a checkpoint, and with it.
func checkUnsettled(t *testing.T, server *mongotest.Server, target *mongo.Target) {
	t.Helper()
	collections := []planv1.Collection{{Name: "things"}}
	if err := target.Prepare(t.Context(), "secured", collections[0]); err != nil {
		t.Fatal(err)
	}
	settled := func() bool {
		t.Helper()
		sizes, err := target.Sizes(t.Context(), "secured", collections)
		if err != nil || len(sizes) != 1 {
			t.Fatalf("%v, error %v", sizes, err)
		}
		return !sizes[0].Unsettled
	}
	if settled() {
		t.Error("the observer has no right to make a checkpoint, and is said to have made one")
	}
	grant := bson.D{{Key: "grantRolesToUser", Value: "observer"}, {Key: "roles", Value: bson.A{"hostManager"}}}
	if err := as(t, server, "root").RunCommand(t.Context(), grant).Err(); err != nil {
		t.Fatal(err)
	}
	if !settled() {
		t.Error("the observer may make a checkpoint, and none was made")
	}
}
