package infer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// sampleOf makes documents and looks at them.
func sampleOf(t *testing.T, settings Settings, count int, document func(i int) bson.D) *Sample {
	t.Helper()
	sample := NewSample(settings)
	for i := range count {
		raw, err := bson.Marshal(document(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := sample.Add(raw); err != nil {
			t.Fatal(err)
		}
	}
	return sample
}

// lines are what is written of the fields, each on a line of its own, without notes.
func lines(t *testing.T, collection benchv1alpha1.Collection) map[string]string {
	t.Helper()
	byName := map[string]string{}
	for _, field := range collection.Fields {
		byName[field.Name] = strings.TrimSuffix(strings.TrimPrefix(flow(field), "{name: "+flow(field.Name)+", "), "}")
	}
	return byName
}

func notesOf(notes []Note) string {
	var text strings.Builder
	for _, note := range notes {
		fmt.Fprintf(&text, "%s: %s\n", note.Field, note.Text)
	}
	return text.String()
}

// The documents of the tests are the same in every run.
var (
	source = rand.NewPCG(1, 2)
	random = rand.New(source)
	steep  = rand.NewZipf(random, 1.2, 1, 99)
	start  = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
)

// letters are random ones.
func letters(length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[random.IntN(64)]
	}
	return string(text)
}

func uuid(int) any {
	content := make([]byte, 16)
	for i := range content {
		content[i] = byte(random.IntN(256))
	}
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: content}
}

