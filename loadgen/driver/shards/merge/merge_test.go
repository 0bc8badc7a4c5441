package merge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
)

func encode(t *testing.T, text string) bson.Raw {
	t.Helper()
	parsed, err := extjson.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := extjson.Encode(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return encoded.Value
}

func TestAProjectionKeepsWhatIsSortedBy(t *testing.T) {
	const two = `{"a.b": 1, "_id": -1}`
	for name, tc := range map[string]struct{ sort, projection, want, refused string }{
		"it has it":                 {`{"a": 1}`, `{"a": 1, "c": 1}`, `{"a": 1, "c": 1}`, ""},
		"it has more":               {two, `{"a": 1}`, `{"a": 1}`, ""},
		"it lacks it":               {two, `{"c": 1}`, `{"c": 1, "a.b": 1}`, ""},
		"it lacks a field and _id":  {two, `{"c": true, "_id": 0}`, `{"c": true, "a.b": 1}`, ""},
		"_id alone":                 {two, `{"_id": 1}`, `{"_id": 1, "a.b": 1}`, ""},
		"it computes another":       {`{"a": 1}`, `{"c": {"$add": ["$a", 1]}}`, `{"c": {"$add": ["$a", 1]}, "a": 1}`, ""},
		"it excludes another":       {`{"a": 1}`, `{"c": 0}`, `{"c": 0}`, ""},
		"it excludes it":            {`{"a": 1}`, `{"a": 0, "c": 0}`, `{"c": 0}`, ""},
		"it excludes _id":           {two, `{"_id": 0}`, `{}`, ""},
		"it excludes what is above": {two, `{"a": 0}`, `{}`, `the projection of "a" changes what is sorted by, "a.b"`},
		"it has a part":             {`{"a": 1}`, `{"a.b": 1}`, `{}`, `the projection of "a.b" changes`},
		"it computes it":            {`{"a": 1}`, `{"a": "$b"}`, `{}`, `the projection of "a" changes`},
	} {
		t.Run(name, func(t *testing.T) {
			order, err := merge.ParseOrder(encode(t, tc.sort))
			if err != nil {
				t.Fatal(err)
			}
			got, err := order.Project(nil, encode(t, tc.projection))
			if err != nil {
				if tc.refused == "" || !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("error %v, want one that says %q", err, tc.refused)
				}
				return
			}
			if diff := cmp.Diff(encode(t, tc.want).String(), bson.Raw(got).String()); diff != "" {
				t.Errorf("projection (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPipelineIsSplit(t *testing.T) {
	for name, tc := range map[string]struct {
		pipeline, want string
		rest           merge.Range
	}{
		"skip and limit": {
			`[{"$sort": {"a": 1}}, {"$skip": 5}, {"$limit": 10}, {"$skip": 2}, {"$limit": 100}, {"$project": {"b": 1}}]`,
			`[{"$sort": {"a": 1}}, {"$limit": {"$numberLong": "15"}}, {"$limit": {"$numberLong": "15"}},
				{"$project": {"b": 1, "a": 1}}]`,
			merge.Range{Skip: 7, Limit: 8},
		},
		"an average": {
			`[{"$group": {"_id": "$a", "m": {"$avg": "$b"}}}]`,
			`[{"$group": {"_id": "$a", "m": {"$sum": "$b"}, "mongobench_count_m": {"$sum": {"$cond": [
				{"$in": [{"$type": ["$b"]}, ["int", "long", "double", "decimal"]]}, 1, 0]}}}}]`,
			merge.Range{Limit: -1},
		},
		"counts of values": {
			`[{"$sortByCount": "$a"}]`, `[{"$group": {"_id": "$a", "count": {"$sum": 1}}}]`, merge.Range{Limit: -1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := merge.Split(encode(t, tc.pipeline))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encode(t, tc.want).String(), plan.Pipeline.String()); diff != "" {
				t.Errorf("pipeline of a shard (-want +got):\n%s", diff)
			}
			if plan.Range != tc.rest {
				t.Errorf("range %+v, want %+v", plan.Range, tc.rest)
			}
		})
	}
}

func TestGroupsOfShardsArePutTogether(t *testing.T) {
	const all = `[{"$group": {"_id": "$a", "s": {"$sum": "$n"}, "m": {"$avg": "$n"}, "low": {"$min": "$n"},
		"high": {"$max": "$n"}, "p": {"$push": "$n"}, "u": {"$addToSet": "$n"}}}, {"$sort": {"_id": -1}}, {"$limit": 1}]`
	plan, err := merge.Split(encode(t, all))
	if err != nil {
		t.Fatal(err)
	}
	for _, partial := range []string{
		`{"_id": 1, "s": 3, "m": 3, "mongobench_count_m": 2, "low": 1, "high": 2, "p": [1, 2], "u": [1, 2]}`,
		`{"_id": 1.0, "s": 6.5, "m": 6.5, "mongobench_count_m": 2, "low": 2.0, "high": 4.5, "p": [2.0, 4.5],
			"u": [2.0, 4.5]}`,
		`{"_id": 0, "s": 0, "m": 0, "mongobench_count_m": 0, "low": null, "high": null, "p": [], "u": []}`,
	} {
		if err := plan.Group.Add(encode(t, partial)); err != nil {
			t.Fatal(err)
		}
	}
	documents, err := plan.Finish()
	if err != nil || len(documents) != 1 {
		t.Fatalf("%d groups, error %v", len(documents), err)
	}
	want := encode(t, `{"_id": 1, "s": 9.5, "m": 2.375, "low": 1, "high": 4.5, "p": [1, 2, 2.0, 4.5], "u": [1, 2, 4.5]}`)
	if diff := cmp.Diff(want.String(), documents[0].String()); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
}

// sum is what the sums of several shards become.
func sum(t *testing.T, numbers ...any) (any, error) {
	t.Helper()
	plan, err := merge.Split(encode(t, `[{"$group": {"_id": null, "s": {"$sum": "$n"}}}]`))
	if err != nil {
		return nil, err
	}
	for _, number := range numbers {
		partial, err := bson.Marshal(bson.D{{Key: "_id", Value: nil}, {Key: "s", Value: number}})
		if err != nil {
			return nil, err
		}
		if err := plan.Group.Add(partial); err != nil {
			return nil, err
		}
	}
	documents, err := plan.Finish()
	if err != nil {
		return nil, err
	}
	var value any
	err = documents[0].Lookup("s").Unmarshal(&value)
	return value, err
}

func TestASumIsOfTheTypeThatTheServerGivesIt(t *testing.T) {
	for name, tc := range map[string]struct {
		numbers []any
		want    any
	}{
		"small":       {[]any{int32(1), int32(2)}, int32(3)},
		"beyond 32":   {[]any{int32(math.MaxInt32), int32(2)}, int64(math.MaxInt32) + 2},
		"wide":        {[]any{int32(1), int64(2)}, int64(3)},
		"fractions":   {[]any{int32(1), 0.5}, 1.5},
		"beyond 64":   {[]any{int64(math.MaxInt64), int64(math.MaxInt64)}, 2 * float64(math.MaxInt64)},
		"far below 0": {[]any{int64(math.MinInt64), int32(-1)}, float64(math.MinInt64)},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := sum(t, tc.numbers...); err != nil || got != tc.want {
				t.Errorf("%T %v, want %T %v; error %v", got, got, tc.want, tc.want, err)
			}
		})
	}
	if _, err := sum(t, bson.NewDecimal128(0, 1)); err == nil || !strings.Contains(err.Error(), `field "s"`) {
		t.Errorf("error %v of a Decimal128", err)
	}
}

func TestASortByTwoArraysIsRefused(t *testing.T) {
	order, err := merge.ParseOrder(encode(t, `{"a": 1, "b": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := order.Keys(nil, encode(t, `{"a": [1], "b": [2]}`)); err == nil {
		t.Error("there is an order")
	}
}
