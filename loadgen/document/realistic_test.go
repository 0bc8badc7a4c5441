package document_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

// personSeed is that of the fields that belong to one person.
const personSeed = 4711

func fake(name string, kind benchv1alpha1.FakeKind) planv1.Field {
	return planv1.Field{Name: name, Value: planv1.Value{
		Type: benchv1alpha1.GeneratorFake, Seed: personSeed, Fake: kind,
	}}
}

func optional(percent int, f planv1.Field) planv1.Field {
	f.PresencePercent = percent
	return f
}

// realistic is a customer as applications keep them: 20 fields, names, mails, dates and optional ones, about 1 KB.
var realistic = planv1.Collection{Name: "customers", Fields: []planv1.Field{
	fake("name.first", benchv1alpha1.FakeFirstName),
	fake("name.last", benchv1alpha1.FakeLastName),
	fake("email", benchv1alpha1.FakeEmail),
	optional(60, fake("phone", benchv1alpha1.FakePhone)),
	optional(30, fake("company", benchv1alpha1.FakeCompany)),
	fake("address.line", benchv1alpha1.FakeAddress),
	fake("address.city", benchv1alpha1.FakeCity),
	fake("address.country", benchv1alpha1.FakeCountry),
	optional(80, field("address.at", planv1.Value{
		Type: benchv1alpha1.GeneratorGeoPoint, Distribution: planv1.Distribution{Type: "Zipfian", Theta: 0.9},
		Geo: &planv1.Geo{
			West: -100_000_000, East: 300_000_000, South: 350_000_000, North: 600_000_000, Clusters: 50, RadiusMeters: 20_000,
		},
	})),
	optional(20, fake("homepage", benchv1alpha1.FakeURL)),
	fake("lastLogin.agent", benchv1alpha1.FakeUserAgent),
	fake("lastLogin.ip", benchv1alpha1.FakeIPv4),
	field("lastLogin.at", planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 1577836800000, Max: 1893456000000}),
	field("created", planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: 1577836800000, Max: 1893456000000}),
	optional(10, field("deleted", planv1.Value{
		Type: benchv1alpha1.GeneratorDate, NullPercent: 50, Min: 1577836800000, Max: 1893456000000,
	})),
	field("balance", planv1.Value{Type: benchv1alpha1.GeneratorDecimal, Min: -99_999, Max: 9_999_999, Scale: 2}),
	field("oplog", planv1.Value{Type: benchv1alpha1.GeneratorTimestamp, Max: 1893456000000}),
	field("notes", planv1.Value{
		Type: benchv1alpha1.GeneratorWords, Min: 60, Max: 90, Language: benchv1alpha1.LanguageEnglish,
	}),
	optional(50, field("pattern", planv1.Value{Type: benchv1alpha1.GeneratorRegex, Min: 4, Max: 12})),
	field("referredBy", planv1.Value{
		Type: benchv1alpha1.GeneratorReference, NullPercent: 70,
		Reference: &planv1.Reference{
			Collection: "partners", Field: "_id", Documents: 1000, OrphanPercent: 5,
			Of: planv1.Value{Type: benchv1alpha1.GeneratorUUID, Seed: 3},
		},
	}),
}}

func TestRealisticDocumentsStayTheSame(t *testing.T) {
	hash, total := sha256.New(), 0
	for _, language := range []benchv1alpha1.Language{
		benchv1alpha1.LanguageEnglish, benchv1alpha1.LanguageMixed,
	} {
		c := realistic
		c.Fields = append(append([]planv1.Field{}, c.Fields...), field("more", planv1.Value{
			Type: benchv1alpha1.GeneratorWords, Min: 1, Max: 9, Language: language,
		}))
		g := compile(t, 42, c)
		for record := range int64(2000) {
			raw := g.Append(nil, record)
			total += len(raw)
			_, _ = hash.Write(raw)
		}
	}
	const want = "719eafd89b04c89683ef07c85eafcdd2ad13abbfbe07703aa748afc026c9db30"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("hash is %s, not %s", got, want)
	}
	if mean := total / 4000; mean < 900 || mean > 1150 {
		t.Errorf("documents have %d bytes on average, not about 1 KB", mean)
	}
}

// tenths are the shares of ten equal parts.
func tenths() []float64 {
	return []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}
}

const documents = 20_000

