package shards

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// loaded is how many documents the tests' collection has: more than a first batch on every shard.
const loaded = 1500

// mixed are values that fields of any type may have.
var mixed = []planv1.Choice{
	{Value: `null`, Weight: new(int32(1))},
	{Value: `5`, Weight: new(int32(2))},
	{Value: `{"$numberLong": "7"}`, Weight: new(int32(1))},
	{Value: `5.5`, Weight: new(int32(1))},
	{Value: `"text"`, Weight: new(int32(2))},
	{Value: `""`, Weight: new(int32(1))},
	{Value: `{"c": 1}`, Weight: new(int32(1))},
	{Value: `{"c": 2}`, Weight: new(int32(1))},
	{Value: `[3, 9]`, Weight: new(int32(1))},
	{Value: `[]`, Weight: new(int32(1))},
	{Value: `[{"c": 4}, {"c": 0}, 6]`, Weight: new(int32(1))},
	{Value: `true`, Weight: new(int32(1))},
	{Value: `{"$date": {"$numberLong": "5"}}`, Weight: new(int32(1))},
	{Value: `{"$numberDecimal": "5.25"}`, Weight: new(int32(1))},
}

// things is a collection with fields of many types, spread as sharding says.
func things(sharding *planv1.Sharding) planv1.Collection {
	field := func(name string, v planv1.Value) planv1.Field { return planv1.Field{Name: name, Value: v} }
	return planv1.Collection{
		Name: "things", DocumentCount: loaded, Sharding: sharding,
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "user", Hashed: true}),
			field("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			field("few", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Max: 19}),
			field("long", planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 2, Min: -1 << 40, Max: 1 << 40}),
			field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 3, Min: 1, Max: 12}),
			field("a.b", planv1.Value{Type: benchv1alpha1.GeneratorDouble, Seed: 4, MinDouble: -5, MaxDouble: 5}),
			field("a.at", planv1.Value{Type: benchv1alpha1.GeneratorDate, Seed: 5, Max: 1 << 40}),
			field("list", planv1.Value{
				Type: benchv1alpha1.GeneratorArray, Seed: 6, Max: 3, Element: &planv1.Value{
					Type: benchv1alpha1.GeneratorInt,
					Seed: 7, Max: 100,
				},
			}),
			field("mixed", planv1.Value{Type: benchv1alpha1.GeneratorChoice, Seed: 8, Choices: mixed}),
			field("id", planv1.Value{Type: benchv1alpha1.GeneratorUUID, Seed: 9}),
		},
	}
}

func key(field, order string) []planv1.IndexKey {
	return []planv1.IndexKey{{Field: field, Order: order}}
}

func sortBy(field string) []benchv1alpha1.SortKey {
	return []benchv1alpha1.SortKey{{Field: field, Direction: benchv1alpha1.SortAscending}}
}

// spreads are ways of spreading the collection.
var spreads = map[string]*planv1.Sharding{
	"by hash of _id":   nil,
	"by hash":          {Key: key("a.b", "hashed")},
	"by ranges":        {Key: key("few", "1"), SplitPoints: []string{`4`, `5`, `9`, `15`}},
	"by equal ranges":  {Key: key("n", "1")},
	"by compound hash": {Key: []planv1.IndexKey{{Field: "few", Order: "1"}, {Field: "id", Order: "hashed"}}},
}

// pair is one router and one server with the same documents.
type pair struct {
	routed *session
	plain  *wiresession.Stream
}

// loadBoth loads the collection both ways, and compares every document.
func loadBoth(t *testing.T, routed *Target, plain *mongo.Target, sharding *planv1.Sharding) pair {
	t.Helper()
	plan := planv1.Plan{
		Version: planv1.Version, Seed: 5, Pods: 2, Database: "same", Collections: []planv1.Collection{things(sharding)},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 3, BatchDocuments: 77},
			{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
		},
	}
	for _, target := range []loadgen.Target{routed, plain} {
		if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
			t.Fatal(err)
		}
	}
	use := loadgen.Use{Database: "same", Collections: plan.Collections, Step: only()}
	session, err := routed.session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	stream, err := plain.Stream(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	return pair{routed: session, plain: stream}
}

