package workload

import (
	"bytes"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// values are parameters of several types and lengths, rendered into a request.
func values(tb testing.TB) (parameters []planv1.Parameter, req *Request, plain map[string]any) {
	tb.Helper()
	doc := bson.D{
		{Key: "i", Value: int32(7)},
		{Key: "s", Value: "a string"},
		{Key: "d", Value: bson.D{{Key: "x", Value: bson.A{1.5, nil}}}},
		{Key: "n", Value: nil},
		{Key: "t", Value: "t"},
		{Key: "id", Value: bson.ObjectID{1, 2, 3}},
	}
	raw, err := bson.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	req, plain = &Request{}, map[string]any{}
	for _, e := range doc {
		value := bson.Raw(raw).Lookup(e.Key)
		plain[e.Key] = e.Value
		parameter := planv1.Parameter{Name: e.Key, Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}
		if _, ok := e.Value.(string); ok {
			parameter.Value = planv1.Value{Type: benchv1alpha1.GeneratorString, Min: 1, Max: 20}
		}
		parameters = append(parameters, parameter)
		start := len(req.values)
		req.values = append(req.values, value.Value...)
		req.parameters = append(req.parameters, drawn{bsonType: byte(value.Type), start: start, end: len(req.values)})
	}
	return parameters, req, plain
}

// fill is the slow way: it replaces the parameters in the decoded document.
func fill(value any, plain map[string]any) any {
	switch value := value.(type) {
	case bson.D:
		if len(value) == 1 && value[0].Key == paramKey {
			name, _ := value[0].Value.(string)
			return plain[name]
		}
		out := bson.D{}
		for _, e := range value {
			if name, ok := strings.CutPrefix(e.Key, namePrefix); ok {
				e.Key, _ = plain[name].(string)
			}
			out = append(out, bson.E{Key: e.Key, Value: fill(e.Value, plain)})
		}
		return out
	case bson.A:
		out := bson.A{}
		for _, item := range value {
			out = append(out, fill(item, plain))
		}
		return out
	default:
		return value
	}
}

// requireSlowWay compares a rendered template with what bson makes of the same text.
func requireSlowWay(tb testing.TB, text string, got bson.Raw, plain map[string]any) {
	tb.Helper()
	if err := got.Validate(); err != nil {
		tb.Fatalf("%s is rendered to %x: %v", text, []byte(got), err)
	}
	var wrapped bson.D
	if err := bson.UnmarshalExtJSON([]byte(`{"v":`+text+`}`), false, &wrapped); err != nil {
		tb.Fatal(err)
	}
	raw, err := bson.Marshal(fill(wrapped, plain))
	if err != nil {
		tb.Fatal(err)
	}
	if want := bson.Raw(raw).Lookup("v").Value; !bytes.Equal(got, want) {
		tb.Fatalf("%s is rendered to\n%x, not\n%x", text, []byte(got), want)
	}
}

var templates = []string{
	`{}`, `[]`, `{"a": 1}`, `[{"$match": {}}, {"$limit": 5}]`,
	`{"_id": {"$param": "id"}}`,
	`{"z": {"$param": "s"}, "a": {"$param": "i"}, "m": {"$param": "n"}}`,
	`{"a": {"b": {"c": {"$param": "d"}, "k": 1}}, "l": "literal", "x": {"y": {"z": 1}}}`,
	`[{"$match": {"a": {"$in": [{"$param": "i"}, 5, {"$param": "s"}]}}}, {"$count": "n"}]`,
	`{"$or": [{"a": {"$gte": {"$param": "i"}}}, {"b": {"$date": "2026-01-01T00:00:00Z"}}], "c": {"$numberLong": "5"}}`,
	`{"a": [[{"$param": "i"}], []], "b": {"c": {}}}`,
	`{"same": {"$param": "s"}, "again": [{"$param": "s"}]}`,
	`{"$set": {"$param:s": {"$param": "d"}, "$param:t": 1}}`,
	`{"$param:s": {"$param:t": {}, "a": [{"$param:s": [{"$param": "i"}, 7]}]}}`, `{"$param:t": []}`,
	`{"r": {"$regularExpression": {"pattern": "^a", "options": "i"}}, "a": {"$param": "i"}}`,
}

func TestTemplatesAreRenderedAsBSONWould(t *testing.T) {
	for _, text := range templates {
		names, req, plain := values(t)
		compiled, isArray, err := parser{parameters: names}.parse(text, anObject|anArray)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want := text[0] == '['; isArray != want {
			t.Errorf("%s is an array: %v", text, isArray)
		}
		req.buffer = []byte("what was there")
		for range 2 {
			requireSlowWay(t, text, compiled.render(req), plain)
		}
		if constant := !strings.Contains(text, paramKey); constant != (compiled.pieces == nil) {
			t.Errorf("%s has pieces %v", text, compiled.pieces)
		}
	}
}

func TestWrongTemplatesAreRefusedWithTheirPlace(t *testing.T) {
	tests := map[string]struct {
		text    string
		allowed shape
		want    string
	}{
		"no JSON":                       {`{"a": x}`, anObject, "byte 7"},
		"no Extended JSON":              {`{"a": {"$oid": "1"}}`, anObject, "Extended JSON"},
		"a number":                      {`5`, anObject | anArray, "neither"},
		"an array as a filter":          {`[]`, anObject, "an array"},
		"an object as a pipeline":       {`{}`, anArray, "an object"},
		"a parameter for the whole":     {`{"$param": "i"}`, anObject, "the whole"},
		"an unknown parameter":          {`{"a": {"$in": [1, {"$param": "q"}]}}`, anObject, `at a.$in.1: parameter "q"`},
		"a parameter with company":      {`{"a": {"$param": "i", "b": 1}}`, anObject, "at a: a parameter is written"},
		"a parameter in company":        {`{"a": {"b": 1, "$param": "i"}}`, anObject, "at a: a parameter is written"},
		"a parameter without a name":    {`{"a": {"b": {"$param": 5}}}`, anObject, "at a.b: a parameter is written"},
		"a key of an unknown parameter": {`{"a": {"$param:q": 1}}`, anObject, `at a.$param:q: parameter "q"`},
		"a key of a number":             {`{"$param:i": 1}`, anObject, "cannot stand for a key"},
		"a key of no parameter":         {`{"$param:": 1}`, anObject, `parameter ""`},
		"a key that holds a zero byte":  {`{"a\u0000b": 1}`, anObject, "zero byte"},
	}
	names, _, _ := values(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := parser{parameters: names}.parse(tc.text, tc.allowed)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	for _, text := range []string{
		`{"$param": "i"}`, `{"a": {"$param": 1}}`, `{"$param:s": {"$param:t": {"$param": "s"}}, "$param:i": 1}`,
		`{"a`, `{"a": {"$code": "x", "$scope": {"$param": "i"}}}`,
	} {
		f.Add(text)
	}
	names, req, plain := values(f)
	f.Fuzz(func(t *testing.T, text string) {
		compiled, _, err := parser{parameters: names}.parse(text, anObject|anArray)
		if err != nil {
			return
		}
		mine := Request{values: req.values, parameters: req.parameters}
		requireSlowWay(t, text, compiled.render(&mine), plain)
	})
}