var inferredFields = map[string]struct {
	value     func(i int) any
	want      string
	wantNotes []string
}{
	"ObjectIDs": {func(int) any { return bson.NewObjectID() }, "type: ObjectID", nil},
	"UUIDs":     {uuid, "type: UUID", nil},
	"a number that counts": {
		func(i int) any { return int64(100 + 3*i) }, "type: Sequence, sequence: {start: 100, step: 3}", nil,
	},
	"a small number that counts": {
		func(i int) any { return int32(i) },
		"type: Int, distribution: {type: Sequential}, integer: {min: 0, max: 1999}", nil,
	},
	"numbers of a range, evenly": {
		func(i int) any { return int32(i * 7 % 500) }, "type: Int, integer: {min: 0, max: 499}", nil,
	},
	"few numbers of a range, evenly": {
		func(i int) any { return int64(i%5 + 1) }, "type: Long, integer: {min: 1, max: 5}", nil,
	},
	"few numbers, unevenly": {
		func(i int) any { return int32(i % 4 / 3 * 50) },
		`type: Choice, choice: {values: [{value: 0, weight: 1500}, {value: 50, weight: 500}]}`, nil,
	},
	"numbers by no law": {
		func(i int) any { return int64(i%2*1000 + i%100) }, "type: Long, integer: {min: 0, max: 1099}",
		[]string{"neither evenly distributed"},
	},
	"numbers by a law steeper than any that is generated": {
		func(int) any { return int64(steep.Uint64()) }, "type: Long, integer: {min: 0, max: 99}",
		[]string{"neither evenly distributed"},
	},
	"doubles": {
		func(i int) any { return float64(i*7%2000)/8 - 100 }, `type: Double, double: {min: "-100", max: "149.875"}`, nil,
	},
	"whole doubles": {
		func(i int) any { return float64(i * 7 % 2000) }, `type: Double, double: {min: "0", max: "1999"}`,
		[]string{"whole numbers"},
	},
	"booleans": {func(i int) any { return i%4 == 0 }, "type: Bool, bool: {truePercent: 25}", nil},
	"dates": {
		func(i int) any { return start.Add(time.Duration(i*7%2000) * time.Minute) },
		`type: Date, date: {min: "2024-05-01T00:00:00Z", max: "2024-05-02T09:19:00Z"}`, nil,
	},
	"texts": {
		func(i int) any { return letters(5 + i%20) }, "type: String, bytes: {minLength: 5, maxLength: 24}", nil,
	},
	"texts that compress well": {
		func(int) any { return letters(20) + strings.Repeat("x", 20) },
		"type: String, bytes: {minLength: 40, maxLength: 40, compressiblePercent: 45}", nil,
	},
	"texts that are mostly short": {
		func(i int) any {
			if i%100 == 0 {
				return letters(500)
			}
			return letters(10)
		},
		"type: String, bytes: {minLength: 10, maxLength: 20}",
		[]string{"lengths from 10 to 500 that lean to one end"},
	},
	"texts that are a number after a prefix": {
		func(i int) any { return fmt.Sprintf("user%06d", i) }, "type: Serial, serial: {prefix: user, digits: 6}", nil,
	},
	"texts with the hash of a number": {
		func(int) any { return fmt.Sprint("user", random.Uint64()) },
		"type: Serial, serial: {prefix: user, order: Hashed}", nil,
	},
	"few texts": {
		func(i int) any { return []string{"red", "red", "blue"}[i%3] },
		`type: Choice, choice: {values: [{value: red, weight: 1334}, {value: blue, weight: 666}]}`, nil,
	},
	"a rare text among few": {
		func(i int) any { return map[bool]string{true: "secret", false: "usual"}[i == 7] },
		`type: Choice, choice: {values: [{value: usual}]}`,
		[]string{"1 more values that were seen less than 3 times"},
	},
	"some hundreds of texts": {
		func(i int) any { return fmt.Sprintf("%016x", i%300) }, "type: String, bytes: {minLength: 16, maxLength: 16, " +
			"compressiblePercent: 95}",
		[]string{"300 different values in a sample of 2000"},
	},
	"binaries": {
		func(int) any { return bson.Binary{Data: []byte(letters(30))} },
		"type: Binary, bytes: {minLength: 30, maxLength: 30, compressiblePercent: 25}", nil,
	},
	"nulls": {
		func(int) any { return nil }, `type: Choice, choice: {values: [{value: {"$json": "null"}}]}`, nil,
	},
	"empty documents": {func(int) any { return bson.D{} }, `type: Choice, choice: {values: [{value: {}}]}`, nil},
	"empty arrays":    {func(int) any { return bson.A{} }, `type: Choice, choice: {values: [{value: []}]}`, nil},
	"a type of its own": {
		func(i int) any { return bson.JavaScript(strconv.Itoa(i)) }, "type: Long", []string{"is of type javascript"},
	},
	"numbers and some nulls": {
		func(i int) any { return map[bool]any{true: nil, false: int64(i * i)}[i%10 == 0] },
		// Squares are by Zipf's law with a skew of a half.
		"type: Long, nullPercent: 10, distribution: {type: Zipfian, zipfian: {thetaThousandths: 500}}, " +
			"integer: {min: 1, max: 3996001}", nil,
	},
	"few values of several types": {
		func(i int) any { return []any{int64(1), "a", "a", nil}[i%4] },
		`type: Choice, choice: {values: [{value: a, weight: 1000}, {value: {"$json": "null"}, weight: 500}, ` +
			`{value: {"$numberLong": "1"}, weight: 500}]}`, nil,
	},
	"arrays of numbers": {
		func(i int) any {
			array := make(bson.A, 1+i%3)
			for j := range array {
				array[j] = int32((i*7 + j) % 1000)
			}
			return array
		},
		"type: Array, array: {minItems: 1, maxItems: 3, element: {type: Int, integer: {min: 0, max: 999}}}", nil,
	},
	"arrays of documents": {
		func(i int) any {
			return bson.A{bson.D{
				{Key: "n", Value: int32(i * 7 % 500)},
				{Key: "in", Value: bson.D{{Key: "b", Value: i%2 == 0}}},
				{Key: "list", Value: bson.A{1}},
			}}
		},
		"type: Array, array: {minItems: 1, maxItems: 1, element: {type: Document, document: {fields: [" +
			"{name: \"n\", type: Int, integer: {min: 0, max: 499}}, {name: in.b, type: Bool, bool: {truePercent: 50}}, " +
			"{name: \"list[1]\", type: Choice, choice: {values: [{value: 1}]}}]}}}", nil,
	},
	"timestamps": {
		func(i int) any { return bson.Timestamp{T: uint32(1_700_000_000 + i), I: 1} },
		`type: Timestamp, date: {min: "2023-11-14T22:13:20Z", max: "2023-11-14T22:46:39Z"}`, nil,
	},
	"regular expressions": {
		func(int) any { return bson.Regex{Pattern: letters(9)} }, "type: Regex", nil,
	},
	"decimals": {
		func(i int) any { return bson.NewDecimal128((6176-2)<<49, uint64(i*37%2000)) },
		`type: Decimal128, decimal: {min: "0", max: "19.99", scale: 2}`, nil,
	},
	"points": {
		func(i int) any {
			return bson.D{{Key: "type", Value: "Point"}, {Key: "coordinates", Value: bson.A{
				8 + float64(i)/2001, 47 + float64(i)/4001,
			}}}
		},
		`type: GeoPoint, geo: {minLongitude: "8", maxLongitude: "9", minLatitude: "47", maxLatitude: "47.5"}`,
		[]string{"spread evenly over their box"},
	},
	"vectors": {
		func(i int) any { return eighths(i, -500) }, "type: Vector, vector: {dimensions: 48}",
		[]string{"gather around points of their own"},
	},
	"quantities, as many in each": {
		func(i int) any { return eighths(i, 0) },
		`type: Array, array: {minItems: 48, maxItems: 48, element: {type: Double, double: {min: "0", max: "999.875"}}}`,
		[]string{"hardly repeat"},
	},
	"something else with a type": {
		func(i int) any { return bson.D{{Key: "type", Value: "Point"}, {Key: "n", Value: int32(i * 7 % 500)}} },
		"", nil,
	},
	"mail addresses": {
		func(int) any { return strings.ToLower(letters(8)) + "@" + letters(5) + ".org" }, "type: Fake, fake: Email", nil,
	},
	"postal addresses": {
		func(i int) any { return fmt.Sprintf("%d Main Road, Town %s, Country", i, letters(9)) },
		"type: Fake, fake: Address", nil,
	},
	"sentences of several languages": {
		func(i int) any {
			words := [][]string{{"дом", "моего", "дяди"}, {"the", "house", "of"}, {"και", "το", "σπίτι"}}[i%3]
			return sentence(8, words...)
		},
		"type: Words, words: {minWords: 8, maxWords: 8, language: Mixed}", nil,
	},
	"addresses of pages": {func(int) any { return "https://a.example/" + letters(9) }, "type: Fake, fake: URL", nil},
	"addresses of hosts": {
		func(int) any { return fmt.Sprintf("10.%d.%d.7", random.IntN(256), random.IntN(256)) }, "type: Fake, fake: IPv4", nil,
	},
	"browsers": {func(int) any { return "Mozilla/5.0 (X11) " + letters(9) }, "type: Fake, fake: UserAgent", nil},
	"telephone numbers": {
		func(int) any { return fmt.Sprintf("+49 30 %07d", random.IntN(10_000_000)) }, "type: Fake, fake: Phone", nil,
	},
	"sentences": {
		func(int) any {
			return sentence(5+random.IntN(11), "the", "house", "of", "my", "uncle", "has", "windows")
		},
		"type: Words, words: {minWords: 5, maxWords: 15}", nil,
	},
	"sentences in Russian": {
		func(int) any {
			return sentence(4+random.IntN(3), "дом", "моего", "дяди", "без", "окон")
		},
		"type: Words, words: {minWords: 4, maxWords: 6, language: Russian}", nil,
	},
	"sentences in German": {
		func(int) any { return sentence(6, "das", "große", "Haus", "hat", "schöne", "Türen", "für", "uns") },
		"type: Words, words: {minWords: 6, maxWords: 6, language: German}", nil,
	},
	"arrays of arrays": {func(int) any { return bson.A{bson.A{1}} }, "", nil},
}

