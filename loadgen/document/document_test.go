package document_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

// What has been measured must stay repeatable: a new hash here means that old and new results have other documents.
func TestDocumentsStayTheSame(t *testing.T) {
	hash := sha256.New()
	g := compile(t, 42, fixture)
	var buffer []byte
	for record := range int64(2000) {
		buffer = g.AppendRevision(g.Append(buffer[:0], record), record, 3)
		_, _ = hash.Write(buffer)
	}
	const want = "e6b2c257db6c43caff7178e96c48c9f7563ce8c68aad0d643c97724fb439554a"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("hash is %s, not %s", got, want)
	}
}

func TestDocumentsAreAsDeclared(t *testing.T) {
	for _, c := range []planv1.Collection{fixture, realistic, sensor, ycsb} {
		g := compile(t, 1, c)
		for record := range int64(500) {
			checkRecord(t, g, c, record)
		}
		for _, record := range []int64{1 << 40, 1<<46 + 5, 33<<46 - 1} {
			checkRecord(t, g, c, record)
		}
	}
}

// checkRecord decodes some revisions of a document and compares them with the model.
func checkRecord(t *testing.T, g *document.Generator, c planv1.Collection, record int64) {
	t.Helper()
	for _, revision := range []uint64{0, 1, 1 << 50} {
		raw := bson.Raw(g.AppendRevision(nil, record, revision))
		if err := raw.Validate(); err != nil {
			t.Fatalf("record %d: %v", record, err)
		}
		var doc bson.D
		if err := bson.Unmarshal(raw, &doc); err != nil {
			t.Fatalf("record %d: %v", record, err)
		}
		again, err := bson.Marshal(doc)
		if err != nil || !bytes.Equal(raw, again) {
			t.Fatalf("record %d: bson encodes the document to other bytes (%v)", record, err)
		}
		model{tb: t, record: record}.check("", doc, c.Fields)
	}
}

func TestBytesDoNotDependOnOrderOrThread(t *testing.T) {
	const records = 500
	g := compile(t, 1, fixture)
	var want [records][]byte
	for record := range want {
		want[record] = g.Append(nil, int64(record))
	}
	fresh := compile(t, 1, fixture)
	var threads sync.WaitGroup
	for thread := range 4 {
		threads.Go(func() {
			buffer := []byte("left as it is")
			for i := range records {
				record := (i*7 + thread*100) % records
				buffer = fresh.Append(buffer[:13], int64(record))
				if !bytes.Equal(buffer[13:], want[record]) || string(buffer[:13]) != "left as it is" {
					t.Errorf("record %d differs", record)
					return
				}
			}
		})
	}
	threads.Wait()
}

func TestSeedAndCollectionAndRecordMakeOtherDocuments(t *testing.T) {
	base := compile(t, 1, fixture)
	renamed := fixture
	renamed.Name = "other"
	others := map[string][]byte{
		"seed":       compile(t, 2, fixture).Append(nil, 5),
		"collection": compile(t, 1, renamed).Append(nil, 5),
		"record":     base.Append(nil, 6),
		"revision":   base.AppendRevision(nil, 5, 1),
	}
	for what, other := range others {
		one, two := decode(t, base.Append(nil, 5)), decode(t, other)
		for _, name := range []string{"_id", "large", "ratio", "when", "text", "bytes", "uuid", "ref"} {
			same := cmp.Equal(one[name], two[name])
			if want := what == "revision" && name == "_id"; same != want {
				t.Errorf("with another %s, %s is the same: %v", what, name, same)
			}
		}
		if what == "revision" && one["n"] != two["n"] {
			t.Error("another revision has another value of a Sequence")
		}
	}
}

func decode(tb testing.TB, raw []byte) bson.M {
	tb.Helper()
	var doc bson.M
	if err := bson.Unmarshal(raw, &doc); err != nil {
		tb.Fatal(err)
	}
	return doc
}

