package handlersocket_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
)

// loaded is the number of documents of the plan below.
const loaded = 600

func field(name string, value planv1.Value) planv1.Field {
	return planv1.Field{Name: name, Value: value}
}

func key(pairs ...string) []planv1.IndexKey {
	keys := make([]planv1.IndexKey, 0, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		keys = append(keys, planv1.IndexKey{Field: pair[0], Order: pair[1]})
	}
	return keys
}

func sortBy(field string, direction benchv1alpha1.SortDirection) []benchv1alpha1.SortKey {
	return []benchv1alpha1.SortKey{{Field: field, Direction: direction}}
}

// things is a collection with a column of every type.
func things() planv1.Collection {
	return planv1.Collection{
		Name: "things", DocumentCount: loaded,
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
			field("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			field("group", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Min: -5, Max: 4}),
			field("large", planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 2, Min: math.MinInt64, Max: math.MaxInt64}),
			field("share", planv1.Value{Type: benchv1alpha1.GeneratorDouble, Seed: 3, MinDouble: -1e-9, MaxDouble: 1e9}),
			field("done", planv1.Value{Type: benchv1alpha1.GeneratorBool, Seed: 4, TruePercent: 30}),
			field("at", planv1.Value{Type: benchv1alpha1.GeneratorDate, Seed: 5, Min: -1 << 40, Max: 1 << 41}),
			field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 6, Min: 0, Max: 50}),
			field("bytes", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Seed: 7, Min: 0, Max: 300}),
			field("uuid", planv1.Value{Type: benchv1alpha1.GeneratorUUID, Seed: 8}),
			field("kind", planv1.Value{Type: benchv1alpha1.GeneratorChoice, Seed: 9, Choices: []planv1.Choice{
				{Value: `"a\tb\nc"`, Weight: new(int32(1))},
				{Value: `"ä\u0000\u0001"`, Weight: new(int32(1))},
				{Value: `" trailing "`, Weight: new(int32(1))},
			}}),
			field("order-no", planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "order", Digits: 3}),
			field("long", planv1.Value{
				Type: benchv1alpha1.GeneratorBinary, Seed: 10, Min: 100, Max: 70_000,
				CompressiblePercent: 90,
			}),
		},
		Indexes: []planv1.Index{
			{Keys: key("n", "1"), Unique: true},
			{Name: "by_group", Keys: key("group", "1", "n", "1")},
		},
	}
}

// byID is the parameter that operations find a document by.
func byID(distribution string) []planv1.Parameter {
	return []planv1.Parameter{{Name: "id", Value: planv1.Value{
		Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100,
		Distribution: planv1.Distribution{Type: distribution, Theta: 0.99},
	}}}
}

