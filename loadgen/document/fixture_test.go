package document_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

func field(name string, v planv1.Value) planv1.Field {
	// Any seed will do, as long as no two fields share it.
	for _, c := range name {
		v.Seed = v.Seed*31 + uint64(c)
	}
	return planv1.Field{Name: name, Value: v}
}

// fixture has every type of value, and every way that documents nest.
var fixture = planv1.Collection{Name: "everything", Fields: []planv1.Field{
	field("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Start: 100, Step: -3}),
	field("small", planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: -5, Max: 5}),
	field("address.city", planv1.Value{Type: benchv1alpha1.GeneratorChoice, Choices: []planv1.Choice{
		{Value: `"Oslo"`, Weight: new(int32(6))},
		{Value: `"Rome"`, Weight: new(int32(3))},
		{Value: `{"$numberLong": "7"}`, Weight: new(int32(1))},
	}}),
	field("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
	field("large", planv1.Value{Type: benchv1alpha1.GeneratorLong, Min: -1 << 63, Max: 1<<63 - 1}),
	field("ratio", planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: -1.5, MaxDouble: 2.5}),
	field("address.lines", planv1.Value{
		Type: benchv1alpha1.GeneratorArray, Min: 0, Max: 12,
		Element: &planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 77, Min: 3, Max: 9},
	}),
	field("yes", planv1.Value{Type: benchv1alpha1.GeneratorBool, TruePercent: 30}),
	field("when", planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 1577836800000, Max: 1893456000000}),
	field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 0, Max: 200, CompressiblePercent: 25}),
	field("bytes", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Min: 100, Max: 100, CompressiblePercent: 50}),
	field("long", planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 400, Max: 700}),
	field("longer", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Min: 1024, Max: 1024, CompressiblePercent: 10}),
	field("uuid", planv1.Value{Type: benchv1alpha1.GeneratorUUID}),
	field("ref", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
	field("hot", planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Max: 999,
		Distribution: planv1.Distribution{Type: "HotSpot", HotRange: 0.2, HotDraws: 0.8},
	}),
	field("turn", planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Min: 10, Max: 12, Distribution: planv1.Distribution{Type: "Sequential"},
	}),
	field("sub", planv1.Value{Type: benchv1alpha1.GeneratorDocument, Fields: []planv1.Field{
		field("a.b", planv1.Value{Type: benchv1alpha1.GeneratorInt, Max: 1}),
		field("c", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
		field("a.d", planv1.Value{Type: benchv1alpha1.GeneratorUUID}),
	}}),
	field("items", planv1.Value{
		Type: benchv1alpha1.GeneratorArray, Min: 2, Max: 2,
		Element: &planv1.Value{Type: benchv1alpha1.GeneratorDocument, Fields: []planv1.Field{
			field("sku", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
			field("turn", planv1.Value{
				Type: benchv1alpha1.GeneratorInt, Max: 99, Distribution: planv1.Distribution{Type: "Sequential"},
			}),
		}},
	}),
}}

// sensor is the smallest document worth loading; ycsb is a record of YCSB: ten fields of 100 bytes.
var (
	sensor = planv1.Collection{Name: "sensor", Fields: []planv1.Field{
		field("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
		field("created_on", planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 1577836800000, Max: 1893456000000}),
		field("value", planv1.Value{Type: benchv1alpha1.GeneratorDouble, MaxDouble: 1}),
	}}
	ycsb = func() planv1.Collection {
		c := planv1.Collection{Name: "usertable"}
		for _, name := range []string{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9"} {
			c.Fields = append(c.Fields, field(name, planv1.Value{Type: benchv1alpha1.GeneratorBinary, Min: 100, Max: 100}))
		}
		return c
	}()
)

func compile(tb testing.TB, seed int64, c planv1.Collection) *document.Generator {
	tb.Helper()
	g, err := document.Compile(seed, c)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// one is a collection whose documents have one field, v.
func one(v planv1.Value) planv1.Collection {
	return planv1.Collection{Name: "one", Fields: []planv1.Field{{Name: "v", Value: v}}}
}
