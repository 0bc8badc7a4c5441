package document_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/document"
)

func TestADifferenceNamesTheFirstFieldThatDiffers(t *testing.T) {
	long := strings.Repeat("x", 1000)
	tests := map[string]struct{ want, got, text string }{
		"the same": {`{"a": 1, "b": {"c": [1]}}`, `{"a": 1, "b": {"c": [1]}}`, ""},
		"another value": {
			`{"a": 1, "b": 2, "c": 3}`, `{"a": 1, "b": 5, "c": 6}`, `field "b" is {"$numberInt":"5"}, not {"$numberInt":"2"}`,
		},
		"another type":           {`{"a": 1}`, `{"a": "1"}`, `field "a" is of type string, not 32-bit integer`},
		"a nested field":         {`{"a": {"b": {"c": 1}}}`, `{"a": {"b": {"c": 2}}}`, `field "a.b.c" is`},
		"an element of an array": {`{"a": [1, {"b": 1}]}`, `{"a": [1, {"b": 2}]}`, `field "a.1.b" is`},
		"a field too few":        {`{"a": 1, "b": 1}`, `{"a": 1}`, `field "b" is missing`},
		"a field too many":       {`{"a": 1}`, `{"a": 1, "b": 1}`, `field "b" should not be there`},
		"another order": {
			`{"a": 1, "b": 1}`, `{"b": 1, "a": 1}`, `field "a" is missing or not in its place, where field "b" is`,
		},
		"an element too few": {`{"a": [1, 2]}`, `{"a": [1]}`, `field "a.1" is missing`},
		"a long value":       {`{"a": "` + long + `"}`, `{"a": "` + long + `y"}`, `xxx..., not "xxx`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := document.Difference(raw(t, tc.want), raw(t, tc.got))
			if !strings.Contains(got, tc.text) || (tc.text == "") != (got == "") || len(got) > 300 {
				t.Errorf("difference is %q, wanted %q", got, tc.text)
			}
		})
	}
}

func TestWhatIsNoDocumentDiffers(t *testing.T) {
	good := raw(t, `{"a": 1}`)
	for name, got := range map[string]string{
		"read":     document.Difference(good, bson.Raw{5, 0, 0}),
		"expected": document.Difference(bson.Raw{5, 0, 0}, good),
	} {
		if !strings.Contains(got, "no BSON document") {
			t.Errorf("%s: difference is %q", name, got)
		}
	}
}

func TestADocumentThatWasMadeAgainDoesNotDiffer(t *testing.T) {
	g := compile(t, 1, fixture)
	for record := range int64(50) {
		if got := document.Difference(g.Append(nil, record), g.Append(nil, record)); got != "" {
			t.Errorf("record %d: %s", record, got)
		}
		if got := document.Difference(g.Append(nil, record), g.AppendRevision(nil, record, 1)); got == "" {
			t.Errorf("record %d: no difference to another revision", record)
		}
	}
}

func raw(tb testing.TB, text string) bson.Raw {
	tb.Helper()
	var doc bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), false, &doc); err != nil {
		tb.Fatal(err)
	}
	encoded, err := bson.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}