// operations are of all kinds, and all sorts of walks.
func operations() []planv1.Operation {
	from := planv1.Parameter{Name: "from", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Seed: 3, Min: 0,
		Max: loaded - 50,
	}}
	text := planv1.Parameter{Name: "text", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorString, Seed: 4, Min: 0,
		Max: 50,
	}}
	limit := planv1.Parameter{Name: "limit", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Seed: 6, Min: 1,
		Max: 9,
	}}
	return []planv1.Operation{
		{
			Name: "get", Parameters: byID("Uniform"),
			Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
		},
		{
			Name: "by-index", Parameters: []planv1.Parameter{from},
			Request: planv1.Request{
				Kind: "FindOne", Filter: `{"n": {"$param": "from"}}`, Projection: `{"text": 1, "n": 1}`,
			},
		},
		{
			Name: "range", Parameters: []planv1.Parameter{from},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gte": {"$param": "from"}}}`, Sort: sortBy("n", "Ascending"), Limit: 10,
			},
		},
		{
			Name: "some", Parameters: []planv1.Parameter{from, limit},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gt": {"$param": "from"}, "$lte": 599}}`, LimitParameter: "limit",
				Sort: sortBy("n", benchv1alpha1.SortDescending),
			},
		},
		{
			Name: "change", Parameters: append(byID("Zipfian"), text),
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`,
				Update: `{"$set": {"text": {"$param": "text"}, "done": true}}`,
			},
		},
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "insert-many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 7}},
		{
			Name: "delete", Parameters: byID("Uniform"),
			Request: planv1.Request{Kind: "DeleteOne", Filter: `{"_id": {"$param": "id"}}`},
		},
	}
}

// planOf is a plan that loads, makes the indexes, verifies, and then has these steps.
func planOf(name string, collection planv1.Collection, steps ...planv1.Step) planv1.Plan {
	plan := planv1.Plan{
		Version: planv1.Version, Seed: 11, Pods: 1, Client: benchv1alpha1.ClientHandlerSocket, Database: name,
		Dataset: "dataset of " + name, Collections: []planv1.Collection{collection},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare, WithoutIndexes: true},
			{Name: "load", Kind: planv1.StepLoad, Threads: 3, BatchDocuments: 77},
			{Name: "index", Kind: planv1.StepIndex},
			{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
		},
	}
	for _, step := range steps {
		step.Kind = planv1.StepMeasure
		for i := range step.Operations {
			step.Operations[i].Collection, step.Operations[i].Weight = collection.Name, 1
		}
		plan.Steps = append(plan.Steps, step)
	}
	return plan
}

// TestAPlanIsLoadedVerifiedAndMeasured: every document that is loaded comes back byte by byte, over SQL; the plan is
// followed twice, so that tables are dropped that connections had open.
func TestAPlanIsLoadedVerifiedAndMeasured(t *testing.T) {
	s := sharedServer(t)
	look(t, s, "plan")
	target := open(t, s.config())
	plan := planOf("plan", things(),
		planv1.Step{Name: "closed", Threads: 4, OperationCount: 1600, Operations: operations()})
	plan.ReloadAlways = true
	if err := target.Check(plan); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		report, err := follow(t.Context(), target, plan)
		if err != nil {
			t.Fatal(err)
		}
		measured := report.Steps[4]
		checkMeasured(t, measured)
		if measured.Client != handlersocket.Name || !strings.HasPrefix(report.Driver, "handlersocket, go-sql-driver") {
			t.Errorf("it was sent by %q of %q", measured.Client, report.Driver)
		}
		if traffic := measured.Traffic; traffic.BytesIn < 1600*4 || traffic.BytesOut < 1600*4 {
			t.Errorf("the traffic is %+v", traffic)
		}
	}
}

// checkMeasured holds a measured step against what each kind does to the documents.
func checkMeasured(t *testing.T, step reportv1.Step) {
	t.Helper()
	for _, o := range step.Operations {
		if o.Errors > 0 || o.Count == 0 {
			t.Errorf("operation %q succeeded %d times, and failed as %+v", o.Name, o.Count, o.ErrorClasses)
		}
		least, most := int64(0), int64(1)
		switch o.Name {
		case "range":
			most = 10
		case "some":
			most = 9
		case "insert":
			least = 1
		case "insert-many":
			least, most = 7, 7
		}
		if o.Documents < least*o.Count || o.Documents > most*o.Count || o.Documents == 0 {
			t.Errorf("%d operations %q had %d documents", o.Count, o.Name, o.Documents)
		}
	}
}

// TestALoadThatWasInterruptedGoesOn: rows that are there already are no error then.
func TestALoadThatWasInterruptedGoesOn(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "resumed")
	plan := planOf("resumed", things())
	target := open(t, s.config())
	if _, err := follow(t.Context(), target, plan); err != nil {
		t.Fatal(err)
	}
	must(t, db, "DELETE FROM resumed.things WHERE n BETWEEN 10 AND 400")
	must(t, db, "UPDATE resumed.`mongobench.dataset` SET state = 'Loading'")
	engine := engineOf(target, plan)
	engine.Resume = true
	if _, err := engine.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWhatAColumnDoesNotHoldIsFoundByReadingBack: HandlerSocket cuts and rounds, and says that all is well.
func TestWhatAColumnDoesNotHoldIsFoundByReadingBack(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "coerced")
	target := open(t, s.config())
	for name, tc := range map[string]struct{ change, want string }{
		"a text that is too long":    {"MODIFY text VARBINARY(10) NOT NULL", `field "text" is`},
		"a number that is too large": {"MODIFY large INT NOT NULL", `field "large" is`},
		"a fraction":                 {"MODIFY share FLOAT NOT NULL", `column "share": it holds a float32`},
		"the milliseconds of a date": {"MODIFY at DATETIME NOT NULL", `column "at": it holds no date`},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf("coerced", things())
			plan.Dataset = ""
			collections := plan.Collections
			if err := target.Prepare(t.Context(), "coerced", collections[0]); err != nil {
				t.Fatal(err)
			}
			comment := text(t, db, "column_comment FROM information_schema.columns WHERE table_schema = 'coerced' AND "+
				"column_name = '"+strings.Fields(tc.change)[1]+"'")
			must(t, db, "ALTER TABLE coerced.things "+tc.change+" COMMENT '"+comment+"'")
			// The table is there, and not made again.
			plan.Steps = []planv1.Step{plan.Steps[1], plan.Steps[3]}
			if _, err := follow(t.Context(), target, plan); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want one about %s", err, tc.want)
			}
			if count := text(t, db, "COUNT(*) FROM coerced.things"); count != strconv.Itoa(loaded) {
				t.Errorf("%s rows were taken, want all %d without an error", count, loaded)
			}
		})
	}
}

func TestWhatHandlerSocketCannotDoIsRefusedBeforeAnythingIsDone(t *testing.T) {
	target := open(t, sharedServer(t).config())
	for name, tc := range map[string]struct {
		change func(*planv1.Plan)
		want   string
	}{
		"what no table does": {
			func(p *planv1.Plan) { p.Steps[4].Operations[0].Kind = "Aggregate" }, `operation "get": kind`,
		},
		"a filter without an index": {
			func(p *planv1.Plan) { p.Steps[4].Operations[2].Filter = `{"share": {"$gt": 1}}` }, `operation "range": filter`,
		},
		"an order that is no index's": {
			func(p *planv1.Plan) { p.Steps[4].Operations[2].Sort = sortBy("share", "Ascending") }, `operation "range": sort`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf("refused", things(), planv1.Step{Name: "measured", Threads: 1, Operations: operations()})
			tc.change(&plan)
			if err := target.Check(plan); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q in it", err, tc.want)
			}
		})
	}
}

var _ interface {
	loadgen.Target
	loadgen.Keeper
	loadgen.Sizer
} = (*handlersocket.Target)(nil)
