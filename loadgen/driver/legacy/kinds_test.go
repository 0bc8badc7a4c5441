package legacy_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const collection = "things"

// things are 300 documents of a kilobyte, so that a cursor has several batches.
func things() []bson.Raw {
	documents := make([]bson.Raw, 300)
	for i := range documents {
		documents[i], _ = bson.Marshal(bson.D{
			{Key: "_id", Value: i}, {Key: "n", Value: i % 10}, {Key: "text", Value: strings.Repeat("x", 1000)},
		})
	}
	return documents
}

// fill makes the collection again, by the client that is known to be right.
func fill(t *testing.T, target *mongo.Target, database string) {
	t.Helper()
	if err := target.Prepare(t.Context(), database, planv1.Collection{Name: collection}); err != nil {
		t.Fatal(err)
	}
	opened := session(t, target, loadgen.Use{Database: database, Client: benchv1alpha1.ClientDriver})
	var reply loadgen.Reply
	request := workload.Request{Kind: operation.InsertMany, Collection: collection, Documents: things()}
	if err := opened.Execute(t.Context(), &request, &reply); err != nil {
		t.Fatal(err)
	}
}

// contents are all documents of the collection without their text, in the order of their _id.
func contents(t *testing.T, target *mongo.Target, database string) []string {
	t.Helper()
	ids := make([]bson.RawValue, 0, 400)
	for i := range 400 {
		kind, value, err := bson.MarshalValue(i)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, bson.RawValue{Type: kind, Value: value})
	}
	documents, err := target.Read(t.Context(), database, collection, ids)
	if err != nil {
		t.Fatal(err)
	}
	found := make([]string, len(documents))
	for i, document := range documents {
		found[i] = strings.ReplaceAll(document.String(), strings.Repeat("x", 1000), "...")
	}
	slices.Sort(found)
	return found
}

// requests are those whose effect and count of documents must be the same by either client.
func requests(t *testing.T) map[string]workload.Request {
	t.Helper()
	read := func(kind operation.Kind, filter string, change func(*workload.Request)) workload.Request {
		r := workload.Request{Kind: kind, Collection: collection, Filter: raw(t, filter)}
		if change != nil {
			change(&r)
		}
		return r
	}
	find := func(filter string, batch int32, limit int64) workload.Request {
		return workload.Request{
			Kind: operation.Find, Collection: collection, Filter: raw(t, filter), BatchSize: batch, Limit: limit,
		}
	}
	write := func(kind operation.Kind, filter, update string) workload.Request {
		return workload.Request{Kind: kind, Collection: collection, Filter: raw(t, filter), Update: raw(t, update)}
	}
	documents := func(kind operation.Kind, filter string, all ...string) workload.Request {
		r := write(kind, filter, "")
		for _, document := range all {
			r.Documents = append(r.Documents, raw(t, document))
		}
		return r
	}
	upsert := write(operation.UpdateOne, `{"_id": 305}`, `{"$set": {"m": 1}}`)
	upsert.Upsert = true
	silent := write(operation.DeleteOne, `{"_id": 12}`, "")
	silent.Operation = 1
	all := map[string]workload.Request{
		"one document":              read(operation.FindOne, `{"_id": 7}`, nil),
		"no document":               read(operation.FindOne, `{"_id": 7000}`, nil),
		"everything, in batches":    find("", 40, 0),
		"everything, one at a time": find(`{"n": 3}`, 1, 0),
		"a sort": read(operation.Find, "", func(r *workload.Request) {
			r.Sort, r.Skip, r.Limit = raw(t, `{"n": -1, "_id": 1}`), 5, 20
		}),
		"a limit above a batch":     find("", 100, 250),
		"a limit that ends a batch": find("", 100, 200),
		"a limit of one":            find("", 0, 1),
		"a limit of one more":       find("", 100, 101),
		"the first batch": read(operation.Find, "", func(r *workload.Request) {
			r.BatchSize, r.FirstBatchOnly = 30, true
		}),
		"a projection": read(operation.Find, `{"n": 1}`, func(r *workload.Request) {
			r.Projection = raw(t, `{"n": 1}`)
		}),
		"a count":              read(operation.CountDocuments, `{"n": 4}`, nil),
		"a count of a part":    read(operation.CountDocuments, "", func(r *workload.Request) { r.Skip, r.Limit = 3, 9 }),
		"an insert":            documents(operation.InsertOne, "", `{"_id": 301, "n": 1}`),
		"an insert of two":     documents(operation.InsertMany, "", `{"_id": 310}`, `{"_id": 311}`),
		"a replacement":        documents(operation.ReplaceOne, `{"_id": 9}`, `{"_id": 9, "new": true}`),
		"an update":            write(operation.UpdateOne, `{"n": 2}`, `{"$inc": {"n": 50}}`),
		"an update of many":    write(operation.UpdateMany, `{"n": 2}`, `{"$set": {"m": 1}}`),
		"an update of nothing": write(operation.UpdateOne, `{"n": 99}`, `{"$set": {"m": 1}}`),
		"an upsert":            upsert,
		"a deletion":           write(operation.DeleteOne, `{"n": 5}`, ""),
		"a deletion of many":   write(operation.DeleteMany, `{"n": 5}`, ""),
		"a read and an update": write(operation.ReadModifyWrite, `{"_id": 8}`, `{"$inc": {"n": 1}}`),
		"a find that changes": read(operation.FindOneAndUpdate, `{"n": 6}`, func(r *workload.Request) {
			r.Sort, r.Update = raw(t, `{"_id": -1}`), raw(t, `{"$set": {"m": 2}}`)
		}),
		"a find that changes nothing": write(operation.FindOneAndUpdate, `{"n": 66}`, `{"$set": {"m": 2}}`),
		"a find that deletes": read(operation.FindOneAndDelete, `{"n": 6}`, func(r *workload.Request) {
			r.Sort = raw(t, `{"_id": -1}`)
		}),
		"a find that replaces": read(operation.FindOneAndReplace, `{"_id": 9}`, func(r *workload.Request) {
			r.Documents = []bson.Raw{raw(t, `{"_id": 9, "new": true}`)}
		}),
		"an estimate":             {Kind: operation.EstimatedDocumentCount, Collection: collection},
		"an unacknowledged write": silent,
	}
	bulk := workload.Request{Kind: operation.BulkWrite, Collection: collection, Ordered: true}
	for _, name := range []string{"an insert", "an update of many", "a deletion", "an upsert"} {
		bulk.Parts = append(bulk.Parts, all[name])
	}
	all["a bulk"] = bulk
	all["the values of a field"] = workload.Request{
		Kind: operation.Distinct, Collection: collection, Filter: raw(t, `{"_id": {"$gt": 3}}`),
		Declared: &planv1.Operation{Request: planv1.Request{Field: "n"}},
	}
	all["a command"] = workload.Request{Kind: operation.RunCommand, Command: raw(t, `{"ping": 1}`)}
	return all
}

