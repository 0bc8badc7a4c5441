package verify

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestADifferenceNamesTheFirstFieldThatDiffers(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, tc := range map[string]struct{ want, got, field, wanted, gotten string }{
		"the same fields": {`{"a": 1}`, `{"a": 1}`, whole, `{"a": {"$numberInt":"1"}}`, "other bytes"},
		"another value": {
			`{"a": 1, "b": 2, "c": 3}`, `{"a": 1, "b": 5, "c": 6}`, "b", `{"$numberInt":"2"}`, `{"$numberInt":"5"}`,
		},
		"another type":   {`{"a": 1}`, `{"a": "1"}`, "a", `{"$numberInt":"1"}`, `"1"`},
		"a nested field": {`{"a": {"b": {"c": 1}}}`, `{"a": {"b": {"c": 2}}}`, "a.b.c", `"1"`, `"2"`},
		"an element of an array": {
			`{"a": [1, {"b": 1}]}`, `{"a": [1, {"b": 2}]}`, "a.1.b", `{"$numberInt":"1"}`, `{"$numberInt":"2"}`,
		},
		"a field too few":    {`{"a": 1, "b": 1}`, `{"a": 1}`, "b", `{"$numberInt":"1"}`, ""},
		"a field too many":   {`{"a": 1}`, `{"a": 1, "b": 1}`, "b", "", `{"$numberInt":"1"}`},
		"another order":      {`{"a": 1, "b": 1}`, `{"b": 1, "a": 1}`, "a", `{"$numberInt":"1"}`, "not in this place: b is"},
		"an element too few": {`{"a": [1, 2]}`, `{"a": [1]}`, "a.1", `{"$numberInt":"2"}`, ""},
		"a long value":       {`{"a": "` + long + `"}`, `{"a": "` + long + `y"}`, "a", `xxx...`, `xxx...`},
	} {
		t.Run(name, func(t *testing.T) {
			field, wanted, gotten := firstDifference("", raw(t, tc.want), raw(t, tc.got))
			if field != tc.field || !strings.Contains(wanted, tc.wanted) || !strings.Contains(gotten, tc.gotten) ||
				(tc.wanted == "") != (wanted == "") || (tc.gotten == "") != (gotten == "") || len(wanted)+len(gotten) > 300 {
				t.Errorf("field %s: %s, not %s; want field %s: %s, not %s", field, gotten, wanted, tc.field, tc.gotten, tc.wanted)
			}
		})
	}
}

func TestWhatIsNoDocumentDiffers(t *testing.T) {
	good, broken := raw(t, `{"a": 1}`), bson.Raw{5, 0, 0}
	for name, documents := range map[string][2]bson.Raw{"read": {good, broken}, "expected": {broken, good}} {
		if field, _, gotten := firstDifference("", documents[0], documents[1]); field != whole || gotten == "" {
			t.Errorf("%s: field %s is %q, want an error about the whole document", name, field, gotten)
		}
	}
}

func raw(tb testing.TB, text string) bson.Raw {
	tb.Helper()
	var document bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), false, &document); err != nil {
		tb.Fatal(err)
	}
	encoded, err := bson.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}
