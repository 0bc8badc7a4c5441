package mongo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// raw encodes a document, or with [ an array, of Extended JSON.
func raw(t *testing.T, text string) bson.Raw {
	t.Helper()
	var wrapped bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(`{"it": `+text+`}`), false, &wrapped); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return wrapped.Lookup("it").Value
}

// eachClient runs a test by each client on each server.
func eachClient(t *testing.T, test func(t *testing.T, version string, client benchv1alpha1.Client)) {
	t.Helper()
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient {
			t.Run("mongod "+version+", client "+string(client), func(t *testing.T) { test(t, version, client) })
		}
	}
}

// sessionOf opens a session for a step, of the driver unless told otherwise.
func sessionOf(t *testing.T, uri string, use loadgen.Use) (loadgen.Session, *mongo.Target) {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{
		URIs: []string{uri}, Connections: 2, OperationTimeout: 20 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	if use.Client == "" {
		use.Client = benchv1alpha1.ClientDriver
	}
	session, err := target.Session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session, target
}

// execute sends a request that has to succeed.
func execute(t *testing.T, session loadgen.Session, request workload.Request) loadgen.Reply {
	t.Helper()
	var reply loadgen.Reply
	if err := session.Execute(t.Context(), &request, &reply); err != nil {
		t.Fatalf("%s: %v", request.Kind, err)
	}
	session.Settle(t.Context())
	return reply
}

// request is one to the collection of the tests.
func request(kind operation.Kind, set func(*workload.Request)) workload.Request {
	r := workload.Request{Kind: kind, Collection: "things", Filter: bson.Raw("\x05\x00\x00\x00\x00")}
	if set != nil {
		set(&r)
	}
	return r
}

// ten puts documents with _id and n from 0 to 9 into the collection.
func ten(t *testing.T, db *driver.Database) {
	t.Helper()
	if err := db.Collection("things").Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		document := bson.D{{Key: "_id", Value: i}, {Key: "n", Value: i}}
		if _, err := db.Collection("things").InsertOne(t.Context(), document); err != nil {
			t.Fatal(err)
		}
	}
}

// kindCase is a request, and what is true afterwards.
type kindCase struct {
	request       func(t *testing.T) workload.Request
	wantDocuments int64
	// found is a filter, and wantFound the number of documents that it finds afterwards.
	found     string
	wantFound int
}