func TestEqualSeedsMakeEqualValues(t *testing.T) {
	v := planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 9, Max: math.MaxInt64}
	other := v
	other.Seed = 10
	g := compile(t, 1, planv1.Collection{Name: "twins", Fields: []planv1.Field{
		{Name: "a", Value: v}, {Name: "b.c", Value: v}, {Name: "d", Value: other},
	}})
	doc := decode(t, g.Append(nil, 3))
	nested, _ := doc["b"].(bson.D)
	if doc["a"] != nested[0].Value || doc["a"] == doc["d"] {
		t.Errorf("values are %v", doc)
	}
}

func TestEveryFieldCanBeMadeAlone(t *testing.T) {
	g := compile(t, 1, fixture)
	for _, name := range []string{
		"_id", "n", "small", "address", "address.city", "address.lines", "sub.a.b", "sub.a.d", "sub.c", "items", "uuid",
	} {
		index, ok := g.FieldIndex(name)
		if !ok {
			t.Errorf("field %s is not found", name)
			continue
		}
		for record := range int64(50) {
			bsonType, value := g.AppendValue([]byte("left"), index, record)
			got := bson.RawValue{Type: bson.Type(bsonType), Value: value[4:]}
			if want := lookup(t, g, record, name); !got.Equal(want) {
				t.Fatalf("record %d: %s alone is %v, in the document %v", record, name, got, want)
			}
		}
	}
	for _, name := range []string{"", "missing", "address.", "items.sku", "address.city.x"} {
		if _, ok := g.FieldIndex(name); ok {
			t.Errorf("field %q is found", name)
		}
	}
}

func lookup(tb testing.TB, g *document.Generator, record int64, name string) bson.RawValue {
	tb.Helper()
	path := []string{}
	for part := range bytes.SplitSeq([]byte(name), []byte(".")) {
		path = append(path, string(part))
	}
	value, err := bson.Raw(g.Append(nil, record)).LookupErr(path...)
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

func TestObjectIDsGrowAndDiffer(t *testing.T) {
	g := compile(t, 1, sensor)
	id, _ := g.FieldIndex("_id")
	var before []byte
	records := []int64{0, 1, 2, 255, 256, 1<<20 - 1, 1 << 20, 1<<24 - 1, 1 << 24, 1e11, 1 << 46, 1<<46 + 1, 33<<46 - 1}
	for _, record := range records {
		_, value := g.AppendValue(nil, id, record)
		if bytes.Compare(before, value) >= 0 {
			t.Errorf("record %d: %x does not come after %x", record, value, before)
		}
		before = value
	}
}

func TestSequentialDatesFollowTheRecords(t *testing.T) {
	g := compile(t, 1, one(planv1.Value{
		Type: benchv1alpha1.GeneratorDate, Min: 1000, Max: 4000, Distribution: planv1.Distribution{Type: "Sequential"},
	}))
	for record := range int64(10) {
		if got := decode(t, g.Append(nil, record))["v"]; got != bson.DateTime(1000+record) {
			t.Errorf("record %d has %v", record, got)
		}
	}
}

func TestValuesAreDrawnAsTheirSettingsSay(t *testing.T) {
	tests := map[string]struct {
		value         planv1.Value
		cell          func(any) int
		probabilities []float64
	}{
		"Int": {
			planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: -2, Max: 2},
			func(v any) int { return int(v.(int32)) + 2 },
			[]float64{.2, .2, .2, .2, .2},
		},
		"Double": {
			planv1.Value{Type: benchv1alpha1.GeneratorDouble, MinDouble: 10, MaxDouble: 14},
			func(v any) int { return int(v.(float64)) - 10 },
			[]float64{.25, .25, .25, .25},
		},
		"Bool": {
			planv1.Value{Type: benchv1alpha1.GeneratorBool, TruePercent: 30},
			func(v any) int { return map[bool]int{false: 0, true: 1}[v.(bool)] },
			[]float64{.7, .3},
		},
		"Choice": {
			planv1.Value{Type: benchv1alpha1.GeneratorChoice, Choices: []planv1.Choice{
				{Value: "0", Weight: new(int32(1))},
				{Value: "1", Weight: new(int32(5))},
				{Value: "2", Weight: new(int32(3))},
				{Value: "3", Weight: new(int32(1))},
			}},
			func(v any) int { return int(v.(int32)) },
			[]float64{.1, .5, .3, .1},
		},
		"length of a String": {
			planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 0, Max: 3},
			func(v any) int { return len(v.(string)) },
			[]float64{.25, .25, .25, .25},
		},
		"length of an Array": {
			planv1.Value{
				Type: benchv1alpha1.GeneratorArray, Min: 1, Max: 2,
				Element: &planv1.Value{Type: benchv1alpha1.GeneratorUUID},
			},
			func(v any) int { return len(v.(bson.A)) - 1 },
			[]float64{.5, .5},
		},
		"HotSpot": {
			planv1.Value{Type: benchv1alpha1.GeneratorLong, Max: 3, Distribution: planv1.Distribution{
				Type: "HotSpot", HotRange: 0.25, HotDraws: 0.7,
			}},
			func(v any) int { return int(v.(int64)) },
			[]float64{.7, .1, .1, .1},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g := compile(t, 1, one(tc.value))
			counts := make([]int, len(tc.probabilities))
			for record := range int64(20_000) {
				counts[tc.cell(decode(t, g.Append(nil, record))["v"])]++
			}
			keydisttest.RequireFit(t, counts, tc.probabilities)
		})
	}
}

