package workload_test

import (
	"math"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestKeysMayBeOfTheSameRecord(t *testing.T) {
	same := func(name, field, as string) planv1.Parameter {
		return planv1.Parameter{
			Name: name, Value: planv1.Value{Type: planv1.TypeKey, KeyField: field}, SameRecordAs: as,
		}
	}
	d, m := compile(t, single(planv1.Operation{
		Parameters: []planv1.Parameter{person, same("name", "name", "id"), same("zip", "address.zip", "name")},
		Request: planv1.Request{
			Kind: "FindOne", Filter: `{"address.zip": {"$param": "zip"}, "name": {"$param": "name"}}`,
		},
	}), 0)
	records := map[int64]bool{}
	var r workload.Request
	for number := range int64(500) {
		m.Draw(number, &r)
		filter := decode(t, r.Filter)
		record := filter[0].Value.(int64) - 10
		document := bson.Raw(d.Generator("people").Append(nil, record))
		if document.Lookup("name").StringValue() != filter[1].Value {
			t.Fatalf("request %d has filter %v, record %d is %v", number, filter, record, document)
		}
		records[record] = true
	}
	if len(records) < 100 {
		t.Errorf("only %d records were drawn", len(records))
	}
}

// pair is an operation whose filter has the values of a parameter and of its sum with another.
func pair(first, second planv1.Value) planv1.Operation {
	second.Seed = first.Seed + 1
	return planv1.Operation{
		Parameters: []planv1.Parameter{
			{Name: "from", Value: first}, {Name: "to", Value: second, PlusParameter: "from"},
		},
		Request: planv1.Request{Kind: "Find", Filter: `{"from": {"$param": "from"}, "to": {"$param": "to"}}`},
	}
}

func TestAParameterIsAddedToAnother(t *testing.T) {
	tests := map[string]struct {
		first, second planv1.Value
		right         func(from, to any) bool
	}{
		"Int": {
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Max: 1000},
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: 1, Max: 9},
			func(from, to any) bool { return to.(int32) > from.(int32) && to.(int32)-from.(int32) <= 9 },
		},
		"Int that is full": {
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: math.MaxInt32, Max: math.MaxInt32},
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: 1, Max: 9},
			func(_, to any) bool { return to == int32(math.MaxInt32) },
		},
		"Int that is empty": {
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: math.MinInt32, Max: math.MinInt32},
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: -9, Max: -1},
			func(_, to any) bool { return to == int32(math.MinInt32) },
		},
		"Long": {
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: -1 << 40, Max: 1 << 40},
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: 1, Max: 9},
			func(from, to any) bool { return to.(int64) > from.(int64) && to.(int64)-from.(int64) <= 9 },
		},
		"Long that is full": {
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: math.MaxInt64, Max: math.MaxInt64},
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: 1, Max: 9},
			func(_, to any) bool { return to == int64(math.MaxInt64) },
		},
		"Long that is empty": {
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: math.MinInt64, Max: math.MinInt64},
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: -9, Max: -1},
			func(_, to any) bool { return to == int64(math.MinInt64) },
		},
		"Date": {
			planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 1e12, Max: 2e12},
			planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 3600, Max: 3600},
			func(from, to any) bool { return to.(bson.DateTime)-from.(bson.DateTime) == 3600 },
		},
		"Double": {
			planv1.Value{Type: benchv1alpha1.GeneratorDouble, MaxDouble: 4},
			planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: 1, MaxDouble: 2},
			func(from, to any) bool {
				return to.(float64)-from.(float64) > 0.99 && to.(float64)-from.(float64) < 2.01
			},
		},
		"Double that is full": {
			planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: math.MaxFloat64, MaxDouble: math.MaxFloat64},
			planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: math.MaxFloat64, MaxDouble: math.MaxFloat64},
			func(_, to any) bool { return to == math.MaxFloat64 },
		},
		"Long and a field of a record": {
			planv1.Value{Type: planv1.TypeKey, KeyField: "address.zip", KeyRangePercent: 100},
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: 2, Max: 2},
			func(from, to any) bool { return to.(int64)-from.(int64) == 2 },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, m := compile(t, single(pair(tc.first, tc.second)), 0)
			var r workload.Request
			for number := range int64(200) {
				m.Draw(number, &r)
				if filter := decode(t, r.Filter); !tc.right(filter[0].Value, filter[1].Value) {
					t.Fatalf("request %d has filter %v", number, filter)
				}
			}
		})
	}
}

func TestWrongTiesAreRefusedWithTheirPlace(t *testing.T) {
	long := planv1.Value{Type: benchv1alpha1.GeneratorLong, Max: 9}
	tests := map[string]struct {
		parameters []planv1.Parameter
		want       string
	}{
		"another type": {
			pair(planv1.Value{Type: benchv1alpha1.GeneratorInt}, long).Parameters,
			"is not of type Long",
		},
		"a text": {
			pair(long, planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 5}).Parameters,
			"type String",
		},
		"a field of no number": {pair(person.Value, long).Parameters, "is not of type Long"},
		"a sum with itself":    {[]planv1.Parameter{{Name: "a", Value: long, PlusParameter: "a"}}, "before this one"},
		"a record of none": {
			[]planv1.Parameter{{Name: "a", Value: person.Value, SameRecordAs: "b"}}, "before this one",
		},
		"a record of a number": {
			[]planv1.Parameter{{Name: "a", Value: long}, {Name: "b", Value: person.Value, SameRecordAs: "a"}}, "type Key before",
		},
		"a number of a record": {
			[]planv1.Parameter{person, {Name: "b", Value: long, SameRecordAs: "id"}}, "only a Key",
		},
		"a sum with a key": {[]planv1.Parameter{person, {Name: "b", Value: person.Value, PlusParameter: "id"}}, "to a Key"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := workload.NewDataset(single(planv1.Operation{
				Parameters: tc.parameters, Request: planv1.Request{Kind: "Find", Filter: `{}`},
			}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = workload.Compile(d, 0); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}

func TestOnlyTextsThatCanBeKeysStandForThem(t *testing.T) {
	choice := func(values ...string) planv1.Value {
		v := planv1.Value{Type: benchv1alpha1.GeneratorChoice}
		for _, value := range values {
			v.Choices = append(v.Choices, planv1.Choice{Value: value, Weight: new(int32(1))})
		}
		return v
	}
	tests := map[string]struct {
		value planv1.Value
		right bool
	}{
		"a choice of texts":           {choice(`"a"`, `"b.c"`), true},
		"a short text":                {planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 1, Max: 1024}, true},
		"a text that may be empty":    {planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 10}, false},
		"a text that may be long":     {planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 1, Max: 1025}, false},
		"a choice with a number":      {choice(`"a"`, `5`), false},
		"a choice with a zero byte":   {choice(`"a\u0000"`), false},
		"a choice with an empty text": {choice(`""`), false},
		"a number":                    {planv1.Value{Type: benchv1alpha1.GeneratorInt}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := workload.NewDataset(single(planv1.Operation{
				Parameters: []planv1.Parameter{{Name: "f", Value: tc.value}},
				Request:    planv1.Request{Kind: "Find", Filter: `{"$param:f": 1}`},
			}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = workload.Compile(d, 0); (err == nil) != tc.right {
				t.Errorf("error is %v", err)
			}
		})
	}
}
