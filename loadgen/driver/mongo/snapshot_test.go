package mongo_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// clientsWithSnapshots are those that read from them.
var clientsWithSnapshots = []benchv1alpha1.Client{benchv1alpha1.ClientApplication, benchv1alpha1.ClientWire}

// keepsSnapshots says whether servers of a version do.
func keepsSnapshots(version string) bool {
	return mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 5})
}

// reading are all kinds that read from a snapshot. Each comes upon as many documents as there are of ten and more.
func reading() []planv1.Request {
	return []planv1.Request{
		{Kind: "Find", Filter: `{"n": {"$gt": 0}}`, BatchSize: 2},
		{Kind: "Aggregate", Pipeline: `[{"$match": {"n": {"$gt": 0}}}]`},
		{Kind: "Distinct", Field: "_id", Filter: `{"n": {"$gt": 0}}`},
		{Kind: "FindOne", Filter: `{"n": 1000}`},
		{Kind: "CountDocuments", Filter: `{"n": 1000}`},
	}
}

// TestASnapshotIsOfOneInstant has each kind read, another client write, and the kind read again, from the same snapshot
// and from a new one.
func TestASnapshotIsOfOneInstant(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range clientsWithSnapshots {
			for _, request := range reading() {
				t.Run(version+" "+string(client)+" "+string(request.Kind), func(t *testing.T) {
					if keepsSnapshots(version) {
						checkSnapshot(t, replicaSet(t, version), client, request)
					}
				})
			}
		}
	}
}

func checkSnapshot(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client, request planv1.Request) {
	t.Helper()
	db := database(t, server, "snapshot")
	majority := options.Collection().SetWriteConcern(writeconcern.Majority())
	ten(t, db)
	if _, err := db.Collection("things", majority).DeleteOne(t.Context(), bson.D{{Key: "n", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	read, step := drawnFrom(t, planv1.Operation{Request: request})
	step.Session = benchv1alpha1.SessionSnapshot
	session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client, Step: step})
	snapshots, able := session.(loadgen.Snapshotter)
	if !able {
		t.Fatal("the session reads from no snapshots")
	}
	snapshots.NewSnapshot()
	before := execute(t, session, read).Documents
	if _, err := db.Collection("things", majority).InsertOne(t.Context(), bson.D{{Key: "n", Value: 1000}}); err != nil {
		t.Fatal(err)
	}
	if again := execute(t, session, read).Documents; again != before {
		t.Errorf("%d documents in the same snapshot, and then %d", before, again)
	}
	snapshots.NewSnapshot()
	if after := execute(t, session, read).Documents; after != before+1 {
		t.Errorf("%d documents before another was inserted, and %d in a new snapshot", before, after)
	}
}

// oneSnapshot counts before and after it inserts, with one thread: by the books, which are of no snapshot, and by the
// documents that it sees.
const oneSnapshot = `
- {name: flow, kind: Flow}
- {name: books, partOf: flow, kind: EstimatedDocumentCount, captures: [{name: books, of: Count}]}
- {name: before, partOf: flow, kind: CountDocuments, captures: [{name: before, of: Count}],
   checks: [{name: new, that: before == books}]}
- {name: insert, partOf: flow, kind: InsertOne, writeConcern: {w: majority}}
- {name: after, partOf: flow, kind: CountDocuments, captures: [{name: after, of: Count}],
   checks: [{name: same, that: after == before}]}
`

func TestAFlowReadsFromOneSnapshot(t *testing.T) {
	for _, client := range clientsWithSnapshots {
		t.Run(string(client), func(t *testing.T) {
			server := replicaSet(t, mongotest.Newest())
			plan := flowPlan(t, database(t, server, "snapshots").Name(), oneSnapshot, client)
			measured := &plan.Steps[len(plan.Steps)-1]
			measured.Session, measured.Threads = benchv1alpha1.SessionSnapshot, 1
			wantFlows(t, followed(t, plan, server))
		})
	}
}

func TestSnapshotsAreRefused(t *testing.T) {
	tests := map[string]struct {
		client benchv1alpha1.Client
		set    bool
		old    bool
		want   string
	}{
		"prepared commands": {
			client: benchv1alpha1.ClientDriver, set: true, want: "set the client to Application or Wire",
		},
		"a standalone":                     {client: benchv1alpha1.ClientApplication, want: "the server is a standalone"},
		"a standalone, by the wire client": {client: benchv1alpha1.ClientWire, want: "the server is a standalone"},
		"an old server":                    {client: benchv1alpha1.ClientWire, old: true, want: "needs MongoDB 5.0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			version := mongotest.Newest()
			if tc.old {
				version = mongotest.Versions()[0]
			}
			server := mongotest.Shared(t, version)
			if tc.set {
				server = replicaSet(t, version)
			}
			_, err := open(t, server).Session(t.Context(), loadgen.Use{
				Database: "snapshot", Client: tc.client, Step: planv1.Step{Session: benchv1alpha1.SessionSnapshot},
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
