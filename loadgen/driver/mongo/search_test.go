package mongo_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongosdouble"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// searching answers as a server with MongoDB Search beside it: what that carries out as the documentation of the
// commands has it, by what the server behind it knows, and all else by that server itself.
type searching struct {
	t      *testing.T
	server *driver.Client

	mutex sync.Mutex
	// created are the indexes that were made, and asked how often one was looked for.
	created []bson.Raw
	asked   int
	// broken has an index fail.
	broken bool
}

func (s *searching) answer(command bson.Raw) bson.Raw {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	first, _ := command.IndexErr(0)
	switch first.Key() {
	case "hello", "isMaster", "ismaster":
		return (&eight{t: s.t}).answer(command)
	case "endSessions", "killCursors":
		return encoded(s.t, bson.D{{Key: "ok", Value: 1}})
	case "createSearchIndexes":
		made, _ := command.Lookup("indexes").Array().Values()
		for _, index := range made {
			s.created = append(s.created, index.Document())
		}
		return encoded(s.t, bson.D{{Key: "ok", Value: 1}})
	case "aggregate":
		return s.aggregate(command, first.Value().StringValue())
	default:
		return s.forward(command.Lookup("$db").StringValue(), withoutSession(s.t, command))
	}
}

// withoutSession is a command that its sender has in no session: the one that takes it on has its own.
func withoutSession(t *testing.T, command bson.Raw) bson.D {
	t.Helper()
	var all bson.D
	if err := bson.Unmarshal(command, &all); err != nil {
		t.Error(err)
	}
	return slices.DeleteFunc(all, func(e bson.E) bool {
		return e.Key == "lsid" || e.Key == "txnNumber" || strings.HasPrefix(e.Key, "$")
	})
}

func (s *searching) forward(database string, command any) bson.Raw {
	reply, err := s.server.Database(database).RunCommand(s.t.Context(), command).Raw()
	if refused, is := errors.AsType[driver.CommandError](err); is {
		return refused.Raw
	}
	if err != nil {
		s.t.Error(err)
	}
	return reply
}

// cursor is a reply with all of its documents.
func (s *searching) cursor(documents ...any) bson.Raw {
	return encoded(s.t, bson.D{{Key: "ok", Value: 1}, {Key: "cursor", Value: bson.D{
		{Key: "id", Value: int64(0)}, {Key: "ns", Value: "a.b"}, {Key: "firstBatch", Value: append(bson.A{}, documents...)},
	}}})
}

func (s *searching) aggregate(command bson.Raw, collection string) bson.Raw {
	stages, _ := command.Lookup("pipeline").Array().Values()
	all := withoutSession(s.t, command)
	if len(stages) == 0 {
		return s.forward(command.Lookup("$db").StringValue(), all)
	}
	switch first, _ := stages[0].Document().IndexErr(0); first.Key() {
	case "$listSearchIndexes":
		return s.state(first.Value().Document().Lookup("name").StringValue())
	case "$vectorSearch":
		pipeline := s.nearest(first.Value().Document())
		for _, stage := range stages[1:] {
			pipeline = append(pipeline, stage)
		}
		return s.forward(command.Lookup("$db").StringValue(), bson.D{
			{Key: "aggregate", Value: collection},
			{Key: "pipeline", Value: pipeline},
			{Key: "cursor", Value: bson.D{}},
		})
	default:
		return s.forward(command.Lookup("$db").StringValue(), all)
	}
}

// state of an index: it is not known at first, then it is built, and then it can be asked, or never.
func (s *searching) state(name string) bson.Raw {
	s.asked++
	status := bson.D{{Key: "name", Value: name}, {Key: "status", Value: "BUILDING"}, {Key: "queryable", Value: false}}
	switch {
	case s.asked == 1:
		return s.cursor()
	case s.asked > 2 && s.broken:
		return s.cursor(bson.D{
			{Key: "name", Value: name},
			{Key: "status", Value: "FAILED"},
			{Key: "queryable", Value: false},
			{Key: "message", Value: "no such path"},
		})
	case s.asked > 2:
		status[1].Value, status[2].Value = "READY", true
	}
	return s.cursor(status)
}

// nearest looks at all documents; when it is not to be exact it misses the two that are most like.
func (s *searching) nearest(search bson.Raw) bson.A {
	missed := 0
	if exact, _ := search.Lookup("exact").BooleanOK(); !exact {
		missed = 2
		if candidates, is := search.Lookup("numCandidates").AsInt64OK(); !is || candidates < 1 {
			s.t.Errorf("an approximate search without numCandidates: %s", search)
		}
	}
	multiplied := bson.D{{Key: "$multiply", Value: bson.A{
		bson.D{{Key: "$arrayElemAt", Value: bson.A{"$$this", 0}}}, bson.D{{Key: "$arrayElemAt", Value: bson.A{"$$this", 1}}},
	}}}
	like := bson.D{{Key: "$reduce", Value: bson.D{
		{Key: "input", Value: bson.D{{Key: "$zip", Value: bson.D{
			{Key: "inputs", Value: bson.A{"$" + search.Lookup("path").StringValue(), search.Lookup("queryVector")}},
		}}}},
		{Key: "initialValue", Value: 0},
		{Key: "in", Value: bson.D{{Key: "$add", Value: bson.A{"$$value", multiplied}}}},
	}}}
	pipeline := bson.A{
		bson.D{{Key: "$addFields", Value: bson.D{{Key: "like", Value: like}}}},
		bson.D{{Key: "$sort", Value: bson.D{{Key: "like", Value: -1}, {Key: "_id", Value: 1}}}},
	}
	if missed > 0 {
		pipeline = append(pipeline, bson.D{{Key: "$skip", Value: missed}})
	}
	return append(pipeline, bson.D{{Key: "$limit", Value: search.Lookup("limit")}})
}