// one is what one server answers with.
func one(t *testing.T, server *wiresession.Stream, r *workload.Request) []bson.Raw {
	t.Helper()
	var reply loadgen.Reply
	if err := server.Begin(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var found []bson.Raw
	for more := true; more; {
		var batch []byte
		var err error
		if batch, more, err = server.Batch(t.Context(), &reply, false); err != nil {
			t.Fatalf("%s: %v", tell(r), err)
		}
		documents := value.In(batch)
		for _, document, ok := documents.Next(); ok; _, document, ok = documents.Next() {
			found = append(found, bytes.Clone(document.Data))
		}
	}
	return found
}

// all is what the router answers with.
func (p *pair) all(t *testing.T, r *workload.Request) []bson.Raw {
	t.Helper()
	if shard, alone := p.routed.targets(r).One(); alone {
		return one(t, p.routed.streams[shard], r)
	}
	found, err := p.routed.answer(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", tell(r), err)
	}
	return found
}

func tell(r *workload.Request) string {
	return fmt.Sprintf("%s filter %s sort %s projection %s skip %d limit %d batch %d pipeline %s",
		r.Kind, r.Filter, r.Sort, r.Projection, r.Skip, r.Limit, r.BatchSize, bson.RawArray(r.Pipeline))
}

// compare asks both. Documents of an answer without an order are compared in that of their bytes.
func (p *pair) compare(t *testing.T, r *workload.Request, ordered bool) {
	t.Helper()
	got, want := p.all(t, r), one(t, p.plain, r)
	if !ordered {
		sortDocuments(got)
		sortDocuments(want)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d documents, want %d", tell(r), len(got), len(want))
	}
	cut := !ordered && (r.Limit > 0 || r.Skip > 0 || r.Kind == operation.FindOne)
	for i := range got {
		if !cut && !holds(got[i], want[i]) {
			t.Fatalf("%s: document %d is\n%s\nwant\n%s", tell(r), i, got[i], want[i])
		}
	}
	p.compareReplies(t, r)
}

// sortDocuments sorts by the values, first by _id where there is one.
func sortDocuments(documents []bson.Raw) {
	slices.SortFunc(documents, func(a, b bson.Raw) int {
		return value.Compare(
			bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: a},
			bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: b},
		)
	})
}

// holds says whether a document has all fields of another: what is merged by may be there besides.
func holds(document, fields bson.Raw) bool {
	for name, want := range value.All(fields) {
		got, there := value.Field(document, string(name))
		if there && want.Type == bsoncore.TypeEmbeddedDocument && got.Type == want.Type && holds(got.Data, want.Data) {
			continue
		}
		if !there || value.Compare(got, want) != 0 {
			return false
		}
	}
	return true
}

// encodeText encodes Extended JSON.
func encodeText(t *testing.T, text string) bson.Raw {
	t.Helper()
	parsed, err := extjson.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	encoded, err := extjson.Encode(parsed)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return encoded.Value
}

var (
	filters = []string{
		`{}`, `{"few": 7}`, `{"few": {"$in": [3, 5, 19]}}`, `{"few": {"$gte": 5, "$lt": 9}}`, `{"n": {"$lt": 40}}`,
		`{"text": {"$gt": "m"}}`, `{"mixed": 5}`, `{"a.b": {"$gt": 0}}`, `{"n": 17}`, `{"n": {"$in": [1, 900, 1400, 5000]}}`,
		`{"mixed": null}`, `{"nothing": 1}`, `{"$and": [{"few": {"$gt": 2}}, {"few": {"$lte": 4}}]}`,
	}
	sorts = []string{
		`"few"`, `"long"`, `"text"`, `"a.b"`, `"a.at"`, `"list"`, `"mixed.c"`, `"mixed"`, `"id"`, `"none.x"`, `"a"`,
	}
	projections = []string{
		``, ``, ``, `{"text": 1}`, `{"a.b": 1, "_id": 0}`, `{"text": 0}`, `{"few": 0, "long": 0}`, `{"_id": 0}`, `{"_id": 1}`,
	}
)

