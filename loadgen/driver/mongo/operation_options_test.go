package mongo_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// caseless compares texts without case.
var caseless = &benchv1alpha1.Collation{Locale: "de", Strength: new(int32(2))}

// optionCase is an operation with options, of which the server can be asked whether it heeded them.
type optionCase struct {
	request planv1.Request
	whole   planv1.WholeSettings
	// wantDocuments it comes upon, and wantFound afterwards match found, a filter.
	wantDocuments int64
	found         string
	wantFound     int
}

// The collection has ten documents with n from 0 to 9, name "A", or "a" where n is odd, and list [{v: 0}, {v: n}].
var optionCases = map[string]optionCase{
	"FindOne by a collation":  {request: withOptions("FindOne", `{"name": "a", "n": 2}`, collated), wantDocuments: 1},
	"Find by a collation":     {request: withOptions("Find", `{"name": "A"}`, collated), wantDocuments: 10},
	"Find by a variable":      {request: withOptions("Find", belowMost, variable), wantDocuments: 4},
	"Distinct by a collation": {request: distinctNames(), wantDocuments: 1},
	"CountDocuments by a collation": {
		request: withOptions("CountDocuments", `{"name": "a", "n": 2}`, collated), wantDocuments: 1,
	},
	"Aggregate by a collation": {
		request: planv1.Request{
			Kind: "Aggregate", Pipeline: `[{"$match": {"name": "A"}}]`,
			RequestOptions: planv1.RequestOptions{Collation: caseless},
		}, wantDocuments: 10,
	},
	"Aggregate by a variable": {
		request: planv1.Request{
			Kind: "Aggregate", Pipeline: `[{"$match": {"$expr": {"$lt": ["$n", "$$most"]}}}]`,
			RequestOptions: planv1.RequestOptions{Let: `{"most": 4}`},
		}, wantDocuments: 4,
	},
	"UpdateOne of elements": {
		request:       updating("UpdateOne", `{"n": 7}`, `{"$set": {"list.$[e].hit": true}}`, elements),
		wantDocuments: 1, found: `{"list": [{"v": 0}, {"v": 7, "hit": true}]}`, wantFound: 1,
	},
	"UpdateMany of elements by a collation": {
		request: updating("UpdateMany", `{"name": "A"}`, `{"$set": {"list.$[e].hit": true}}`, func(o *planv1.RequestOptions) {
			elements(o)
			collated(o)
		}),
		wantDocuments: 10, found: `{"list.hit": true}`, wantFound: 4,
	},
	"UpdateMany by a variable": {
		request:       updating("UpdateMany", belowMost, `[{"$set": {"x": "$$most"}}]`, variable),
		wantDocuments: 4, found: `{"x": 4}`, wantFound: 4,
	},
	"ReadModifyWrite by a collation of elements": {
		request: updating("ReadModifyWrite", `{"name": "a", "n": 8}`, `{"$set": {"list.$[e].hit": true}}`,
			func(o *planv1.RequestOptions) {
				elements(o)
				collated(o)
			}),
		wantDocuments: 1, found: `{"list.hit": true}`, wantFound: 1,
	},
	"FindOneAndUpdate of elements": {
		request:       updating("FindOneAndUpdate", `{"n": 7}`, `{"$set": {"list.$[e].hit": true}}`, elements),
		wantDocuments: 1, found: `{"list.hit": true}`, wantFound: 1,
	},
	"FindOneAndUpdate by a variable": {
		request: updating("FindOneAndUpdate", `{"$expr": {"$eq": ["$n", "$$most"]}}`, `[{"$set": {"x": "$$most"}}]`,
			variable),
		wantDocuments: 1, found: `{"x": 4, "n": 4}`, wantFound: 1,
	},
	"FindOneAndDelete by a collation": {
		request:       withOptions("FindOneAndDelete", `{"name": "a", "n": 2}`, collated),
		wantDocuments: 1, found: `{}`, wantFound: 9,
	},
	"DeleteOne by a collation": {
		request:       withOptions("DeleteOne", `{"name": "a", "n": 2}`, collated),
		wantDocuments: 1, found: `{}`, wantFound: 9,
	},
	"DeleteMany by a variable": {
		request:       withOptions("DeleteMany", belowMost, variable),
		wantDocuments: 4, found: `{}`, wantFound: 6,
	},
	"BulkWrite with options of its parts": {
		request: planv1.Request{Kind: "BulkWrite", RequestOptions: planv1.RequestOptions{Comment: "whole"}},
		whole: planv1.WholeSettings{Operations: []planv1.Request{
			updating("UpdateOne", `{"n": 7}`, `{"$set": {"list.$[e].hit": true}}`, elements),
			updating("UpdateMany", `{"name": "A", "n": {"$lt": 4}}`, `{"$set": {"list.0.hit": true}}`, collated),
			withOptions("DeleteOne", `{"name": "a", "n": 8}`, collated),
		}},
		wantDocuments: 6, found: `{"list.hit": true}`, wantFound: 5,
	},
}