func TestElementsOfAnArrayDiffer(t *testing.T) {
	element := planv1.Value{Type: benchv1alpha1.GeneratorInt, Max: 9}
	g := compile(t, 1, one(planv1.Value{Type: benchv1alpha1.GeneratorArray, Min: 100, Max: 100, Element: &element}))
	counts := make([]int, 10)
	for record := range int64(100) {
		for _, v := range decode(t, g.Append(nil, record))["v"].(bson.A) {
			counts[v.(int32)]++
		}
	}
	keydisttest.RequireUniform(t, counts)
}

func TestBytesCompressAsDeclared(t *testing.T) {
	tests := map[string]struct {
		value    planv1.Value
		min, max float64
	}{
		"Binary": {planv1.Value{Type: benchv1alpha1.GeneratorBinary}, 0.97, 1.01},
		"Binary, half of it repeated": {
			planv1.Value{Type: benchv1alpha1.GeneratorBinary, CompressiblePercent: 50},
			0.49,
			0.54,
		},
		"Binary, all of it repeated": {
			planv1.Value{Type: benchv1alpha1.GeneratorBinary, CompressiblePercent: 100},
			0,
			0.05,
		},
		"String, of 6 bits a byte": {planv1.Value{Type: benchv1alpha1.GeneratorString}, 0.73, 0.77},
		"String, a quarter repeated": {
			planv1.Value{Type: benchv1alpha1.GeneratorString, CompressiblePercent: 25},
			0.55,
			0.60,
		},
		"String, all but a tenth of it": {
			planv1.Value{Type: benchv1alpha1.GeneratorString, CompressiblePercent: 90},
			0.05,
			0.12,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.value.Min, tc.value.Max = 1000, 1000
			g := compile(t, 1, one(tc.value))
			var raw []byte
			for record := range int64(1000) {
				raw = g.Append(raw, record)
			}
			var compressed bytes.Buffer
			w := gzip.NewWriter(&compressed)
			_, _ = w.Write(raw)
			_ = w.Close()
			if share := float64(compressed.Len()) / float64(len(raw)); share < tc.min || share > tc.max {
				t.Errorf("gzip leaves %.3f of the bytes, not %v to %v", share, tc.min, tc.max)
			}
		})
	}
}

func TestADocumentThatIsMadeTwiceIsTheSame(t *testing.T) {
	g := compile(t, 1, fixture)
	for record := range int64(50) {
		document := g.Append(nil, record)
		if !bytes.Equal(document, g.Append(nil, record)) {
			t.Errorf("record %d differs when it is made a second time", record)
		}
		if bytes.Equal(document, g.AppendRevision(nil, record, 1)) {
			t.Errorf("record %d: no difference to another revision", record)
		}
	}
}