var kindCases = map[string]kindCase{
	"UpdateMany changes every document that it finds": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.UpdateMany, func(r *workload.Request) {
				r.Filter, r.Update = raw(t, `{"n": {"$lt": 4}}`), raw(t, `{"$set": {"x": 1}}`)
			})
		}, 4, `{"x": 1}`, 4,
	},
	"DeleteMany deletes every document that it finds": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.DeleteMany, func(r *workload.Request) { r.Filter = raw(t, `{"n": {"$gte": 4}}`) })
		}, 6, `{}`, 4,
	},
	"FindOneAndUpdate changes the first in the order": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndUpdate, func(r *workload.Request) {
				r.Sort, r.Projection, r.Update = raw(t, `{"n": -1}`), raw(t, `{"n": 1}`), raw(t, `{"$set": {"x": 1}}`)
			})
		}, 1, `{"x": 1, "n": 9}`, 1,
	},
	"FindOneAndUpdate changes by a pipeline": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndUpdate, func(r *workload.Request) {
				r.Filter, r.Update, r.UpdateIsPipeline = raw(t, `{"n": 3}`), raw(t, `[{"$set": {"x": "$n"}}]`), true
			})
		}, 1, `{"x": 3}`, 1,
	},
	"FindOneAndUpdate of nothing changes nothing": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndUpdate, func(r *workload.Request) {
				r.Filter, r.Update = raw(t, `{"n": 77}`), raw(t, `{"$set": {"x": 1}}`)
			})
		}, 0, `{"x": 1}`, 0,
	},
	"FindOneAndUpdate with upsert inserts what it does not find": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndUpdate, func(r *workload.Request) {
				r.Filter, r.Update, r.Upsert = raw(t, `{"n": 77}`), raw(t, `{"$set": {"x": 1}}`), true
			})
		}, 1, `{"x": 1, "n": 77}`, 1,
	},
	"FindOneAndDelete deletes the first in the order": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndDelete, func(r *workload.Request) {
				r.Sort, r.Projection = raw(t, `{"n": -1}`), raw(t, `{"n": 1}`)
			})
		}, 1, `{"n": {"$lt": 9}}`, 9,
	},
	"FindOneAndDelete of nothing deletes nothing": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndDelete, func(r *workload.Request) { r.Filter = raw(t, `{"n": 77}`) })
		}, 0, `{}`, 10,
	},
	"FindOneAndReplace replaces the first in the order": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndReplace, func(r *workload.Request) {
				r.Sort, r.Documents = raw(t, `{"n": -1}`), []bson.Raw{raw(t, `{"x": 1}`)}
			})
		}, 1, `{"_id": 9, "x": 1, "n": {"$exists": false}}`, 1,
	},
	"FindOneAndReplace with upsert inserts what it does not find": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.FindOneAndReplace, func(r *workload.Request) {
				r.Filter, r.Documents, r.Upsert = raw(t, `{"_id": 77}`), []bson.Raw{raw(t, `{"_id": 77, "x": 1}`)}, true
			})
		}, 1, `{"x": 1, "_id": 77}`, 1,
	},
	"EstimatedDocumentCount changes nothing": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return workload.Request{Kind: operation.EstimatedDocumentCount, Collection: "things"}
		}, 1, `{}`, 10,
	},
	"UpdateOne with upsert inserts what it does not find": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.UpdateOne, func(r *workload.Request) {
				r.Filter, r.Update, r.Upsert = raw(t, `{"_id": 77}`), raw(t, `{"$set": {"x": 1}}`), true
			})
		}, 1, `{"x": 1, "_id": 77}`, 1,
	},
	"ReplaceOne with upsert inserts what it does not find": {
		func(t *testing.T) workload.Request {
			t.Helper()
			return request(operation.ReplaceOne, func(r *workload.Request) {
				r.Filter, r.Documents, r.Upsert = raw(t, `{"_id": 77}`), []bson.Raw{raw(t, `{"_id": 77, "x": 1}`)}, true
			})
		}, 1, `{"x": 1, "_id": 77}`, 1,
	},
	"BulkWrite does its parts in their order": {mixedBulk, 10, `{"x": 2}`, 3},
}

// mixedBulk has five commands: insert, update, delete, insert, update.
func mixedBulk(t *testing.T) workload.Request {
	t.Helper()
	part := func(kind operation.Kind, filter, update string) workload.Request {
		return request(kind, func(r *workload.Request) {
			r.Filter = raw(t, filter)
			if update != "" {
				r.Update = raw(t, update)
			}
		})
	}
	insert := func(document string) workload.Request {
		return request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{raw(t, document)} })
	}
	return request(operation.BulkWrite, func(r *workload.Request) {
		r.Ordered = true
		r.Parts = []workload.Request{
			insert(`{"_id": 20}`), insert(`{"_id": 21}`),
			part(operation.UpdateOne, `{"_id": 20}`, `{"$set": {"x": 1}}`),
			part(operation.DeleteOne, `{"_id": 0}`, ""), part(operation.DeleteOne, `{"_id": 21}`, ""),
			insert(`{"_id": 21, "x": 1}`),
			request(operation.ReplaceOne, func(r *workload.Request) {
				r.Filter, r.Documents = raw(t, `{"_id": 1}`), []bson.Raw{raw(t, `{"_id": 1, "x": 1}`)}
			}),
			part(operation.UpdateMany, `{"x": {"$exists": true}, "_id": {"$gte": 100}}`, `{"$set": {"x": 3}}`),
			part(operation.UpdateOne, `{"_id": 21}`, `[{"$set": {"x": 2}}]`),
			part(operation.UpdateMany, `{"x": 1}`, `{"$set": {"x": 2}}`),
		}
		r.Parts[8].UpdateIsPipeline = true
	})
}