// step has two operations: the first as the server does it by default, the second without an acknowledgement.
var step = planv1.Step{Operations: []planv1.Operation{
	{
		Name: "a", Request: planv1.Request{Kind: "FindOne"},
	}, {
		Name: "b", Request: planv1.Request{Kind: "DeleteOne"},
		WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
	},
}}

func TestEveryKindIsCompared(t *testing.T) {
	compared := requests(t)
	for kind := range operation.Kinds() {
		isOfKind := func(r workload.Request) bool { return r.Kind == kind }
		if kind == operation.Aggregate {
			continue // Servers that both clients speak to want a cursor, which the oldest form of the protocol lacks.
		}
		if kind.Row().SentBy(operation.Legacy) && !slices.ContainsFunc(slices.Collect(maps.Values(compared)), isOfKind) {
			t.Errorf("loadgen/driver/legacy/kinds_test.go: requests has none of kind %s", kind)
		}
	}
}

func TestEveryKindDoesWhatTheDriverDoes(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		right, old := modern(t, server), open(t, server, form)
		fill(t, right, kinds)
		for name, request := range requests(t) {
			t.Run(name, func(t *testing.T) {
				wantReply, wantContents := outcome(t, right, right, request)
				reply, found := outcome(t, old, right, request)
				if reply.Documents != wantReply.Documents || reply.First.IsZero() != wantReply.First.IsZero() ||
					reply.Unacknowledged != wantReply.Unacknowledged {
					t.Errorf("got %+v, the driver %+v", reply, wantReply)
				}
				if diff := cmp.Diff(wantContents, found); diff != "" {
					t.Errorf("contents (-driver +legacy):\n%s", diff)
				}
			})
		}
	})
}

// kinds is the database of the requests; what one of them changes is made again.
const kinds = "kinds"

// outcome sends a request by a target, and returns what the collection holds then.
func outcome(
	t *testing.T, target loadgen.Target, right *mongo.Target, request workload.Request,
) (loadgen.Reply, []string) {
	t.Helper()
	reads := request.Kind.Row().Effect == operation.Reads
	if !reads {
		defer fill(t, right, kinds)
	}
	use := loadgen.Use{Database: kinds, Step: step}
	if target == loadgen.Target(right) {
		use.Client = benchv1alpha1.ClientDriver
	}
	opened := session(t, target, use)
	var reply, again loadgen.Reply
	if err := opened.Execute(t.Context(), &request, &reply); err != nil {
		t.Fatalf("by %s: %v", opened.Client(), err)
	}
	opened.Settle(t.Context())
	// The connection is good for another one, which follows the unacknowledged write.
	next := workload.Request{Kind: operation.FindOne, Collection: collection, Filter: raw(t, `{"_id": 0}`)}
	if err := opened.Execute(t.Context(), &next, &again); err != nil || again.Documents != 1 {
		t.Fatalf("by %s, the operation after it: %+v, %v", opened.Client(), again, err)
	}
	if reads {
		return reply, nil
	}
	return reply, contents(t, right, kinds)
}

// TestErrorsHaveTheirClass: the ways in which a request may fail are told apart as they are with newer servers.
func TestErrorsHaveTheirClass(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		right, old := modern(t, server), open(t, server, form)
		fill(t, right, "errors")
		opened := session(t, old, loadgen.Use{Database: "errors", Step: step})
		for name, tc := range map[string]struct {
			request workload.Request
			class   string
		}{
			"a document that is there already": {
				workload.Request{Kind: operation.InsertOne, Documents: things()[:1]}, "duplicate key",
			},
			"an operator that is not known": {
				workload.Request{Kind: operation.FindOne, Filter: raw(t, `{"n": {"$nothing": 1}}`)}, "server",
			},
			"an update that cannot be": {
				workload.Request{Kind: operation.UpdateOne, Filter: raw(t, `{"_id": 1}`), Update: raw(t, `{"$inc": {"text": 1}}`)},
				"server",
			},
			"a command that is not known": {
				workload.Request{Kind: operation.RunCommand, Command: raw(t, `{"nothing": 1}`)}, "server",
			},
		} {
			t.Run(name, func(t *testing.T) {
				tc.request.Collection = collection
				var reply loadgen.Reply
				err := opened.Execute(t.Context(), &tc.request, &reply)
				if err == nil || old.Classify(err) != tc.class {
					t.Errorf("error %v, want one of class %s", err, tc.class)
				}
			})
		}
	})
}
