package v1alpha1_test

import (
	"encoding/json"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// documentForms are documents in JSON, with the Extended JSON that they are.
var documentForms = map[string]struct{ written, text string }{
	"an object":             {`{"a":{"$gt":1}}`, `{"a":{"$gt":1}}`},
	"a list":                {`[{"$match":{"a":null}}]`, `[{"$match":{"a":null}}]`},
	"a string":              {`"{\"b\": 1, \"a\": 2}"`, `{"b":1,"a":2}`},
	"characters of HTML":    {`{"a":"<b> & c"}`, `{"a":"<b> & c"}`},
	"other letters":         {`{"ä":"日本\n"}`, `{"ä":"日本\n"}`},
	"numbers":               {`{"a":123456789012,"b":1.5}`, `{"a":123456789012,"b":1.5}`},
	"a string of no JSON":   {`"{a"`, `{a`},
	"what is no document":   {`5`, `5`},
	"an object in a string": {`{"a":{"$json":"{\"b\":1,\"a\":2}"}}`, `{"a":{"$json":"{\"b\":1,\"a\":2}"}}`},
}

func TestDocumentsKeepTheirForm(t *testing.T) {
	for name, tc := range documentForms {
		t.Run(name, func(t *testing.T) {
			var read benchv1alpha1.Request
			if err := json.Unmarshal([]byte(`{"filter":`+tc.written+`}`), &read); err != nil {
				t.Fatal(err)
			}
			if got := read.Filter.Text(); got != tc.text {
				t.Errorf("the text is %s, want %s", got, tc.text)
			}
			again := thereAndBack(t, read)
			if again.Filter != read.Filter || again.Filter.Verbatim() != (tc.written[0] == '"') {
				t.Errorf("%s became %s", read.Filter, again.Filter)
			}
		})
	}
}

func thereAndBack(t *testing.T, read benchv1alpha1.Request) benchv1alpha1.Request {
	t.Helper()
	object, err := benchv1alpha1.ToUnstructured(&read)
	if err != nil {
		t.Fatal(err)
	}
	var again benchv1alpha1.Request
	if err := benchv1alpha1.FromUnstructured(object, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestAnObjectThatIsNoJSONIsNotWritten(t *testing.T) {
	if _, err := json.Marshal(benchv1alpha1.Document(`{a`)); err == nil {
		t.Error("an object that is no JSON is written")
	}
}

// TestServerKeepsDocuments has the API server take documents in every form.
func TestServerKeepsDocuments(t *testing.T) {
	for name, tc := range documentForms {
		t.Run(name, func(t *testing.T) {
			made := object(t, "run", changes{operation: "{name: read, kind: Find, filter: " + tc.written + "}"})
			if err := create(t, made); err != nil {
				t.Fatal(err)
			}
			var kept benchv1alpha1.BenchmarkRun
			if err := benchv1alpha1.FromUnstructured(made.Object, &kept); err != nil {
				t.Fatal(err)
			}
			if got := kept.Spec.Workload.Steps[0].Operations[0].Filter.Text(); got != tc.text {
				t.Errorf("got %s, want %s", got, tc.text)
			}
		})
	}
}
