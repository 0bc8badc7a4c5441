package mongo_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestACausalSessionReadsWhatItWrote has a thread write and then read, and asks the server whether the read was to wait
// for the write: whether it came with the time of the write.
func TestACausalSessionReadsWhatItWrote(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for mode, want := range map[benchv1alpha1.SessionMode]bool{"": false, benchv1alpha1.SessionCausal: true} {
			t.Run("mongod "+version+", session "+string(mode), func(t *testing.T) {
				server := replicaSet(t, version)
				db := database(t, server, "causal")
				ten(t, db)
				read, step := drawnFrom(t, planv1.Operation{Request: planv1.Request{
					Kind: "FindOne", Filter: `{"n": 1}`, RequestOptions: planv1.RequestOptions{Comment: "after the write"},
				}})
				write, _ := drawnFrom(t, planv1.Operation{Request: planv1.Request{
					Kind: "UpdateOne", Filter: `{"n": 1}`, Update: `{"$set": {"x": 1}}`,
				}})
				step.Session = mode
				session, _ := sessionOf(t, server.URI(), loadgen.Use{
					Database: db.Name(), Client: benchv1alpha1.ClientApplication, Step: step,
				})
				setProfile(t, db, 2)
				execute(t, session, write)
				execute(t, session, read)
				setProfile(t, db, 0)
				wantAfter(t, db, want)
			})
		}
	}
}

// wantAfter looks in the profile for the time that the read was to wait for, and compares it with the write's session.
func wantAfter(t *testing.T, db *driver.Database, want bool) {
	t.Helper()
	var profiled []bson.Raw
	cursor, err := db.Collection("system.profile").Find(t.Context(), bson.D{{Key: "op", Value: bson.D{
		{Key: "$in", Value: bson.A{"update", "query"}},
	}}})
	if err == nil {
		err = cursor.All(t.Context(), &profiled)
	}
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	for _, one := range profiled {
		if comment, _ := one.Lookup("command", "comment").StringValueOK(); comment != "after the write" {
			continue
		}
		reads++
		if _, err := one.LookupErr("command", "readConcern", "afterClusterTime"); (err == nil) != want {
			t.Errorf("the read %s waits for the write: %t, want %t", one, err == nil, want)
		}
	}
	if reads != 1 {
		t.Errorf("%d reads in the profile, want 1", reads)
	}
}

func TestOtherClientsKeepNoCausalSession(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	for _, client := range everyClient[1:] {
		_, err := open(t, server).Session(t.Context(), loadgen.Use{
			Database: "causal", Client: client, Step: planv1.Step{Session: benchv1alpha1.SessionCausal},
		})
		if err == nil || !strings.Contains(err.Error(), "causally consistent session") ||
			!strings.Contains(err.Error(), "Application") {
			t.Errorf("client %s: error %v", client, err)
		}
	}
}

// TestWhatWasWrittenIsRead has every document that was inserted be seen: in a causal session at a secondary, and at the
// primary.
func TestWhatWasWrittenIsRead(t *testing.T) {
	set := startSet(t, mongotest.Newest())
	for name, tc := range map[string]struct {
		client     benchv1alpha1.Client
		session    benchv1alpha1.SessionMode
		preference benchv1alpha1.ReadPreference
	}{
		"at a secondary, in a causal session": {
			benchv1alpha1.ClientApplication, benchv1alpha1.SessionCausal, benchv1alpha1.ReadSecondary,
		},
		"at the primary":                {benchv1alpha1.ClientApplication, "", ""},
		"at the primary, by the driver": {benchv1alpha1.ClientDriver, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf("written", planv1.Step{
				Threads: 4, OperationCount: sent, Session: tc.session,
				Operations: []planv1.Operation{{
					Name: "it", Request: planv1.Request{Kind: "InsertThenFind"},
					WholeSettings: planv1.WholeSettings{ReadPreference: tc.preference},
				}},
			})
			plan.Client = tc.client
			reports, err := drivertest.Run(t.Context(), plan, set.target(t))
			if err != nil {
				t.Fatal(err)
			}
			measured := reports[0].Steps[3].Operations[0]
			if measured.Unexpected != 0 || measured.Empty != 0 || measured.Documents != 2*sent || measured.Inserted != sent {
				t.Errorf("%d were not seen: %+v", measured.Unexpected, measured)
			}
		})
	}
}
