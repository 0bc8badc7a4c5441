package portable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

func field(name string, value planv1.Value) planv1.Field {
	return planv1.Field{Name: name, Value: value}
}

func of(kind benchv1alpha1.GeneratorType) planv1.Value {
	return planv1.Value{Type: kind}
}

func text(kind benchv1alpha1.GeneratorType, longest int64) planv1.Value {
	return planv1.Value{Type: kind, Max: longest}
}

func choice(values ...string) planv1.Value {
	value := of(benchv1alpha1.GeneratorChoice)
	for _, one := range values {
		value.Choices = append(value.Choices, planv1.Choice{Value: one, Weight: new(int32(1))})
	}
	return value
}

// people has a column of each type.
func people() planv1.Collection {
	return planv1.Collection{
		Name: "people",
		Fields: []planv1.Field{
			field("_id", of(benchv1alpha1.GeneratorSequence)),
			field("age", of(benchv1alpha1.GeneratorInt)),
			field("wealth", of(benchv1alpha1.GeneratorLong)),
			field("height", of(benchv1alpha1.GeneratorDouble)),
			field("alive", of(benchv1alpha1.GeneratorBool)),
			field("born", of(benchv1alpha1.GeneratorDate)),
			field("name", text(benchv1alpha1.GeneratorString, 20)),
			field("photo", text(benchv1alpha1.GeneratorBinary, 100)),
			field("device", of(benchv1alpha1.GeneratorUUID)),
			field("friend", of(benchv1alpha1.GeneratorObjectID)),
			field("colour", choice(`"red"`, `"green"`)),
			field("account", planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "user", Digits: 4}),
		},
		Indexes: []planv1.Index{
			{Keys: []planv1.IndexKey{{Field: "age", Order: "1"}, {Field: "name", Order: "-1"}}},
			{Name: "accounts", Keys: []planv1.IndexKey{{Field: "account", Order: "1"}}, Unique: true},
		},
	}
}

func TestTable(t *testing.T) {
	got, refusal := portable.Table(people())
	if refusal != nil {
		t.Fatal(refusal)
	}
	want := []portable.Column{
		{Name: "_id", Type: benchv1alpha1.GeneratorLong},
		{Name: "age", Type: benchv1alpha1.GeneratorInt},
		{Name: "wealth", Type: benchv1alpha1.GeneratorLong},
		{Name: "height", Type: benchv1alpha1.GeneratorDouble},
		{Name: "alive", Type: benchv1alpha1.GeneratorBool},
		{Name: "born", Type: benchv1alpha1.GeneratorDate},
		{Name: "name", Type: benchv1alpha1.GeneratorString, MaxLength: 20},
		{Name: "photo", Type: benchv1alpha1.GeneratorBinary, MaxLength: 100},
		{Name: "device", Type: benchv1alpha1.GeneratorUUID},
		{Name: "friend", Type: benchv1alpha1.GeneratorObjectID},
		{Name: "colour", Type: benchv1alpha1.GeneratorString, MaxLength: 5},
		{Name: "account", Type: benchv1alpha1.GeneratorString, MaxLength: 23},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestChoicesAreOfTheTypeOfTheirValues(t *testing.T) {
	tests := map[string]struct {
		values []string
		want   benchv1alpha1.GeneratorType
		length int64
	}{
		"small numbers":  {[]string{"1", "-2"}, benchv1alpha1.GeneratorInt, 0},
		"large numbers":  {[]string{"5000000000", `{"$numberLong": "1"}`}, benchv1alpha1.GeneratorLong, 0},
		"broken numbers": {[]string{"1.5", `{"$numberDouble": "1"}`, "1e3"}, benchv1alpha1.GeneratorDouble, 0},
		"truths":         {[]string{"true", "false"}, benchv1alpha1.GeneratorBool, 0},
		"instants": {
			[]string{
				`{"$date": "2026-01-01T00:00:00Z"}`, `{"$date": {"$numberLong": "253402300799999"}}`,
				`{"$date": -30610224000000}`, `{"$date": "1000-01-01T00:00:00.000+0000"}`,
			},
			benchv1alpha1.GeneratorDate, 0,
		},
		"object ids": {[]string{`{"$oid": "0123456789abcdef01234567"}`}, benchv1alpha1.GeneratorObjectID, 0},
		"uuids": {
			[]string{
				`{"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}`,
				`{"$binary": {"base64": "ABEiM0RVZneImaq7zN3u/w==", "subType": "04"}}`,
			},
			benchv1alpha1.GeneratorUUID, 0,
		},
		"bytes": {[]string{`{"$binary": {"base64": "AQID", "subType": "00"}}`}, benchv1alpha1.GeneratorBinary, 3},
		"texts": {[]string{`"ä"`, `"abc"`}, benchv1alpha1.GeneratorString, 3},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			collection := planv1.Collection{
				Name: "c", Fields: []planv1.Field{field("_id", of(benchv1alpha1.GeneratorLong)), field("x", choice(tc.values...))},
			}
			columns, refusal := portable.Table(collection)
			if refusal != nil {
				t.Fatal(refusal)
			}
			want := portable.Column{Name: "x", Type: tc.want, MaxLength: tc.length}
			if columns[1] != want {
				t.Errorf("got %+v, want %+v", columns[1], want)
			}
		})
	}
}

