package placement_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
)

func document(t *testing.T, text string) bson.Raw {
	t.Helper()
	parsed, err := extjson.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := bson.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// keys are a first key, and more.
func keys(field, order string, more ...planv1.IndexKey) []planv1.IndexKey {
	return append([]planv1.IndexKey{{Field: field, Order: order}}, more...)
}

func sequence(start, step int64) []planv1.Field {
	return []planv1.Field{{Name: "n", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorSequence, Start: start,
		Step: step,
	}}}
}

// letters is a rule of five ranges on three shards.
var letters = planv1.Collection{Name: "c", Sharding: &planv1.Sharding{
	Key: keys("a.b", "1", planv1.IndexKey{Field: "c", Order: "1"}), SplitPoints: []string{`0`, `"d"`, `"h"`, `"p"`},
}}

func TestARangeIsDealtToAShard(t *testing.T) {
	rule, err := placement.New(letters, 3)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		`{"a": {"b": -1}}`: 0, `{}`: 0, `{"a": [{"b": "z"}]}`: 0, `{"a": {"b": 0}}`: 1, `{"a": {"b": "c"}}`: 1,
		`{"a": {"b": "d"}}`: 2, `{"a": {"b": "h"}}`: 0, `{"a": {"b": "p"}}`: 1,
		`{"a": {"b": {"$date": {"$numberLong": "0"}}}}`: 1,
	} {
		if got := rule.Of(document(t, text)); got != want {
			t.Errorf("%s lies on shard %d, want %d", text, got, want)
		}
	}
}

func TestASequenceIsCutIntoEqualRanges(t *testing.T) {
	for name, tc := range map[string]struct{ start, step int64 }{
		"rising": {7, 3}, "falling": {-5, -2},
	} {
		t.Run(name, func(t *testing.T) {
			rule, err := placement.New(planv1.Collection{
				Name: "c", DocumentCount: 1001, Fields: sequence(tc.start, tc.step),
				Sharding: &planv1.Sharding{Key: keys("n", "1")},
			}, 4)
			if err != nil {
				t.Fatal(err)
			}
			var counts [4]int
			for record := range int64(1001) {
				encoded, _ := bson.Marshal(bson.D{{Key: "n", Value: tc.start + tc.step*record}})
				counts[rule.Of(encoded)]++
			}
			for shard, count := range counts {
				if count < 250 || count > 251 {
					t.Errorf("shard %d has %d documents", shard, count)
				}
			}
		})
	}
}

func TestAFilterSelectsShards(t *testing.T) {
	ranged, err := placement.New(letters, 3)
	if err != nil {
		t.Fatal(err)
	}
	hashed, err := placement.New(planv1.Collection{
		Name: "c", Sharding: &planv1.Sharding{Key: keys("x", "1", planv1.IndexKey{Field: "a.b", Order: "hashed"})},
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	all := placement.All(3)
	of := func(value string) placement.Set {
		return placement.Only(hashed.Of(document(t, `{"a": {"b": `+value+`}}`)))
	}
	for filter, want := range map[string]struct {
		ranged, hashed placement.Set
		pins           bool
	}{
		`{}`:                                 {all, all, false},
		`{"a.b": "e", "x": 1}`:               {placement.Only(2), of(`"e"`), true},
		`{"a.b": {"$eq": "e"}}`:              {placement.Only(2), of(`"e"`), true},
		`{"$and": [{"x": 1}, {"a.b": "e"}]}`: {placement.Only(2), of(`"e"`), true},
		`{"a.b": {"$in": ["e", -4]}}`:        {placement.Only(2) | placement.Only(0), of(`"e"`) | of(`-4`), false},
		`{"a.b": {"$in": []}}`:               {placement.Only(0), placement.Only(0), false},
		`{"a.b": {"$gte": "d", "$lt": "e"}}`: {placement.Only(2), all, false},
		`{"a.b": {"$gte": "e", "$lte": "i"}}`: {
			placement.Only(2) | placement.Only(0), all, false,
		},
		`{"a.b": {"$gt": "e"}}`: {all, all, false},
		`{"a.b": {"$regularExpression": {"pattern": "^e", "options": ""}}}`: {all, all, false},
		`{"a.b": ["e"]}`:                       {all, all, false},
		`{"a.b": null}`:                        {placement.Only(0), of(`null`), true},
		`{"a": {"b": "e"}}`:                    {all, all, false},
		`{"$or": [{"a.b": "e"}]}`:              {all, all, false},
		`{"a.bc": "e"}`:                        {all, all, false},
		`{"a.b": {"$ne": "e"}}`:                {all, all, false},
		`{"a.b": {"c": 1}}`:                    {placement.Only(1), of(`{"c": 1}`), true},
		`{"a.b": "e", "$and": [{"a.b": "a"}]}`: {placement.Only(0), of(`"e"`) & of(`"a"`), true},
	} {
		if want.hashed == 0 {
			want.hashed = placement.Only(0)
		}
		raw := document(t, filter)
		if got := ranged.Targets(raw); got != want.ranged {
			t.Errorf("%s: ranges on shards %b, want %b", filter, got, want.ranged)
		}
		if got := hashed.Targets(raw); got != want.hashed {
			t.Errorf("%s: hashed on shards %b, want %b", filter, got, want.hashed)
		}
		if got := ranged.Pins(raw); got != want.pins {
			t.Errorf("%s pins one shard: %t", filter, got)
		}
	}
}

func TestWhatCannotBePlacedIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		collection planv1.Collection
		want       string
	}{
		"zones": {planv1.Collection{Sharding: &planv1.Sharding{
			Key: keys("n", "1"), Zones: []planv1.Zone{{Name: "z"}},
		}}, "zones need a mongos"},
		"no key": {planv1.Collection{Sharding: &planv1.Sharding{}}, "key: there are no fields"},
		"points and hash": {planv1.Collection{Sharding: &planv1.Sharding{
			Key: keys("n", "hashed"), SplitPoints: []string{`1`},
		}}, "the hash of \"n\" alone decides"},
		"points in no order": {planv1.Collection{Sharding: &planv1.Sharding{
			Key: keys("n", "1"), SplitPoints: []string{`"a"`, `1`},
		}}, "splitPoints[1]: it is not above"},
		"a point that is no JSON": {planv1.Collection{Sharding: &planv1.Sharding{
			Key: keys("n", "1"), SplitPoints: []string{`{`},
		}}, "splitPoints[0]: reading JSON"},
		"an array": {planv1.Collection{
			Fields:   []planv1.Field{{Name: "n.m", Value: planv1.Value{Type: benchv1alpha1.GeneratorArray}}},
			Sharding: &planv1.Sharding{Key: keys("n", "1")},
		}, "is an Array"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := placement.New(tc.collection, 2); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
}

func TestNothingIsAllocatedToPlace(t *testing.T) {
	rule, err := placement.New(planv1.Collection{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	raw := document(t, `{"x": 1, "_id": "user000000012345"}`)
	if allocations := testing.AllocsPerRun(100, func() {
		if one, ok := rule.Targets(raw).One(); !ok || one != rule.Of(raw) {
			t.Fatal("not one shard")
		}
	}); allocations > 0 {
		t.Errorf("it allocates %.0f times", allocations)
	}
}