// belowMost is a filter by the variable.
const belowMost = `{"$expr": {"$lt": ["$n", "$$most"]}}`

func collated(o *planv1.RequestOptions) { o.Collation = caseless }
func variable(o *planv1.RequestOptions) { o.Let = `{"most": 4}` }
func elements(o *planv1.RequestOptions) { o.ArrayFilters = `[{"e.v": {"$gte": 6}}]` }

func withOptions(kind benchv1alpha1.OperationKind, filter string, set func(*planv1.RequestOptions)) planv1.Request {
	r := planv1.Request{Kind: kind, Filter: planv1.Document(filter)}
	set(&r.RequestOptions)
	return r
}

func updating(
	kind benchv1alpha1.OperationKind, filter, update string, set func(*planv1.RequestOptions),
) planv1.Request {
	r := withOptions(kind, filter, set)
	r.Update = planv1.Document(update)
	return r
}

func distinctNames() planv1.Request {
	r := withOptions("Distinct", `{}`, collated)
	r.Field = "name"
	return r
}

// tenWithLists fills the collection.
func tenWithLists(t *testing.T, db *driver.Database) {
	t.Helper()
	ten(t, db)
	update := bson.A{bson.D{{Key: "$set", Value: raw(t, `{
		"name": {"$cond": [{"$eq": [{"$mod": ["$n", 2]}, 0]}, "A", "a"]}, "list": [{"v": 0}, {"v": "$n"}]
	}`)}}}
	if _, err := db.Collection("things").UpdateMany(t.Context(), bson.D{}, update); err != nil {
		t.Fatal(err)
	}
}

// drawnFrom is the request that a plan makes of an operation.
func drawnFrom(t *testing.T, declared planv1.Operation) (workload.Request, planv1.Step) {
	t.Helper()
	declared.Name, declared.Weight, declared.Collection = "it", 1, "things"
	if operation.Of(declared.Kind).Replaces() {
		declared.Parameters, declared.ReplaceKey = byID, byID[0].Name
	}
	for i := range declared.Operations {
		declared.Operations[i].Collection = "things"
	}
	plan := planOf("options", planv1.Step{Operations: []planv1.Operation{declared}})
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		t.Fatal(err)
	}
	mix, err := workload.Compile(dataset, 3)
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Request
	mix.Draw(0, &r)
	return r, plan.Steps[3]
}

func TestOptionsAreHeeded(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "options")
		for name, tc := range optionCases {
			t.Run(name, func(t *testing.T) {
				tenWithLists(t, db)
				r, step := drawnFrom(t, planv1.Operation{Request: tc.request, WholeSettings: tc.whole})
				use := loadgen.Use{Database: db.Name(), Client: client, Step: step}
				if tc.request.Let != "" && !mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 5}) {
					wantRefused(t, server, use, "let of a "+r.Kind.String()+" needs MongoDB 5.0 or later")
					return
				}
				session, _ := sessionOf(t, server.URI(), use)
				checkHeeded(t, db, tc, execute(t, session, r))
			})
		}
	})
}

// checkHeeded looks at what came of an operation.
func checkHeeded(t *testing.T, db *driver.Database, tc optionCase, reply loadgen.Reply) {
	t.Helper()
	if reply.Documents != tc.wantDocuments {
		t.Errorf("reply %+v, want %d documents", reply, tc.wantDocuments)
	}
	if tc.found == "" {
		return
	}
	if found := count(t, db, tc.found); found != tc.wantFound {
		t.Errorf("%d documents match %s, want %d", found, tc.found, tc.wantFound)
	}
}