func TestKinds(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "kinds")
		session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client})
		for name, tc := range kindCases {
			t.Run(name, func(t *testing.T) {
				ten(t, db)
				if reply := execute(t, session, tc.request(t)); reply.Documents != tc.wantDocuments || reply.Unacknowledged {
					t.Errorf("reply %+v, want %d documents", reply, tc.wantDocuments)
				}
				if found := count(t, db, tc.found); found != tc.wantFound {
					t.Errorf("%d documents match %s, want %d", found, tc.found, tc.wantFound)
				}
			})
		}
	})
}

func count(t *testing.T, db *driver.Database, filter string) int {
	t.Helper()
	found, err := db.Collection("things").CountDocuments(t.Context(), raw(t, filter))
	if err != nil {
		t.Fatal(err)
	}
	return int(found)
}

// counters are how many commands of a kind the server has done.
func counters(t *testing.T, db *driver.Database, command string) int64 {
	t.Helper()
	status, err := db.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	number, _ := status.Lookup("metrics", "commands", command, "total").AsInt64OK()
	return number
}

func TestPartsOfABulkWriteThatFollowOneAnotherAreOneCommand(t *testing.T) {
	for _, version := range mongotest.Versions() {
		// Nothing else may use the server, not even the server itself, which writes sessions every few minutes.
		server := mongotest.Start(t, version, "--setParameter", "disableLogicalSessionCacheRefresh=true")
		// Of an application's the driver decides.
		for _, client := range everyClient[1:] {
			t.Run("mongod "+version+", client "+string(client), func(t *testing.T) { checkBulk(t, server, client) })
		}
	}
}

// checkBulk counts the commands that the server is sent.
func checkBulk(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "bulk")
	ten(t, db)
	session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client})
	before := map[string]int64{}
	for _, command := range []string{"insert", "update", "delete"} {
		before[command] = counters(t, db, command)
	}
	execute(t, session, mixedBulk(t))
	for command, want := range map[string]int64{"insert": 2, "update": 2, "delete": 1} {
		if got := counters(t, db, command) - before[command]; got != want {
			t.Errorf("%d commands %s, want %d", got, command, want)
		}
	}
}

func TestAnOrderedBulkWriteEndsAtItsFirstErrorAndAnUnorderedOneGoesOn(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "bulk-error")
		session, target := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client})
		checkBulkErrors(t, db, session, target)
	})
}

// checkBulkErrors sends a bulk write whose first part fails.
func checkBulkErrors(t *testing.T, db *driver.Database, session loadgen.Session, target *mongo.Target) {
	t.Helper()
	for name, tc := range map[string]struct {
		ordered   bool
		wantFound int
	}{
		"ordered": {true, 10}, "unordered": {false, 10},
	} {
		t.Run(name, func(t *testing.T) {
			ten(t, db)
			bulk := request(operation.BulkWrite, func(r *workload.Request) {
				r.Ordered = tc.ordered
				for _, document := range []string{`{"_id": 1}`, `{"_id": 30}`} {
					r.Parts = append(r.Parts, request(operation.InsertOne, func(r *workload.Request) {
						r.Documents = []bson.Raw{raw(t, document)}
					}))
				}
				r.Parts = append(r.Parts, request(operation.DeleteOne, func(r *workload.Request) {
					r.Filter = raw(t, `{"_id": 2}`)
				}))
			})
			var reply loadgen.Reply
			err := session.Execute(t.Context(), &bulk, &reply)
			if err == nil || target.Classify(err) != "duplicate key" {
				t.Errorf("error %v, want one of a duplicate key", err)
			}
			deleted := count(t, db, `{"_id": 2}`) == 0
			if found := count(t, db, `{}`); found != tc.wantFound || deleted == tc.ordered {
				t.Errorf("%d documents, the last part done: %t", found, deleted)
			}
		})
	}
}