// inferredSeveral are the fields where a value is declared by several, or by another name.
var inferredSeveral = map[string]map[string]string{
	"something else with a type": {
		"value.type": "type: Choice, choice: {values: [{value: Point}]}", "value.n": "type: Int, integer: {min: 0, max: 499}",
	},
	"arrays of arrays": {"value[1][1]": "type: Choice, choice: {values: [{value: 1}]}"},
}

// sentence is made of some of the words.
func sentence(count int, words ...string) string {
	chosen := make([]string, count)
	for i := range chosen {
		chosen[i] = words[random.IntN(len(words))]
	}
	return strings.Join(chosen, " ") + "."
}

// checkNotes wants as many notes as there are texts, each text in one.
func checkNotes(t *testing.T, notes []Note, want []string) {
	t.Helper()
	if len(notes) != len(want) {
		t.Errorf("notes are %q, want %d", notesOf(notes), len(want))
	}
	for _, text := range want {
		if !strings.Contains(notesOf(notes), text) {
			t.Errorf("notes are %q, want one with %q", notesOf(notes), text)
		}
	}
}

func TestFieldsAreInferred(t *testing.T) {
	const documents = 2000
	for name, tc := range inferredFields {
		t.Run(name, func(t *testing.T) {
			// Whatever case came before.
			source.Seed(1, 2)
			sample := sampleOf(t, Settings{MaxChoices: 20}, documents, func(i int) bson.D {
				return bson.D{{Key: "_id", Value: int64(i)}, {Key: "value", Value: tc.value(i)}}
			})
			collection, notes := sample.Collection(About{Name: "c", Documents: documents})
			want := map[string]string{"_id": "type: Sequence, sequence: {start: 0, step: 1}", "value": tc.want}
			if several, ok := inferredSeveral[name]; ok {
				delete(want, "value")
				maps.Copy(want, several)
			}
			if got := lines(t, collection); !cmp.Equal(got, want) {
				t.Errorf("fields differ: %s", cmp.Diff(want, got))
			}
			checkNotes(t, notes, tc.wantNotes)
			if _, err := Generated(benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{collection}}); err != nil {
				t.Error(err)
			}
		})
	}
}

// eighths are 48 numbers from the least one to 999.875 above it.
func eighths(i int, least float64) bson.A {
	numbers := make(bson.A, 48)
	for k := range numbers {
		numbers[k] = least + float64((48*i+k)%8000)/8
	}
	return numbers
}
