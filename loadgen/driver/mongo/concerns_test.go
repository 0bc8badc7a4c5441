package mongo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// termCase is what an operation declares, its request, and what the server then sees in its command.
type termCase struct {
	declared planv1.Operation
	request  workload.Request
	// field of the command, empty for none that must be there, and the value that it has.
	field, want string
}

func termCases(t *testing.T) map[string]termCase {
	t.Helper()
	find := request(operation.Find, nil)
	aggregate := request(operation.Aggregate, func(r *workload.Request) { r.Pipeline = raw(t, `[]`) })
	// Of updates the profiler does not keep the concern.
	insert := request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{raw(t, `{"x": 1}`)} })
	command := request(operation.RunCommand, func(r *workload.Request) { r.Command = raw(t, `{"count": "things"}`) })
	cases := map[string]termCase{
		"write concern majority": {
			planv1.Operation{
				WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "majority", TimeoutMillis: 5000}},
			},
			insert,
			"writeConcern", `{"w": "majority","wtimeout": {"$numberLong":"5000"}}`,
		},
		"write concern of a number and the journal": {
			planv1.Operation{
				WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "1", Journal: "Required"}},
			},
			insert,
			"writeConcern", `{"w": {"$numberInt":"1"},"j": true}`,
		},
		"no write concern": {planv1.Operation{}, insert, "writeConcern", ""},
		"no read concern":  {planv1.Operation{}, find, "readConcern", ""},
		"a raw command gets its read concern": {
			planv1.Operation{
				WholeSettings: planv1.WholeSettings{ReadConcern: "Majority"},
			}, command, "readConcern", `{"level": "majority"}`,
		},
	}
	for _, level := range []benchv1alpha1.ReadConcern{"Local", "Available", "Majority", "Linearizable"} {
		for name, r := range map[string]workload.Request{"find": find, "aggregate": aggregate} {
			cases["read concern "+string(level)+" of "+name] = termCase{
				planv1.Operation{
					WholeSettings: planv1.WholeSettings{ReadConcern: level},
				}, r, "readConcern", `{"level": "` + strings.ToLower(string(level)) + `"}`,
			}
		}
	}
	for mode, want := range map[benchv1alpha1.ReadPreference]string{
		benchv1alpha1.ReadPrimaryPreferred: "primaryPreferred", benchv1alpha1.ReadSecondaryPreferred: "secondaryPreferred",
		benchv1alpha1.ReadNearest: "nearest",
	} {
		cases["read preference "+want] = termCase{
			planv1.Operation{
				WholeSettings: planv1.WholeSettings{ReadPreference: mode},
			}, find, "$readPreference", `{"mode": "` + want + `"}`,
		}
	}
	cases["read tags"] = termCase{
		planv1.Operation{WholeSettings: planv1.WholeSettings{
			ReadPreference: benchv1alpha1.ReadPrimaryPreferred,
			ReadTags:       []benchv1alpha1.MemberTag{{Name: "use", Value: "reports"}, {Name: "zone", Value: "b"}},
		}}, find, "$readPreference", `{"mode": "primaryPreferred", "tags": [{"use": "reports", "zone": "b"}]}`,
	}
	return cases
}

func TestOperationsCarryWhatTheyDeclare(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "terms")
			ten(t, db)
			if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: 2}}).Err(); err != nil {
				t.Fatal(err)
			}
			uri := "mongodb://" + server.Address + "/?replicaSet=rs0"
			for name, tc := range termCases(t) {
				t.Run(name, func(t *testing.T) { checkTerms(t, db, uri, tc) })
			}
			t.Run("read preference secondary finds no server", func(t *testing.T) { checkNoSecondary(t, uri) })
		})
	}
}

// checkTerms sends an operation and looks at its command as the server saw it.
func checkTerms(t *testing.T, db *driver.Database, uri string, tc termCase) {
	t.Helper()
	tc.declared.Name = "it"
	tc.request.Declared = &tc.declared
	session, _ := sessionOf(t, uri, loadgen.Use{
		Database: db.Name(), Client: benchv1alpha1.ClientDriver,
		Step: planv1.Step{Operations: []planv1.Operation{tc.declared}},
	})
	execute(t, session, tc.request)
	value, ok := lastProfiled(t, db).Lookup("command", tc.field).DocumentOK()
	if ok != (tc.want != "") || ok && !same(value, tc.want) {
		t.Errorf("the server saw %s %s, want %s", tc.field, value, tc.want)
	}
}