// wantRefused wants no session for a step.
func wantRefused(t *testing.T, server *mongotest.Server, use loadgen.Use, want string) {
	t.Helper()
	_, err := open(t, server).Session(t.Context(), use)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"it"`) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// hinted have a hint on an index that is there; the server refuses one that is not, so that it can be seen to be sent.
var hinted = []planv1.Request{
	withOptions("FindOne", `{"n": 1}`, nothing), withOptions("Find", `{"n": 1}`, nothing),
	withOptions("CountDocuments", `{"n": 1}`, nothing),
	{Kind: "Aggregate", Pipeline: `[{"$match": {"n": 1}}]`},
	updating("UpdateOne", `{"n": 1}`, `{"$set": {"x": 1}}`, nothing),
	updating("UpdateMany", `{"n": 1}`, `{"$set": {"x": 1}}`, nothing),
	updating("ReadModifyWrite", `{"n": 1}`, `{"$set": {"x": 1}}`, nothing),
	updating("FindOneAndUpdate", `{"n": 1}`, `{"$set": {"x": 1}}`, nothing),
	withOptions("DeleteOne", `{"n": 1}`, nothing), withOptions("DeleteMany", `{"n": 2}`, nothing),
	withOptions("FindOneAndDelete", `{"n": 3}`, nothing),
	withOptions("ReplaceOne", `{"_id": {"$param": "id"}}`, nothing),
	withOptions("FindOneAndReplace", `{"_id": {"$param": "id"}}`, nothing),
}

func nothing(*planv1.RequestOptions) {}

func TestAHintIsHeeded(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "hints")
		ten(t, db)
		for hint, valid := range map[string]bool{`{"n": 1}`: true, "n_1": true, "absent": false, `{"absent": 1}`: false} {
			for _, request := range hinted {
				t.Run(string(request.Kind)+" by "+hint, func(t *testing.T) {
					makeIndex(t, db)
					request.Hint = planv1.Document(hint)
					r, step := drawnFrom(t, planv1.Operation{Request: request})
					session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client, Step: step})
					var reply loadgen.Reply
					err := session.Execute(t.Context(), &r, &reply)
					session.Settle(t.Context())
					if valid != (err == nil) {
						t.Errorf("error %v, and the index is there: %t", err, valid)
					}
				})
			}
		}
	})
}

func makeIndex(t *testing.T, db *driver.Database) {
	t.Helper()
	index := driver.IndexModel{Keys: bson.D{{Key: "n", Value: 1}}}
	if _, err := db.Collection("things").Indexes().CreateOne(t.Context(), index); err != nil {
		t.Fatal(err)
	}
}

func TestACommentIsInTheProfile(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "comments")
		requests := slices.Concat(hinted, []planv1.Request{
			distinctNames(), {Kind: "EstimatedDocumentCount"}, {Kind: "InsertOne"}, {Kind: "InsertMany", BatchDocuments: 2},
		})
		for _, request := range requests {
			t.Run(string(request.Kind), func(t *testing.T) {
				ten(t, db)
				request.Comment = "of " + string(request.Kind)
				r, step := drawnFrom(t, planv1.Operation{Request: request})
				session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client, Step: step})
				setProfile(t, db, 2)
				execute(t, session, r)
				setProfile(t, db, 0)
				found, err := db.Collection("system.profile").CountDocuments(t.Context(),
					bson.D{{Key: "command.comment", Value: request.Comment}})
				if err != nil || found == 0 {
					t.Errorf("%d commands with the comment in the profile, error %v", found, err)
				}
			})
		}
	})
}

// setProfile sets which commands the server notes.
func setProfile(t *testing.T, db *driver.Database, level int) {
	t.Helper()
	if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: level}}).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestTheTimeOfACommandIsLimited(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "times")
		ten(t, db)
		r, step := drawnFrom(t, planv1.Operation{Request: planv1.Request{
			Kind: "Find", Filter: `{"$where": "sleep(5000) || true"}`, RequestOptions: planv1.RequestOptions{MaxTimeMillis: 50},
		}})
		session, target := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client, Step: step})
		var reply loadgen.Reply
		err := session.Execute(t.Context(), &r, &reply)
		if err == nil || target.Classify(err) != "timeout" {
			t.Errorf("error %v of class %q, want one that it took too long", err, target.Classify(err))
		}
	})
}

func TestAHintOfADistinctIsRefusedByOlderServers(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	request := distinctNames()
	request.Hint = "n_1"
	_, step := drawnFrom(t, planv1.Operation{Request: request})
	for _, client := range everyClient {
		use := loadgen.Use{Database: "hinted", Client: client, Step: step}
		wantRefused(t, server, use, "hint of a Distinct needs MongoDB 7.1 or later, and the server is of version 6.0.5")
	}
}

func TestASortedUpdateIsRefusedByOlderServers(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	sort := []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortDescending}}
	for _, declared := range []planv1.Operation{
		{Request: planv1.Request{Kind: "UpdateOne", Filter: `{}`, Update: `{"$set": {"x": 1}}`, Sort: sort}},
		{
			Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{
				{Kind: "UpdateOne", Filter: `{}`, Update: `{"$set": {"x": 1}}`, Sort: sort},
			}},
		},
	} {
		_, step := drawnFrom(t, declared)
		for _, client := range everyClient {
			use := loadgen.Use{Database: "sorted", Client: client, Step: step}
			wantRefused(t, server, use, "sort of a UpdateOne needs MongoDB 8.0 or later, and the server is of version 6.0.5")
		}
	}
}