// vectorSearch is a plan with a search index, and a search by it.
func vectorSearch(database string) planv1.Plan {
	const search = `[{"$vectorSearch": {"index": "near", "path": "v", "queryVector": {"$param": "v"}, "limit": 10, `
	const project = `}}, {"$project": {"_id": 1}}]`
	const candidates, exact = search + `"numCandidates": 50` + project, search + `"exact": true` + project
	plan := vectors(database, approximately("near", candidates, exact, nil))
	plan.Collections[0].SearchIndexes = []planv1.SearchIndex{{
		Name: "near", Type: benchv1alpha1.SearchIndexVector,
		Definition: `{"fields": [{"type": "vector", "path": "v", "numDimensions": 12, "similarity": "dotProduct"}]}`,
	}}
	plan.Steps = slices.Insert(plan.Steps, 2, planv1.Step{Name: "index", Kind: planv1.StepIndex})
	return plan
}

// startSearching starts a stand-in, and is a target of it.
func startSearching(t *testing.T, stands *searching) *mongo.Target {
	t.Helper()
	double := mongosdouble.Start(t, mongosdouble.Options{Answer: stands.answer})
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{double.URI()}, Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(t.Context()) })
	return target
}

func TestAVectorSearchByItsIndex(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			db := database(t, server, "search"+string(client))
			stands := &searching{t: t, server: db.Client()}
			plan := vectorSearch(db.Name())
			plan.Client = client
			reports, err := drivertest.Run(t.Context(), plan, startSearching(t, stands))
			if err != nil {
				t.Fatal(err)
			}
			o, eight := reports[0].Steps[4].Operations[0], reportv1.Recall{Wanted: 30, Compared: 30, Exact: 300, Found: 240}
			if o.Count != 20 || o.Documents != 200 || *o.Recall != eight {
				t.Errorf("%+v with %+v, want ten documents each, and eight of the exact ones", o, o.Recall)
			}
			stands.wantIndex()
		})
	}
}

// wantIndex wants the index of vectorSearch to have been made, and waited for.
func (s *searching) wantIndex() {
	s.t.Helper()
	if len(s.created) != 1 || s.asked != 3 {
		s.t.Fatalf("%d indexes made, and looked for %d times; want one, waited for", len(s.created), s.asked)
	}
	var made struct {
		Name, Type string
		Definition struct{ Fields []struct{ Path string } }
	}
	if err := bson.Unmarshal(s.created[0], &made); err != nil {
		s.t.Fatal(err)
	}
	if made.Name != "near" || made.Type != "vectorSearch" || made.Definition.Fields[0].Path != "v" {
		s.t.Errorf("made %s", s.created[0])
	}
}

func TestASearchIndexThatCannotBeBuiltEndsTheRun(t *testing.T) {
	db := database(t, mongotest.Shared(t, mongotest.Newest()), "brokensearch")
	target := startSearching(t, &searching{t: t, server: db.Client(), broken: true})
	_, err := drivertest.Run(t.Context(), vectorSearch(db.Name()), target)
	const want = `collection "things": search index "near": it could not be built: no such path`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestTheSampleOfAVectorSearch follows it in short.
func TestTheSampleOfAVectorSearch(t *testing.T) {
	db := database(t, mongotest.Shared(t, mongotest.Newest()), "vectorsearch")
	plan := inShort(t, "vector-search", db.Name())
	plan.Collections[0].DocumentCount = 50
	reports, err := drivertest.Run(t.Context(), plan, startSearching(t, &searching{t: t, server: db.Client()}))
	if err != nil {
		t.Fatal(err)
	}
	o := reports[0].Steps[len(plan.Steps)-1].Operations[0]
	if o.Count == 0 || o.Errors > 0 || o.Documents != 10*o.Count || *o.Recall.PerMillion() != 800_000 {
		t.Errorf("%+v with %+v, want ten documents each, and eight of the exact ones", o, o.Recall)
	}
}

func TestServersWithoutSearchSaySo(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			_, err := drivertest.Run(t.Context(), vectorSearch(database(t, server, "nosearch").Name()), open(t, server))
			if err == nil || !strings.Contains(err.Error(), "the deployment has no MongoDB Search") {
				t.Errorf("error %v", err)
			}
		})
	}
}