// count makes documents with one field v, and counts in which cell each falls. -1 is none.
func count(t *testing.T, cells int, f planv1.Field, cell func(record int64, v any, present bool) int) []int {
	t.Helper()
	f.Name = "v"
	g := compile(t, 1, planv1.Collection{Name: "one", Fields: []planv1.Field{f}})
	counts := make([]int, cells)
	for record := range int64(documents) {
		v, present := decode(t, g.Append(nil, record))["v"]
		if at := cell(record, v, present); at >= 0 {
			counts[at]++
		}
	}
	return counts
}

func TestFieldsAreMissingAndNullAsOftenAsDeclared(t *testing.T) {
	f := planv1.Field{Value: planv1.Value{
		Type: benchv1alpha1.GeneratorBool, TruePercent: 50, PresencePercent: 70, NullPercent: 20,
	}}
	counts := count(t, 4, f, func(_ int64, v any, present bool) int {
		switch {
		case !present:
			return 0
		case v == nil:
			return 1
		case v == true:
			return 2
		default:
			return 3
		}
	})
	// Independent of one another: of the 70 % that are there a fifth is null, and half of the others true.
	keydisttest.RequireFit(t, counts, []float64{.30, .14, .28, .28})
}

func TestWhetherAFieldIsThereChangesNoValue(t *testing.T) {
	v := planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 8, Max: math.MaxInt64 - 1}
	often := v
	often.PresencePercent, often.NullPercent = 60, 10
	all, some := compile(t, 1, one(v)), compile(t, 1, one(often))
	index, _ := some.FieldIndex("v")
	there := 0
	for record := range int64(1000) {
		want, got := decode(t, all.Append(nil, record)), decode(t, some.Append(nil, record))
		value, present := got["v"]
		if present && value != nil {
			there++
			if value != want["v"] {
				t.Fatalf("record %d has %v, and with all present %v", record, value, want["v"])
			}
		}
		// What a filter for the field's value has of a document without it.
		if bsonType, alone := some.AppendValue(nil, index, record); !present &&
			(bsonType != byte(bson.TypeNull) || len(alone) != 0) {
			t.Fatalf("record %d is without the field, and alone it is of type %d", record, bsonType)
		}
	}
	if there < 400 || there > 680 {
		t.Errorf("%d of 1000 documents have a value, not about 540", there)
	}
}

