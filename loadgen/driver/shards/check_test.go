package shards

import (
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// byFew spreads by ranges of a number that many documents share.
var byFew = &planv1.Sharding{
	Key:         []planv1.IndexKey{{Field: "few", Order: "1"}, {Field: "n", Order: "1"}},
	SplitPoints: []string{`5`, `9`},
}

func TestWhatCannotBeRoutedIsRefused(t *testing.T) {
	const pinned = `{"few": {"$param": "few"}}`
	operation := func(kind benchv1alpha1.OperationKind, filter, update string) planv1.Operation {
		return planv1.Operation{Request: planv1.Request{
			Kind: kind, Filter: planv1.Document(filter), Update: planv1.Document(update),
		}}
	}
	pipeline := func(text string) planv1.Operation {
		return planv1.Operation{
			Request: planv1.Request{Kind: "Aggregate", Pipeline: planv1.Document(text)},
		}
	}
	for name, tc := range map[string]struct {
		operation planv1.Operation
		// want is empty for what is not refused.
		want string
	}{
		"a transaction":              {operation("Transaction", "", ""), "only a mongos can commit together"},
		"a read of what was written": {operation("InsertThenFind", "", ""), "is of MongoDB's driver"},
		"a change stream":            {operation("ChangeStream", "", ""), "no common order"},
		"a tailing cursor":           {operation("Tail", "", ""), "no common order"},
		"an unknown kind":            {operation("Dance", "", ""), `kind "Dance" is not known`},
		"a command": {
			planv1.Operation{
				Request:       planv1.Request{Kind: "RunCommand"},
				WholeSettings: planv1.WholeSettings{Command: `{"distinct": "things"}`},
			}, `the command "distinct"`,
		},
		"a command for all": {planv1.Operation{
			Request: planv1.Request{Kind: "RunCommand"}, WholeSettings: planv1.WholeSettings{Command: `{"dbStats": 1}`},
		}, ""},
		"an insert":          {operation("InsertOne", "", ""), ""},
		"a find of anything": {operation("Find", `{"n": 5}`, ""), ""},
		"a sort by a position": {
			planv1.Operation{
				Request: planv1.Request{Kind: "Find", Filter: `{}`, Sort: sortBy("list.0")},
			}, "where a number is part of the name",
		},
		"an update without the key": {
			operation("UpdateOne", `{"n": 5}`, `{"$set": {"x": 1}}`), `no value of "few"`,
		},
		"an update by a range": {
			operation("UpdateOne", `{"few": {"$gt": 5}}`, `{"$set": {"x": 1}}`), `no value of "few"`,
		},
		"an update with the key": {operation("UpdateOne", pinned, `{"$set": {"x": 1}}`), ""},
		"an update by _id": {
			operation("UpdateOne", `{"_id": {"$param": "id"}}`, `{"$set": {"x": 1}}`), "",
		},
		"an update of the key": {
			operation("UpdateOne", pinned, `{"$set": {"x": 1, "n": 5}}`), `it updates "n", which is in the shard key`,
		},
		"an update of all keys": {operation("UpdateMany", `{}`, `{"$inc": {"few": 1}}`), `it updates "few"`},
		"a field renamed to the key": {
			operation("UpdateMany", `{}`, `{"$rename": {"x": "few"}}`), `it updates "few"`,
		},
		"stages that set the key": {operation("UpdateMany", `{}`, `[{"$set": {"few": 1}}]`), `it updates "few"`},
		"stages that unset the key": {
			operation("UpdateMany", `{}`, `[{"$unset": ["x", "few"]}]`), `it updates "few"`,
		},
		"stages that unset another": {operation("UpdateMany", `{}`, `[{"$unset": "x"}]`), ""},
		"stages that may do anything": {
			operation("UpdateMany", `{}`, `[{"$replaceWith": {"x": 1}}]`), "stage $replaceWith of the update",
		},
		"a delete by _id":          {operation("DeleteOne", `{"_id": 4}`, ""), ""},
		"a delete without the key": {operation("DeleteOne", `{"text": "x"}`, ""), `no value of "few"`},
		"a delete of many":         {operation("DeleteMany", `{}`, ""), ""},
		"a change that answers": {
			operation("FindOneAndUpdate", `{"_id": 4}`, `{"$set": {"x": 1}}`), `no value of "few"`,
		},
		"a collation": {
			planv1.Operation{Request: planv1.Request{
				Kind: "Find", Filter: `{}`,
				RequestOptions: planv1.RequestOptions{Collation: &benchv1alpha1.Collation{Locale: "de"}},
			}}, "it has a collation",
		},
		"a deletion that answers":    {operation("FindOneAndDelete", `{"_id": 4}`, ""), `no value of "few"`},
		"a replacement that answers": {operation("FindOneAndReplace", pinned, ""), `another value of "few"`},
		"a replacement":              {operation("ReplaceOne", pinned, ""), `another value of "few"`},
		"an upsert by _id": {
			planv1.Operation{
				Request: planv1.Request{
					Kind: "UpdateOne", Filter: `{"_id": 4}`, Update: `{"$set": {"x": 1}}`,
					WhenMissing: benchv1alpha1.MissingInsert,
				},
			},
			`no value of "few"`,
		},
		"an upsert of many": {
			planv1.Operation{
				Request: planv1.Request{
					Kind: "UpdateMany", Filter: `{}`, Update: `{"$set": {"x": 1}}`, WhenMissing: benchv1alpha1.MissingInsert,
				},
			},
			`no value of "few"`,
		},
		"a part of a bulk write": {planv1.Operation{
			Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{
				Operations: []planv1.Request{
					operation("InsertOne", "", "").Request,
					operation("DeleteOne", `{}`, "").Request,
				},
			},
		}, `part 1, DeleteOne: its filter has no value of "few"`},
		"a projection of what is sorted by": {
			planv1.Operation{
				Request: planv1.Request{Kind: "Find", Filter: `{}`, Sort: sortBy("a"), Projection: `{"a": {"$slice": 1}}`},
			},
			"changes what is sorted by",
		},
		"such a projection of one shard": {
			planv1.Operation{
				Request: planv1.Request{
					Kind: "Find", Filter: pinned, Sort: sortBy("a"), Projection: `{"a": {"$slice": 1}}`,
				},
			}, "",
		},
		"a lookup": {
			pipeline(`[{"$match": {"few": 1}}, {"$lookup": {"from": "x"}}]`),
			"stage 1 of the pipeline, $lookup: it reads or writes",
		},
		"a sample": {
			pipeline(`[{"$sample": {"size": 3}}]`), "stage 0 of the pipeline, $sample: it needs all documents",
		},
		"a sample of one shard": {pipeline(`[{"$match": {"few": 1}}, {"$sample": {"size": 3}}]`), ""},
		"groups": {
			pipeline(`[{"$group": {"_id": "$n", "x": {"$avg": "$y"}}}, {"$sort": {"x": 1}}, {"$limit": 3}]`), "",
		},
		"groups with the first": {
			pipeline(`[{"$group": {"_id": "$n", "x": {"$first": "$y"}}}]`), `field "x": groups with $first`,
		},
		"groups of some": {
			pipeline(`[{"$limit": 3}, {"$group": {"_id": "$n"}}]`), "stage 1 of the pipeline, $group: it comes behind",
		},
		"a match behind groups": {
			pipeline(`[{"$group": {"_id": "$n"}}, {"$match": {"n": 1}}]`), "stage 1 of the pipeline, $match: behind groups",
		},
		"a match behind a limit": {
			pipeline(`[{"$limit": 3}, {"$match": {"n": 1}}]`), "stage 1 of the pipeline, $match: it comes behind",
		},
		"a sort behind a limit": {
			pipeline(`[{"$limit": 3}, {"$sort": {"n": 1}}]`), "stage 1 of the pipeline, $sort: it comes behind",
		},
		"a sorted field changed": {pipeline(`[{"$sort": {"n": 1}}, {"$set": {"n": 1}}]`), `it changes "n"`},
		"a sorted field unwound": {pipeline(`[{"$sort": {"n": 1}}, {"$unwind": {"path": "$n"}}]`), `it changes "n"`},
		"a sorted root replaced": {
			pipeline(`[{"$sort": {"n": 1}}, {"$replaceRoot": {"newRoot": "$a"}}]`), "may change what is sorted by",
		},
		"a sort by the score": {pipeline(`[{"$sort": {"n": {"$meta": "textScore"}}}]`), "neither 1 nor -1"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.operation.Name, tc.operation.Collection = "it", "things"
			plan := planv1.Plan{Collections: []planv1.Collection{things(byFew)}, Steps: []planv1.Step{only(tc.operation)}}
			checkRefusal(t, Check(plan, 3), tc.want)
		})
	}
}