func TestRefusedTables(t *testing.T) {
	with := func(more planv1.Field) func(*planv1.Collection) {
		return func(c *planv1.Collection) { c.Fields = append(c.Fields, more) }
	}
	indexed := func(index planv1.Index) func(*planv1.Collection) {
		return func(c *planv1.Collection) { c.Indexes = append(c.Indexes, index) }
	}
	key := func(field, order string) []planv1.IndexKey { return []planv1.IndexKey{{Field: field, Order: order}} }
	expiry := int32(1)
	tests := map[string]struct {
		change func(*planv1.Collection)
		want   string
	}{
		"a document": {
			with(field("x", of(benchv1alpha1.GeneratorDocument))), "fields[x].type: a value of type Document is no value",
		},
		"an array": {
			with(field("x", of(benchv1alpha1.GeneratorArray))),
			"fields[x].type: a value of type Array is no value",
		},
		"a point": {
			with(field("x", of(benchv1alpha1.GeneratorGeoPoint))), "fields[x].type: a value of type GeoPoint is no value",
		},
		"a value of another table": {
			with(field("x", of(benchv1alpha1.GeneratorReference))), "a value of type Reference is no value",
		},
		"a field that may be missing": {
			with(field("x", planv1.Value{Type: benchv1alpha1.GeneratorInt, PresencePercent: 50})), "a column is never empty",
		},
		"a field that may be null": {
			with(field("x", planv1.Value{Type: benchv1alpha1.GeneratorInt, NullPercent: 50})), "a column is never empty",
		},
		"a nested field": {
			with(field("a.b", of(benchv1alpha1.GeneratorInt))),
			"fields[a.b].name: must be at most 64 letters",
		},
		"a long name":          {with(field(strings.Repeat("a", 65), of(benchv1alpha1.GeneratorInt))), "at most 64"},
		"a name with a comma":  {with(field("a,b", of(benchv1alpha1.GeneratorInt))), "fields[a,b].name"},
		"a name like a number": {with(field("1st", of(benchv1alpha1.GeneratorInt))), "fields[1st].name"},
		"names that only differ in case": {
			with(field("Age", of(benchv1alpha1.GeneratorInt))),
			`fields[Age].name: columns know no upper and lower case, and "age"`,
		},
		"a choice of two types": {with(field("x", choice("1", `"a"`))), "fields[x].type: the values of a Choice"},
		"a choice with nothing": {with(field("x", choice("null"))), "fields[x].type: null is no value"},
		"a choice of arrays":    {with(field("x", choice("[1]"))), "fields[x].type: an array"},
		"a choice of documents": {with(field("x", choice(`{"a": 1}`))), "fields[x].type: a document"},
		"a choice of decimals":  {with(field("x", choice(`{"$numberDecimal": "1"}`))), `fields[x].type: "$numberDecimal"`},
		"a binary of a rare kind": {
			with(field("x", choice(`{"$binary": {"base64": "", "subType": "80"}}`))), `subtype "80"`,
		},
		"a date of the first year": {with(field("x", planv1.Value{
			Type: benchv1alpha1.GeneratorDate,
			Min:  -62135596800000,
		})), "1000"},
		"a date after the last year": {
			with(field("x", planv1.Value{Type: benchv1alpha1.GeneratorDate, Max: 253402300800000})),
			"fields[x].type: a table has only",
		},
		"a choice of an early date": {
			with(field("x", choice(`{"$date": {"$numberLong": "-30610224000001"}}`))), "fields[x].type: a table has only dates",
		},
		"a choice of an early date, written out": {
			with(field("x", choice(`{"$date": "0999-12-31T23:59:59.999Z"}`))), "fields[x].type: a table has only dates",
		},
		"a choice of a date that is late in UTC": {
			with(field("x", choice(`{"$date": "9999-12-31T23:59:59-01:00"}`))), "fields[x].type: a table has only dates",
		},
		"a choice of a late date": {
			with(field("x", choice(`{"$date": 253402300800000}`))), "fields[x].type: a table has only dates",
		},
		"a choice of no date": {
			with(field("x", choice(`{"$date": "tomorrow"}`))), "fields[x].type: a $date that cannot be read",
		},
		"a choice of infinity": {
			with(field("x", choice("1.5", `{"$numberDouble": "-Infinity"}`))), "fields[x].type: a Double of a table is a finite",
		},
		"a choice of no number": {
			with(field("x", choice(`{"$numberDouble": "NaN"}`))), "a finite number, and NaN is none",
		},
		"a choice of too large a number": {
			with(field("x", choice("1e400"))), "a finite number, and 1e400 is none",
		},
		"a capped collection": {func(c *planv1.Collection) { c.CappedBytes = 4096 }, "options.capped: "},
		"a view":              {func(c *planv1.Collection) { c.View = &planv1.View{} }, "view: "},
		"a clustered collection": {
			func(c *planv1.Collection) { c.Clustered = &planv1.ClusteredOptions{} }, "options.clustered: ",
		},
		"a time series": {
			func(c *planv1.Collection) { c.TimeSeries = &planv1.TimeSeriesOptions{} }, "options.timeSeries: ",
		},
		"a collation": {func(c *planv1.Collection) { c.Collation = &planv1.Collation{} }, "options.collation: "},
		"a validator": {func(c *planv1.Collection) { c.Validator = &planv1.Validator{} }, "options.validator: "},
		"images": {
			func(c *planv1.Collection) { c.PreAndPostImages = true }, "options.changeStreamPreAndPostImages: ",
		},
		"a hidden index":  {indexed(planv1.Index{Keys: key("age", "1"), Hidden: true}), "indexes[2].properties: "},
		"a partial index": {indexed(planv1.Index{Keys: key("age", "1"), PartialFilter: "{}"}), "indexes[2].partialFilter: "},
		"an index with a collation": {
			indexed(planv1.Index{Keys: key("age", "1"), Collation: &planv1.Collation{}}), "indexes[2].collation: ",
		},
		"an index of words":       {indexed(planv1.Index{Keys: key("age", "text")}), "indexes[2].keys[0].type: "},
		"a compressor":            {func(c *planv1.Collection) { c.Compressor = "zstd" }, "options.compressor: "},
		"merge trees":             {func(c *planv1.Collection) { c.Type = planv1.TypeLSM }, "options: the target's engine"},
		"sharding":                {func(c *planv1.Collection) { c.Sharding = &planv1.Sharding{} }, "sharding: "},
		"a collection with a dot": {func(c *planv1.Collection) { c.Name = "a.b" }, "name: must be"},
		"a sparse index": {
			indexed(planv1.Index{Keys: key("age", "1"), Sparse: true}), "indexes[2].properties: ",
		},
		"an index that expires": {
			indexed(planv1.Index{Keys: key("born", "1"), ExpireAfterSeconds: &expiry}), "indexes[2].expireAfterSeconds: ",
		},
		"a hashed index":          {indexed(planv1.Index{Keys: key("age", "hashed")}), "indexes[2].keys[0].type: "},
		"an index on no column":   {indexed(planv1.Index{Keys: key("shoe", "1")}), "indexes[2].keys[0].field: "},
		"a wildcard index":        {indexed(planv1.Index{Keys: key("$**", "1")}), "indexes[2].name: "},
		"an index of a long name": {indexed(planv1.Index{Name: "a b", Keys: key("age", "1")}), `indexes[2].name: "a b"`},
		"two indexes of one name": {
			indexed(planv1.Index{Name: "Accounts", Keys: key("age", "1")}), `indexes[2].name: "accounts"`,
		},
		"an index called as the primary key": {
			indexed(planv1.Index{Name: "Primary", Keys: key("age", "1")}), "indexes[2].name: ",
		},
		"a long index": {
			func(c *planv1.Collection) {
				c.Fields = append(c.Fields, field("essay", text(benchv1alpha1.GeneratorString, 3073)))
				c.Indexes = append(c.Indexes, planv1.Index{Keys: key("essay", "1")})
			}, "indexes[2].keys: an index of a table has at most 3072 bytes of its columns, and these may have 3073",
		},
		"a long primary key": {
			func(c *planv1.Collection) { c.Fields[0].Value = text(benchv1alpha1.GeneratorBinary, 3073) }, "fields[_id].bytes: ",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			collection := people()
			tc.change(&collection)
			_, refusal := portable.Table(collection)
			wantRefusal(t, refusal, tc.want)
		})
	}
}