func TestDecimalsFillTheirRange(t *testing.T) {
	f := planv1.Field{Value: planv1.Value{Type: benchv1alpha1.GeneratorDecimal, Min: -50, Max: 49, Scale: 1}}
	counts := count(t, 10, f, func(_ int64, v any, _ bool) int {
		number, exponent, err := v.(bson.Decimal128).BigInt()
		if err != nil || exponent != -1 {
			t.Fatalf("%v: exponent %d, error %v", v, exponent, err)
		}
		return int(number.Int64()+50) / 10
	})
	keydisttest.RequireFit(t, counts, tenths())
	for text, v := range map[string]planv1.Value{
		"-12.50": {Min: -1250, Max: -1250, Scale: 2}, "0": {}, "999999999999999999": {Min: 1e18 - 1, Max: 1e18 - 1},
		"0.000000000000000001": {Min: 1, Max: 1, Scale: 18},
	} {
		v.Type = benchv1alpha1.GeneratorDecimal
		want, err := bson.ParseDecimal128(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := decode(t, compile(t, 1, one(v)).Append(nil, 7))["v"]; got != want {
			t.Errorf("%s is %v", text, got)
		}
	}
}

func reference(r planv1.Reference, d planv1.Distribution) planv1.Field {
	r.Collection, r.Field = "parents", "_id"
	r.Of = planv1.Value{Type: benchv1alpha1.GeneratorSequence, Start: 1000, Step: 10}
	return planv1.Field{Value: planv1.Value{Type: benchv1alpha1.GeneratorReference, Distribution: d, Reference: &r}}
}

func TestReferencesAreToLoadedDocuments(t *testing.T) {
	parent := func(_ int64, v any, _ bool) int {
		x := v.(int64)
		if x%10 != 0 {
			t.Fatalf("%d is no value of the other collection", x)
		}
		return int(x-1000) / 10
	}
	even := count(t, 10, reference(planv1.Reference{Documents: 10}, planv1.Distribution{}), parent)
	keydisttest.RequireFit(t, even, tenths())

	skewed := count(t, 10, reference(planv1.Reference{Documents: 10},
		planv1.Distribution{Type: "HotSpot", HotRange: .2, HotDraws: .8}), parent)
	keydisttest.RequireFit(t, skewed, []float64{.4, .4, .025, .025, .025, .025, .025, .025, .025, .025})

	count(t, 1, reference(planv1.Reference{Documents: 100, DocumentsPerKey: 3}, planv1.Distribution{}),
		func(record int64, v any, present bool) int {
			if got, want := parent(record, v, present), int(record/3%100); got != want {
				t.Fatalf("record %d refers to %d, not %d", record, got, want)
			}
			return 0
		})

	orphans := count(t, 2, reference(planv1.Reference{Documents: 10, OrphanPercent: 25}, planv1.Distribution{}),
		func(record int64, v any, present bool) int {
			if parent(record, v, present) < 10 {
				return 0
			}
			return 1
		})
	keydisttest.RequireFit(t, orphans, []float64{.75, .25})
}

// The value is the one that the other collection's generator makes, for every type that can be referred to.
func TestAReferenceIsTheValueOfTheOtherCollection(t *testing.T) {
	for _, of := range fixture.Fields {
		if of.Type == benchv1alpha1.GeneratorDocument || strings.Contains(of.Name, ".") {
			continue
		}
		parents := compile(t, 5, fixture)
		children := compile(t, 5, one(planv1.Value{Type: benchv1alpha1.GeneratorReference, Reference: &planv1.Reference{
			Collection: fixture.Name, Field: of.Name, Documents: 50, DocumentsPerKey: 2, Of: of.Value,
		}}))
		for record := range int64(120) {
			want := bson.Raw(parents.Append(nil, record/2%50)).Lookup(of.Name)
			if got := bson.Raw(children.Append(nil, record)).Lookup("v"); !got.Equal(want) {
				t.Fatalf("record %d: %s is %v, in its collection %v", record, of.Name, got, want)
			}
		}
	}
}

func TestPointsSpreadOrGather(t *testing.T) {
	box := planv1.Geo{West: -1_800_000_000, East: 1_799_999_999, South: -100_000_000, North: 99_999_999}
	longitude := func(_ int64, v any, _ bool) int {
		return int((v.(bson.D)[1].Value.(bson.A)[0].(float64) + 180) / 36)
	}
	spread := planv1.Field{Value: planv1.Value{Type: benchv1alpha1.GeneratorGeoPoint, Geo: &box}}
	keydisttest.RequireFit(t, count(t, 10, spread, longitude), tenths())

	// Of two places the first gets 80 % of the points, which all lie within the radius.
	gathered := box
	gathered.Clusters, gathered.RadiusMeters = 2, 5000
	f := planv1.Field{Value: planv1.Value{
		Type: benchv1alpha1.GeneratorGeoPoint, Geo: &gathered,
		Distribution: planv1.Distribution{Type: "HotSpot", HotRange: .5, HotDraws: .8},
	}}
	var centers [][2]float64
	counts := count(t, 2, f, func(_ int64, v any, _ bool) int {
		at := v.(bson.D)[1].Value.(bson.A)
		east, north := at[0].(float64), at[1].(float64)
		for i, center := range centers {
			// Twice the radius, for the first point that is met may lie at the edge.
			if math.Abs(north-center[1]) < 0.091 && math.Abs(east-center[0])*math.Cos(north*math.Pi/180) < 0.091 {
				return i
			}
		}
		centers = append(centers, [2]float64{east, north})
		return len(centers) - 1
	})
	if counts[0] < counts[1] {
		counts[0], counts[1] = counts[1], counts[0]
	}
	keydisttest.RequireFit(t, counts, []float64{.8, .2})
}

func TestFakesOfOneSeedBelongTogether(t *testing.T) {
	g := compile(t, 1, realistic)
	letters := func(name string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
	}
	mails := map[string]bool{}
	for record := range int64(5000) {
		doc := bson.Raw(g.Append(nil, record))
		mail := doc.Lookup("email").StringValue()
		want := letters(doc.Lookup("name", "first").StringValue()) + "." + letters(doc.Lookup("name", "last").StringValue())
		if !strings.HasPrefix(mail, want) {
			t.Fatalf("record %d: %s is no mail address of %s", record, mail, want)
		}
		if city := doc.Lookup("address", "city").StringValue(); !strings.Contains(
			doc.Lookup("address", "line").StringValue(), ", "+city+", ") {
			t.Fatalf("record %d: the address is in another city than %s", record, city)
		}
		mails[mail] = true
	}
	if len(mails) < 4900 {
		t.Errorf("of 5000 mail addresses %d differ", len(mails))
	}
}

// words are a text of so many bytes at least.
func words(t *testing.T, language benchv1alpha1.Language, least int) string {
	t.Helper()
	g := compile(t, 1, one(planv1.Value{Type: benchv1alpha1.GeneratorWords, Min: 30, Max: 80, Language: language}))
	var text strings.Builder
	for record := int64(0); text.Len() < least; record++ {
		text.WriteString(decode(t, g.Append(nil, record))["v"].(string) + "\n")
	}
	return text.String()
}

// left is which share of its bytes flate leaves of a text, in blocks of 32 KiB as WiredTiger has.
func left(t *testing.T, text string) float64 {
	t.Helper()
	const block = 32 << 10
	var compressed bytes.Buffer
	blocks := len(text) / block
	for i := range blocks {
		w, err := flate.NewWriter(&compressed, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(text[i*block : (i+1)*block]))
		_ = w.Close()
	}
	return float64(compressed.Len()) / float64(blocks*block)
}

// The pages of this project's documentation are the text that everybody has who runs the tests.
func TestWordsCompressAsTextsDo(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	var written strings.Builder
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			// Prose, and neither tables nor what programs read.
			if unicode.IsUpper(rune(line[0])) && len(line) > 80 {
				written.WriteString(line)
			}
		}
	}
	texts := left(t, written.String())
	for _, language := range []benchv1alpha1.Language{
		benchv1alpha1.LanguageEnglish, benchv1alpha1.LanguageGerman, benchv1alpha1.LanguageFrench,
		benchv1alpha1.LanguageRussian, benchv1alpha1.LanguageGreek, benchv1alpha1.LanguageChinese,
	} {
		made := left(t, words(t, language, 500_000))
		t.Logf("%s: flate leaves %.3f, of the pages of docs/ %.3f", language, made, texts)
		if made < 0.7*texts || made > 1.3*texts {
			t.Errorf("%s: flate leaves %.3f of generated words, and of texts %.3f", language, made, texts)
		}
	}
}