func TestWritesWithoutAcknowledgementArrive(t *testing.T) {
	declared := planv1.Operation{
		Name: "it", Request: planv1.Request{Kind: "UpdateMany"},
		WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
	}
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		for name, tc := range map[string]struct {
			option     string
			operations []planv1.Operation
		}{
			"declared by the operation":   {"", []planv1.Operation{declared}},
			"of the connection string":    {"&w=0", nil},
			"of both, and not contrarily": {"&w=0", []planv1.Operation{declared}},
		} {
			t.Run(name, func(t *testing.T) {
				server := mongotest.Shared(t, version)
				db := database(t, server, "unacknowledged")
				session, _ := sessionOf(t, server.URI()+tc.option,
					loadgen.Use{Database: db.Name(), Client: client, Step: planv1.Step{Operations: tc.operations}})
				checkUnacknowledged(t, db, session)
			})
		}
	})
}

// checkUnacknowledged sends all kinds of writes that may go without an answer.
func checkUnacknowledged(t *testing.T, db *driver.Database, session loadgen.Session) {
	t.Helper()
	for name, kind := range kindCases {
		r := kind.request(t)
		if row := r.Kind.Row(); row.Acknowledged || row.Effect == operation.Reads {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ten(t, db)
			reply := execute(t, session, r)
			if !reply.Unacknowledged || reply.Documents != 0 {
				t.Errorf("reply %+v, want one without acknowledgement that claims no documents", reply)
			}
			eventually(t, func() bool { return count(t, db, kind.found) == kind.wantFound })
		})
	}
}

// eventually waits until something holds. It is patient: a member that stepped down cannot be elected for 10 s, and an
// election on a busy machine takes several attempts.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	const patience = 5 * time.Minute
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Errorf("it did not come to hold within %s", patience)
			return
		}
	}
}

func TestOperationsThatCannotBeAsDeclaredAreRefused(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	target := open(t, server)
	none := &planv1.WriteConcern{W: "0"}
	for name, tc := range map[string]struct {
		operation planv1.Operation
		want      string
	}{
		"an unknown read preference": {planv1.Operation{
			WholeSettings: planv1.WholeSettings{ReadPreference: "Best"},
		}, `read preference "best"`},
		"tags without a preference": {planv1.Operation{
			WholeSettings: planv1.WholeSettings{ReadTags: []benchv1alpha1.MemberTag{{Name: "use", Value: "reports"}}},
		}, "readTags need a readPreference"},
		"tags of the primary": {planv1.Operation{
			WholeSettings: planv1.WholeSettings{
				ReadPreference: "Primary", ReadTags: []benchv1alpha1.MemberTag{{Name: "use", Value: "reports"}},
			},
		}, `read preference "primary"`},
		"a transaction at a secondary": {planv1.Operation{
			Request:       planv1.Request{Kind: "Transaction"},
			WholeSettings: planv1.WholeSettings{ReadPreference: "Secondary"},
		}, "primary"},
		"a transaction without answers": {planv1.Operation{
			Request: planv1.Request{Kind: "Transaction"}, WholeSettings: planv1.WholeSettings{WriteConcern: none},
		}, "w: 0"},
		"a document without an answer": {planv1.Operation{
			Request: planv1.Request{Kind: "FindOneAndUpdate"}, WholeSettings: planv1.WholeSettings{WriteConcern: none},
		}, "w: 0"},
		"a negative write concern": {planv1.Operation{
			WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "-1"}},
		}, "negative"},
		"both journal and no answer": {
			planv1.Operation{
				WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0", Journal: "Required"}},
			}, "j: true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.operation.Name = "it"
			_, err := target.Session(t.Context(), loadgen.Use{
				Database: "refused", Client: benchv1alpha1.ClientDriver,
				Step: planv1.Step{Operations: []planv1.Operation{tc.operation}},
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), `"it"`) {
				t.Errorf("error %v, want one about operation \"it\" and %q", err, tc.want)
			}
		})
	}
}