// TestLongColumnsAreKeptApart: the longest without an index, and no more than it takes.
func TestLongColumnsAreKeptApart(t *testing.T) {
	indexed := planv1.Index{Keys: []planv1.IndexKey{{Field: "code", Order: "1"}}}
	for name, tc := range map[string]struct {
		lengths map[string]int64
		want    []string
	}{
		"short rows":       {map[string]int64{"code": 3000, "text": 27_000, "more": 30_000}, nil},
		"one byte more":    {map[string]int64{"code": 3000, "text": 27_000, "more": 30_001}, []string{"more"}},
		"the first of two": {map[string]int64{"code": 3000, "text": 40_000, "more": 40_000}, []string{"text"}},
		"both":             {map[string]int64{"code": 3000, "text": 70_000, "more": 60_000}, []string{"text", "more"}},
	} {
		t.Run(name, func(t *testing.T) {
			collection := planv1.Collection{Name: "c", Indexes: []planv1.Index{indexed}}
			collection.Fields = []planv1.Field{field("_id", of(benchv1alpha1.GeneratorLong))}
			for _, column := range []string{"code", "text", "more"} {
				collection.Fields = append(collection.Fields, field(column, text(benchv1alpha1.GeneratorString,
					tc.lengths[column])))
			}
			if diff := cmp.Diff(tc.want, keptApart(t, collection)); diff != "" {
				t.Errorf("columns that are kept apart (-want +got):\n%s", diff)
			}
		})
	}
}

// keptApart are the names of the columns that are.
func keptApart(t *testing.T, collection planv1.Collection) []string {
	t.Helper()
	columns, refusal := portable.Table(collection)
	if refusal != nil {
		t.Fatal(refusal)
	}
	var names []string
	for _, column := range columns {
		if column.KeptApart {
			names = append(names, column.Name)
		}
	}
	return names
}

func wantRefusal(t *testing.T, refusal *portable.Refusal, want string) {
	t.Helper()
	if refusal == nil {
		t.Fatalf("nothing was refused, want %q", want)
	}
	if !strings.Contains(refusal.String(), want) {
		t.Errorf("got %q, want %q in it", refusal, want)
	}
}