func TestWordsComeByZipfsLaw(t *testing.T) {
	counts := map[string]int{}
	total := 0
	for word := range strings.FieldsSeq(words(t, benchv1alpha1.LanguageEnglish, 2_000_000)) {
		counts[strings.ToLower(strings.Trim(word, ".,"))]++
		total++
	}
	// The sum of 1/(r+2.7) over the 4096 ranks, by which each is divided.
	var sum float64
	for rank := range 4096 {
		sum += 1 / (float64(rank) + 2.7)
	}
	for rank, word := range []string{"the", "of", "and", "to", "in", "a", "is", "that"} {
		want := float64(total) / sum / (float64(rank) + 2.7)
		if got := float64(counts[word]); math.Abs(got-want) > 5*math.Sqrt(want)+0.02*want {
			t.Errorf("%q comes %v times, not about %.0f", word, got, want)
		}
	}
	if len(counts) < 4000 {
		t.Errorf("%d words of 4096 were seen", len(counts))
	}
}

func TestMixedWordsAreOfAllLanguages(t *testing.T) {
	scripts := map[string]*unicode.RangeTable{
		"Cyrillic": unicode.Cyrillic, "Greek": unicode.Greek, "Han": unicode.Han, "Latin": unicode.Latin,
	}
	seen := map[string]int{}
	values := 0
	for value := range strings.Lines(words(t, benchv1alpha1.LanguageMixed, 300_000)) {
		values++
		for script, table := range scripts {
			if strings.ContainsFunc(value, func(r rune) bool { return unicode.Is(table, r) }) {
				seen[script]++
			}
		}
	}
	total := 0
	for _, n := range seen {
		total += n
	}
	if len(seen) != len(scripts) || total != values {
		t.Errorf("%d values are of %v: each is of one script, and all come", values, seen)
	}
}