// arrays are fields that hold some: no order can have two.
var arrays = []string{`"list"`, `"mixed"`, `"mixed.c"`}

// drawOrder draws a sort, at whose end _id makes it one for every document.
func drawOrder(random *rand.Rand) string {
	var text strings.Builder
	array, used := false, map[string]bool{}
	for range 1 + random.IntN(3) {
		field := sorts[random.IntN(len(sorts))]
		isArray := slices.Contains(arrays, field)
		if used[field] || isArray && array || field == `"a"` && (used[`"a.b"`] || used[`"a.at"`]) || used[`"a"`] {
			continue
		}
		array, used[field] = array || isArray, true
		fmt.Fprintf(&text, "%s: %d, ", field, 1-2*random.IntN(2))
	}
	return fmt.Sprintf(`{%s"_id": %d}`, text.String(), 1-2*random.IntN(2))
}

// draw draws a read, and says whether its answer has an order.
func draw(t *testing.T, random *rand.Rand) (r *workload.Request, ordered bool) {
	t.Helper()
	r = &workload.Request{
		Kind: operation.Find, Collection: "things", Filter: encodeText(t, filters[random.IntN(len(filters))]),
		FirstBatchOnly: false,
	}
	if random.IntN(5) == 0 {
		r.Kind = operation.FindOne
	}
	if random.IntN(4) > 0 {
		r.Sort, ordered = encodeText(t, drawOrder(random)), true
	}
	if text := projections[random.IntN(len(projections))]; text != "" {
		r.Projection = encodeText(t, text)
	}
	if r.Kind == operation.Find {
		if random.IntN(2) == 0 {
			r.Limit = 1 + random.Int64N(300)
		}
		if random.IntN(3) == 0 {
			r.Skip = random.Int64N(200)
		}
		if random.IntN(3) == 0 {
			r.BatchSize = int32(1 + random.IntN(150))
		}
	}
	return r, ordered
}

// eachSpread tests with every way of spreading on servers of each version.
func eachSpread(t *testing.T, test func(*testing.T, pair)) {
	t.Helper()
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			routed, _ := open(t, version, 3)
			plain := openOne(t, mongotest.Shared(t, version))
			for name, sharding := range spreads {
				t.Run(name, func(t *testing.T) { test(t, loadBoth(t, routed, plain, sharding)) })
			}
		})
	}
}

func TestReadsAnswerAsOneServerDoes(t *testing.T) {
	eachSpread(t, func(t *testing.T, p pair) {
		t.Helper()
		random := rand.New(rand.NewPCG(1, 2))
		refused := 0
		for range 120 {
			r, ordered := draw(t, random)
			if err := p.routed.rules.checkFind(r); err != nil {
				refused++
				continue
			}
			p.compare(t, r, ordered)
			if r.Kind == operation.Find && len(r.Sort) > 0 {
				r.FirstBatchOnly = true
				p.compareReplies(t, r)
				count := *r
				count.Kind, count.FirstBatchOnly = operation.CountDocuments, false
				p.compareReplies(t, &count)
			}
		}
		if refused > 24 {
			t.Errorf("%d reads were refused", refused)
		}
	})
}

// compareReplies asks both, and compares what they say of it.
func (p *pair) compareReplies(t *testing.T, r *workload.Request) {
	t.Helper()
	var routed, plain loadgen.Reply
	check(t, p.routed.Execute(t.Context(), r, &routed))
	p.routed.Settle(t.Context())
	check(t, p.plain.Execute(t.Context(), r, &plain))
	p.plain.Settle(t.Context())
	if routed.Documents != plain.Documents || routed.First.IsZero() != plain.First.IsZero() {
		t.Errorf("%s: reply %+v, want %+v", tell(r), routed, plain)
	}
}

