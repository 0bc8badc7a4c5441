package document_test

import (
	"math"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

func TestWrongDeclarationsAreRefusedWithTheirPlace(t *testing.T) {
	uuid := planv1.Value{Type: benchv1alpha1.GeneratorUUID}
	choice := func(text string, weight int32) planv1.Value {
		return planv1.Value{
			Type: benchv1alpha1.GeneratorChoice, Choices: []planv1.Choice{{Value: text, Weight: &weight}},
		}
	}
	nested := planv1.Value{Type: benchv1alpha1.GeneratorDocument, Fields: []planv1.Field{{
		Name:  "x",
		Value: planv1.Value{Type: "Y"},
	}}}
	tests := map[string]struct {
		fields []planv1.Field
		want   string
	}{
		"an unknown type": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{Type: "Float"}}}, `field "v": type "Float"`,
		},
		"an unknown inner type": {[]planv1.Field{{Name: "v", Value: nested}}, `field "v": field "x": type "Y"`},
		"a key": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{Type: planv1.TypeKey}}}, "for the parameters",
		},
		"two of one name": {[]planv1.Field{{Name: "a", Value: uuid}, {Name: "a", Value: uuid}}, "declared twice"},
		"a value where a document is": {
			[]planv1.Field{{Name: "a.b", Value: uuid}, {Name: "a", Value: uuid}}, "declared twice",
		},
		"a document where a value is": {
			[]planv1.Field{{Name: "a", Value: uuid}, {Name: "a.b", Value: uuid}}, "declared twice",
		},
		"a name with an empty part": {[]planv1.Field{{Name: "a..b", Value: uuid}}, "empty"},
		"no name":                   {[]planv1.Field{{Value: uuid}}, "empty"},
		"a name with a zero byte":   {[]planv1.Field{{Name: "a\x00b", Value: uuid}}, "zero byte"},
		"a document without fields": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{Type: benchv1alpha1.GeneratorDocument}}}, "needs fields",
		},
		"too long a document": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{
				Type: benchv1alpha1.GeneratorArray, Max: 10_000,
				Element: &planv1.Value{
					Type: benchv1alpha1.GeneratorString, Max: 1700,
				},
			}}}, "a document may get 17110030 bytes",
		},
		"an array without element": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{Type: benchv1alpha1.GeneratorArray}}}, "needs an element",
		},
		"a choice that is not JSON": {[]planv1.Field{{Name: "v", Value: choice("red", 1)}}, "choice 0: reading"},
		"a choice of two values":    {[]planv1.Field{{Name: "v", Value: choice(`1, "w": 2`, 1)}}, "choice 0: reading"},
		"a choice that ends early":  {[]planv1.Field{{Name: "v", Value: choice(`1} {`, 1)}}, "choice 0: reading"},
		"a choice without weight":   {[]planv1.Field{{Name: "v", Value: choice("1", 0)}}, "choice 0: weight"},
		"no choices": {
			[]planv1.Field{{Name: "v", Value: planv1.Value{Type: benchv1alpha1.GeneratorChoice}}},
			"to choose",
		},
	}
	for name, v := range map[string]planv1.Value{
		"an Int beyond 32 bits":   {Type: benchv1alpha1.GeneratorInt, Max: 1 << 31},
		"an Int below 32 bits":    {Type: benchv1alpha1.GeneratorInt, Min: -1<<31 - 1},
		"min above max":           {Type: benchv1alpha1.GeneratorLong, Min: 2, Max: 1},
		"a date range reversed":   {Type: benchv1alpha1.GeneratorDate, Min: 2, Max: 1},
		"a double range reversed": {Type: benchv1alpha1.GeneratorDouble, MinDouble: 2, MaxDouble: 1},
		"no number":               {Type: benchv1alpha1.GeneratorDouble, MaxDouble: math.NaN()},
		"too wide a range": {
			Type: benchv1alpha1.GeneratorDouble, MinDouble: -math.MaxFloat64,
			MaxDouble: math.MaxFloat64,
		},
		"more than all true":              {Type: benchv1alpha1.GeneratorBool, TruePercent: 101},
		"less than nothing repeated":      {Type: benchv1alpha1.GeneratorString, Max: 1, CompressiblePercent: -1},
		"a negative length":               {Type: benchv1alpha1.GeneratorBinary, Min: -1, Max: 1},
		"too long a value":                {Type: benchv1alpha1.GeneratorBinary, Max: 16_000_001},
		"a share of nulls beyond all":     {Type: benchv1alpha1.GeneratorInt, NullPercent: 101},
		"a share of documents below none": {Type: benchv1alpha1.GeneratorInt, PresencePercent: -1},
		"more digits than a decimal has":  {Type: benchv1alpha1.GeneratorDecimal, Scale: 19},
		"a timestamp before 1970":         {Type: benchv1alpha1.GeneratorTimestamp, Min: -1},
		"a timestamp after 2106":          {Type: benchv1alpha1.GeneratorTimestamp, Max: 1 << 42},
		"a point without a box":           {Type: benchv1alpha1.GeneratorGeoPoint},
		"a box beyond the pole":           {Type: benchv1alpha1.GeneratorGeoPoint, Geo: &planv1.Geo{North: 900_000_001}},
		"a box inside out":                {Type: benchv1alpha1.GeneratorGeoPoint, Geo: &planv1.Geo{West: 1}},
		"clusters without a radius":       {Type: benchv1alpha1.GeneratorGeoPoint, Geo: &planv1.Geo{Clusters: 1}},
		"a vector without dimensions":     {Type: benchv1alpha1.GeneratorVector},
		"a vector that spreads nowhere": {
			Type: benchv1alpha1.GeneratorVector, Vector: &planv1.Vector{Dimensions: 1, Clusters: 1},
		},
		"more clusters than there may be": {
			Type: benchv1alpha1.GeneratorVector, Vector: &planv1.Vector{Dimensions: 1, Clusters: 10_001, SpreadPercent: 1},
		},
		"no language": {Type: benchv1alpha1.GeneratorWords, Max: 1},
		"too many words": {
			Type: benchv1alpha1.GeneratorWords, Max: 100_001, Language: benchv1alpha1.LanguageEnglish,
		},
		"an unknown fake":        {Type: benchv1alpha1.GeneratorFake, Fake: "Shoe"},
		"a reference to nothing": {Type: benchv1alpha1.GeneratorReference},
		"a reference to a collection without documents": {
			Type: benchv1alpha1.GeneratorReference, Reference: &planv1.Reference{Of: planv1.Value{Type: "UUID"}},
		},
		"more orphans than all": {
			Type:      benchv1alpha1.GeneratorReference,
			Reference: &planv1.Reference{Documents: 1, OrphanPercent: 101, Of: planv1.Value{Type: "UUID"}},
		},
		"a reference to a reference": {
			Type: benchv1alpha1.GeneratorReference, Reference: &planv1.Reference{Documents: 1, Of: planv1.Value{
				Type: benchv1alpha1.GeneratorReference, Reference: &planv1.Reference{},
			}},
		},
		"more digits than zeros":  {Type: benchv1alpha1.GeneratorSerial, Digits: 101},
		"fewer digits than none":  {Type: benchv1alpha1.GeneratorSerial, Digits: -1},
		"an unknown distribution": {Type: benchv1alpha1.GeneratorInt, Distribution: planv1.Distribution{Type: "Newest"}},
	} {
		tests[name] = struct {
			fields []planv1.Field
			want   string
		}{[]planv1.Field{{Name: "v", Value: v}}, `field "v": `}
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := document.Compile(1, planv1.Collection{Name: "c", Fields: tc.fields})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), `collection "c"`) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}