func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil {
		t.Errorf("it is refused: %v", err)
	}
	if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
}

func TestAPlanIsRefusedAsAWhole(t *testing.T) {
	actions := func(action planv1.Action) []planv1.Step {
		return []planv1.Step{{Name: "faults", Kind: planv1.StepMeasure, Actions: []planv1.Action{action}}}
	}
	for name, tc := range map[string]struct {
		plan   planv1.Plan
		shards int
		want   string
	}{
		"nothing to refuse": {planv1.Plan{}, 1, ""},
		"no shards":         {planv1.Plan{}, 0, "there are 0 connection strings"},
		"too many shards":   {planv1.Plan{}, 65, "there can be 1 to 64"},
		"the driver":        {planv1.Plan{Client: benchv1alpha1.ClientDriver}, 2, "set it to Wire"},
		"a balancer": {
			planv1.Plan{Steps: actions(planv1.Action{Name: "b", Type: benchv1alpha1.ActionStartBalancer})},
			2,
			`step "faults": action "b": StartBalancer needs a mongos`,
		},
		"a shard that there is not": {
			planv1.Plan{Steps: actions(planv1.Action{Type: benchv1alpha1.ActionStepDown, Shard: 2})}, 2, "there is no shard 2",
		},
		"an index that is built": {
			planv1.Plan{Steps: actions(planv1.Action{Type: benchv1alpha1.ActionCreateIndex, Index: &planv1.Index{}})}, 2, "",
		},
		"a view": {
			planv1.Plan{Collections: []planv1.Collection{{Name: "v", View: &planv1.View{}}}},
			2,
			`collection "v": a view of several shards`,
		},
		"a time series": {
			planv1.Plan{Collections: []planv1.Collection{{Name: "s", TimeSeries: &planv1.TimeSeriesOptions{}}}},
			2,
			`collection "s": options.timeSeries: `,
		},
		"a collation": {
			planv1.Plan{Collections: []planv1.Collection{{Collation: &planv1.Collation{Locale: "de"}}}},
			2,
			"options.collation: ",
		},
		"a collation of bytes": {
			planv1.Plan{Collections: []planv1.Collection{{Collation: &planv1.Collation{Locale: "simple"}}}}, 2, "",
		},
		"a key that is no key": {
			planv1.Plan{Collections: []planv1.Collection{things(&planv1.Sharding{Key: key("list", "1")})}},
			2,
			`field "list" is an Array`,
		},
	} {
		t.Run(name, func(t *testing.T) { checkRefusal(t, Check(tc.plan, tc.shards), tc.want) })
	}
}

func TestTheRouterKnowsEveryKindThatIsSentByIt(t *testing.T) {
	for kind := range operation.Kinds() {
		if _, known := ways[kind]; known != kind.Row().SentBy(operation.Router) {
			t.Errorf("loadgen/driver/shards/ways.go: there is a way for %s: %t; its row in internal/operation says %t",
				kind, known, !known)
		}
	}
}