// checkNoSecondary reads from a secondary where there is none.
func checkNoSecondary(t *testing.T, uri string) {
	t.Helper()
	use := loadgen.Use{
		Database: "terms", Client: benchv1alpha1.ClientDriver,
		Step: planv1.Step{Operations: []planv1.Operation{{
			Name: "it", WholeSettings: planv1.WholeSettings{ReadPreference: "Secondary"},
		}}},
	}
	// Short, since it is waited for in full; on a busy machine even the primary is not found in that time.
	config := mongo.Config{URIs: []string{uri}, SelectionTimeout: 300 * time.Millisecond}
	target, session, err := openSession(t, config, use)
	for err != nil && config.SelectionTimeout < time.Minute {
		config.SelectionTimeout *= 4
		target, session, err = openSession(t, config, use)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := request(operation.FindOne, nil)
	var reply loadgen.Reply
	if err := session.Execute(t.Context(), &r, &reply); err == nil || target.Classify(err) != "timeout" {
		t.Errorf("error %v, want one of class timeout", err)
	}
}

func openSession(t *testing.T, config mongo.Config, use loadgen.Use) (*mongo.Target, loadgen.Session, error) {
	t.Helper()
	target, err := mongo.Open(t.Context(), config)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	session, err := target.Session(t.Context(), use)
	return target, session, err
}

// same compares a document with its Extended JSON, in which the kinds of spaces do not matter.
func same(document bson.Raw, text string) bool {
	var want bson.Raw
	return bson.UnmarshalExtJSON([]byte(text), true, &want) == nil && string(want) == string(document)
}

// lastProfiled is what the profiler last wrote of the load generator.
func lastProfiled(t *testing.T, db *driver.Database) bson.Raw {
	t.Helper()
	last := options.FindOne().SetSort(bson.D{{Key: "$natural", Value: -1}})
	ours := bson.D{{Key: "appName", Value: "mongobench"}}
	found, err := db.Collection("system.profile").FindOne(t.Context(), ours, last).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFirstIsTheTimeOfTheFirstBatch(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	db := database(t, server, "first")
	ten(t, db)
	session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name()})
	for _, kind := range []operation.Kind{operation.Find, operation.Aggregate, operation.FindOne} {
		r := request(kind, func(r *workload.Request) {
			r.BatchSize = 2
			if kind == operation.Aggregate {
				r.Pipeline = raw(t, `[]`)
			}
		})
		if reply := execute(t, session, r); reply.First.IsZero() != (kind == operation.FindOne) {
			t.Errorf("%s: the first document came at %v", kind, reply.First)
		}
	}
}

func TestTrafficCountsBytesAndCheckouts(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	db := database(t, server, "traffic")
	session, target := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name()})
	before := target.Traffic()
	const size = 1 << 20
	document, err := bson.Marshal(bson.D{{Key: "_id", Value: 1}, {Key: "x", Value: make([]byte, size)}})
	if err != nil {
		t.Fatal(err)
	}
	execute(t, session, request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{document} }))
	for range 2 {
		execute(t, session, request(operation.FindOne, nil))
	}
	after := target.Traffic()
	out, in := after.BytesOut-before.BytesOut, after.BytesIn-before.BytesIn
	if out < size || out > 2*size || in < 2*size || in > 3*size {
		t.Errorf("%d bytes went out and %d came in, want a little more than 1 and 2 MiB", out, in)
	}
	if checkouts := after.Checkouts - before.Checkouts; checkouts != 3 {
		t.Errorf("%d checkouts, want 3", checkouts)
	}
	if after.MaxCheckoutMicros > after.CheckoutMicros {
		t.Errorf("the longest checkout took %d µs of %d", after.MaxCheckoutMicros, after.CheckoutMicros)
	}
}
