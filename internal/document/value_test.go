package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
)

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		written benchv1alpha1.Document
		want    string
		// wantKept is the document in the form in which it was read; empty for as written.
		wantKept benchv1alpha1.Document
	}{
		"an object":           {`{"b": 1, "a": [true, null]}`, `{"b":1,"a":[true,null]}`, `{"b":1,"a":[true,null]}`},
		"digits of numbers":   {`{"a":1.50,"b":12345678901234567890}`, `{"a":1.50,"b":12345678901234567890}`, ""},
		"a string":            {benchv1alpha1.Verbatim(`{"b":1,"a":2}`), `{"b":1,"a":2}`, ""},
		"a value in a string": {`{"a":{"$json":"{\"b\":1,\"a\":2}"}}`, `{"a":{"b":1,"a":2}}`, ""},
		"a text in a string":  {`{"a":{"$json":"\"b\""}}`, `{"a":"b"}`, ""},
		"strings in strings": {
			benchv1alpha1.Verbatim(`{"a":{"$json":"[1]"}}`), `{"a":[1]}`, benchv1alpha1.Verbatim(`{"a":[1]}`),
		},
		"all in a string": {`{"$json":"[{\"a\":1}]"}`, `[{"a":1}]`, benchv1alpha1.Verbatim(`[{"a":1}]`)},
		"escapes of HTML": {`{"a":"\u003cb\u003e"}`, `{"a":"<b>"}`, `{"a":"<b>"}`},
		"other letters":   {`{"ä":"\"\\\n"}`, `{"ä":"\"\\\n"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := document.Read(tc.written)
			if err != nil {
				t.Fatal(err)
			}
			if got := value.JSON(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			want := tc.wantKept
			if want == "" {
				want = tc.written
			}
			if got := value.Document(); got != want {
				t.Errorf("kept as %s, want %s", got, want)
			}
		})
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	nested := func(levels int) benchv1alpha1.Document {
		return benchv1alpha1.Document(strings.Repeat("[", levels) + strings.Repeat("]", levels))
	}
	if _, err := document.Read(nested(100)); err != nil {
		t.Errorf("100 levels: %v", err)
	}
	for name, tc := range map[string]struct {
		written benchv1alpha1.Document
		want    string
	}{
		"an end that is missing": {benchv1alpha1.Verbatim(`{"a": `), "it ends too early"},
		"no JSON":                {benchv1alpha1.Verbatim(`{a: 1}`), "is no JSON: at byte 2"},
		"more than one value":    {benchv1alpha1.Verbatim(`{} {}`), "something after its end"},
		"nothing":                {benchv1alpha1.Verbatim(""), "it ends too early"},
		"a key twice":            {benchv1alpha1.Verbatim(`{"a": [{"b": 1, "b": 2}]}`), `has the key "b" twice`},
		"too many levels":        {nested(101), "more than 100 levels"},
		"levels in a string":     {`[{"$json":"` + nested(99) + `"}]`, "more than 100 levels"},
		"a string beside others": {`{"a":{"$json":"1","b":2}}`, "nothing else in the braces"},
		"a string that is none":  {`{"a":{"$json":1}}`, "nothing else in the braces"},
		"a string of no JSON":    {`{"a":{"$json":"{"}}`, "has a {$json: ...} that is no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := document.Read(tc.written); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
		})
	}
}

// FuzzRead: whatever is written as a document is kept in the same form, means JSON, and means the same when it is read
// again.
func FuzzRead(f *testing.F) {
	f.Add(`{"a": {"$json": "{\"b\": [1.5, null]}"}}`)
	f.Add(`"{\"b\": 1, \"a\": \"<\"}"`)
	f.Add(`[{"$sort": {"a": 1}}, {"$key": "_id"}]`)
	f.Add("\"\\ud800\u2028\"")
	f.Fuzz(func(t *testing.T, text string) {
		var written benchv1alpha1.Document
		if json.Unmarshal([]byte(text), &written) != nil || written == "" {
			return
		}
		encoded, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		var again benchv1alpha1.Document
		if err := json.Unmarshal(encoded, &again); err != nil || again != written {
			t.Errorf("%s became %s: %v", written, again, err)
		}
		value, err := document.Read(written)
		if err != nil {
			return
		}
		if !json.Valid([]byte(value.JSON())) {
			t.Errorf("%s means %s, which is no JSON", written, value.JSON())
		}
		kept, err := document.Read(value.Document())
		if err != nil || kept.JSON() != value.JSON() {
			t.Errorf("%s means %s, and then %s: %v", written, value.JSON(), kept.JSON(), err)
		}
	})
}