func TestADoubleWithoutWidthIsConstant(t *testing.T) {
	g := compile(t, 1, one(planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: 2.5, MaxDouble: 2.5}))
	if got := decode(t, g.Append(nil, 1))["v"]; got != 2.5 {
		t.Errorf("value is %v", got)
	}
}

func TestChoicesMayBeOfAnyType(t *testing.T) {
	for _, text := range []string{
		`null`, `"red"`, `42`, `4.5`, `true`, `[1, {"a": 2}]`, `{"a": {"b": 1}}`, `{"$date": "2026-01-01T00:00:00Z"}`,
		`{"$oid": "0123456789abcdef01234567"}`, `{"$numberDecimal": "1.5"}`, `{"$minKey": 1}`,
	} {
		g := compile(t, 1, one(planv1.Value{
			Type: benchv1alpha1.GeneratorChoice, Choices: []planv1.Choice{{Value: text, Weight: new(int32(1))}},
		}))
		var want bson.D
		if err := bson.UnmarshalExtJSON([]byte(`{"v": `+text+`}`), false, &want); err != nil {
			t.Fatal(err)
		}
		wanted, err := bson.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := bson.Raw(g.Append(nil, 0)).Lookup("v"); !got.Equal(bson.Raw(wanted).Lookup("v")) {
			t.Errorf("%s became %v", text, got)
		}
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	for _, c := range []planv1.Collection{fixture, realistic, sensor, ycsb} {
		g := compile(t, 1, c)
		buffer := make([]byte, 0, 1<<16)
		record := int64(0)
		allocations := testing.AllocsPerRun(200, func() {
			buffer = g.AppendRevision(g.Append(buffer[:0], record), record, 1)
			_, buffer = g.AppendValue(buffer, 0, record)
			record++
		})
		if allocations != 0 {
			t.Errorf("collection %s: %v allocations a document", c.Name, allocations)
		}
	}
}

func benchmarkAppend(b *testing.B, c planv1.Collection) {
	b.Helper()
	g := compile(b, 1, c)
	buffer := g.Append(nil, 0)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for record := int64(0); b.Loop(); record++ {
		buffer = g.Append(buffer[:0], record)
	}
}

func BenchmarkAppendSensor(b *testing.B)     { benchmarkAppend(b, sensor) }
func BenchmarkAppendRealistic(b *testing.B)  { benchmarkAppend(b, realistic) }
func BenchmarkAppendYCSB(b *testing.B)       { benchmarkAppend(b, ycsb) }
func BenchmarkAppendEverything(b *testing.B) { benchmarkAppend(b, fixture) }