func TestPipelinesAnswerAsOneServerDoes(t *testing.T) {
	pipelines := []struct {
		text    string
		ordered bool
	}{
		{`[]`, false},
		{`[{"$match": {"few": {"$lt": 5}}}, {"$project": {"few": 1, "double": {"$multiply": ["$few", 2]}}}]`, false},
		{`[{"$match": {"few": 3}}, {"$unwind": "$list"}, {"$group": {"_id": "$list", "n": {"$sum": 1}}}]`, false},
		{`[{"$group": {"_id": "$few", "sum": {"$sum": "$long"}, "low": {"$min": "$text"}, "high": {"$max": "$a.b"},
			"mean": {"$avg": "$n"}, "all": {"$sum": 1}}}]`, false},
		{`[{"$match": {"mixed": {"$not": {"$type": "decimal"}}}}, {"$group": {"_id": null, "m": {"$avg": "$mixed"},
			"s": {"$sum": "$mixed"}, "low": {"$min": "$mixed"}, "high": {"$max": "$mixed"}}}]`, false},
		{`[{"$group": {"_id": "$mixed", "n": {"$sum": 1}}}]`, false},
		{`[{"$group": {"_id": {"few": "$few", "odd": {"$mod": ["$n", 2]}}, "n": {"$sum": 1}}},
			{"$sort": {"n": -1, "_id": 1}}, {"$skip": 2}, {"$limit": 7}]`, true},
		{`[{"$group": {"_id": "$few"}}, {"$count": "groups"}]`, false},
		{`[{"$match": {"few": {"$lt": 5}}}, {"$count": "n"}]`, false},
		{`[{"$match": {"few": 99}}, {"$count": "n"}]`, false},
		{`[{"$match": {"few": 99}}, {"$group": {"_id": null, "n": {"$sum": 1}}}]`, false},
		{`[{"$group": {"_id": null, "low": {"$min": "$none"}, "mean": {"$avg": "$none"}, "sum": {"$sum": "$none"}}}]`, false},
		{`[{"$sort": {"text": 1, "_id": 1}}, {"$skip": 20}, {"$limit": 200}, {"$project": {"few": 1}}]`, true},
		{`[{"$match": {"few": {"$gt": 3}}}, {"$sort": {"list": -1, "_id": 1}}, {"$limit": 300},
			{"$addFields": {"more": {"$add": ["$few", 1]}}}, {"$unset": "text"}]`, true},
		{`[{"$sort": {"mixed": 1, "_id": -1}}, {"$match": {"few": {"$lt": 9}}}]`, true},
		{`[{"$sort": {"few": 1, "_id": 1}}, {"$limit": 50}, {"$skip": 10}, {"$limit": 30}]`, true},
		{`[{"$unwind": "$list"}, {"$sort": {"list": 1, "_id": 1, "n": 1}}]`, false},
		{`[{"$sortByCount": "$few"}]`, false},
	}
	eachSpread(t, func(t *testing.T, p pair) {
		t.Helper()
		for _, tc := range pipelines {
			r := &workload.Request{Kind: operation.Aggregate, Collection: "things", Pipeline: encodeText(t, tc.text)}
			check(t, p.routed.rules.checkPipeline(r))
			p.compare(t, r, tc.ordered)
			r.FirstBatchOnly = true
			p.compareReplies(t, r)
			r.BatchSize = 3
			p.compareReplies(t, r)
		}
	})
}

func TestValuesOfSeveralShardsAreCountedOnce(t *testing.T) {
	routed, _ := open(t, mongotest.Versions()[0], 3)
	plain := openOne(t, mongotest.SharedAs(t, "plain", mongotest.Versions()[0]))
	both := loadBoth(t, routed, plain, spreads["by hash"])
	for _, field := range []string{"n", "few", "list", "mixed", "nothing"} {
		r := workload.Request{
			Kind: operation.Distinct, Collection: "things", Filter: encodeText(t, `{"n": {"$lt": 700}}`),
			Declared: &planv1.Operation{Request: planv1.Request{Kind: "Distinct", Field: field}},
		}
		var merged, whole loadgen.Reply
		if err := both.routed.Execute(t.Context(), &r, &merged); err != nil {
			t.Fatal(err)
		}
		if err := both.plain.Execute(t.Context(), &r, &whole); err != nil {
			t.Fatal(err)
		}
		if merged.Documents != whole.Documents {
			t.Errorf("values of %s: %d by the router, %d by one server", field, merged.Documents, whole.Documents)
		}
	}
}
