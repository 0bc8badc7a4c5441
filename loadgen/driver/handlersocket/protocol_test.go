package handlersocket

import (
	"bytes"
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

func TestEveryByteComesBackAsItWas(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, want := range map[string][]byte{
		"none": {}, "all": all, "a zero alone": {0}, "the mark": {1}, "a tab and an end of line": []byte("\t\n"),
		"two of each": append(bytes.Clone(all), all...),
	} {
		t.Run(name, func(t *testing.T) {
			token := appendText(nil, want)
			if bytes.ContainsAny(token, "\x00\t\n\r") {
				t.Errorf("token %q has a byte with a meaning", token)
			}
			if got, isNull := Decode(nil, token); isNull || !bytes.Equal(got, want) {
				t.Errorf("got %q, null %t, want %q", got, isNull, want)
			}
		})
	}
	if _, isNull := Decode(nil, []byte{0}); !isNull {
		t.Error("a zero byte alone is no null")
	}
}

// encoded are the values of a document.
func encoded(tb testing.TB, values ...any) []sql.Value {
	tb.Helper()
	document := make(bson.D, 0, len(values))
	for _, value := range values {
		document = append(document, bson.E{Key: "v", Value: value})
	}
	raw, err := bson.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	found, err := sql.Flatten(nil, raw)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func TestValuesAreWrittenAsColumnsTakeThem(t *testing.T) {
	for name, tc := range map[string]struct {
		value any
		want  string
	}{
		"an int":             {int32(-5), "-5"},
		"a long":             {int64(math.MinInt64), "-9223372036854775808"},
		"a double":           {0.1, "0.1"},
		"a large double":     {math.MaxFloat64, "1.7976931348623157e+308"},
		"true":               {true, "1"},
		"false":              {false, "0"},
		"a date":             {bson.DateTime(1_700_000_000_123), "2023-11-14 22:13:20.123"},
		"a date before 1970": {bson.DateTime(-1), "1969-12-31 23:59:59.999"},
		"a text":             {"a\tb", "a\x01\x49b"},
		"an empty text":      {"", ""},
		"binary data":        {bson.Binary{Data: []byte{0, 255}}, "\x01\x40\xff"},
		"an ObjectID":        {bson.ObjectID{11: 16}, "\x01@\x01@\x01@\x01@\x01@\x01@\x01@\x01@\x01@\x01@\x01@\x10"},
		"null":               {nil, "\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := appendValue(nil, encoded(t, tc.value)[0])
			if err != nil || string(got) != tc.want {
				t.Errorf("got %q, error %v, want %q", got, err, tc.want)
			}
		})
	}
	for _, number := range []float64{math.NaN(), math.Inf(1)} {
		if got, err := appendValue(nil, encoded(t, number)[0]); err == nil {
			t.Errorf("%v was written as %q", number, got)
		}
	}
}

func TestIndexesAreOpenedByNumber(t *testing.T) {
	got := appendOpen(nil, 7, opening{
		database: "d", table: "t", index: "PRIMARY", columns: []string{"a", "b"}, filters: []string{"c"},
	})
	if want := "P\t7\td\tt\tPRIMARY\ta,b\tc\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzTextComesBackAsItWas(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("\x00\x01\x0f\x10\xff\t\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		token := appendText(nil, text)
		if bytes.ContainsAny(token, "\x00\t\n\r") {
			t.Fatalf("token %q has a byte with a meaning", token)
		}
		if got, isNull := Decode(nil, token); isNull || !bytes.Equal(got, text) {
			t.Fatalf("got %q, null %t, want %q", got, isNull, text)
		}
	})
}

// FuzzTokens: whatever a server sends as a value, taking it to pieces neither panics nor makes it longer.
func FuzzTokens(f *testing.F) {
	f.Add([]byte{1})
	f.Add([]byte{1, 1})
	f.Fuzz(func(t *testing.T, token []byte) {
		if got, _ := Decode(nil, token); len(got) > len(token) {
			t.Fatalf("%d bytes of a token of %d", len(got), len(token))
		}
	})
}
