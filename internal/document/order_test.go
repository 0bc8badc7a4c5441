package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
)

type check func(document.Value, *field.Path) []document.Unordered

func TestUnordered(t *testing.T) {
	const filter, pipeline, command = "filter", "pipeline", "command"
	checks := map[string]check{
		filter: document.UnorderedFilter, pipeline: document.UnorderedPipeline, command: document.UnorderedCommand,
	}
	for name, tc := range map[string]struct {
		what    string
		written string
		want    []string
	}{
		"several fields are conditions":   {filter, `{a: 1, b: {$gt: 1, $lt: 5}}`, nil},
		"a whole subdocument":             {filter, `{a: {x: 1, y: 2}}`, []string{"d.a"}},
		"a subdocument with one key":      {filter, `{a: {x: 1}}`, nil},
		"a subdocument in one":            {filter, `{a: {b: {x: 1, y: 2}}}`, []string{"d.a.b"}},
		"a subdocument with a name drawn": {filter, `{a: {"$param:p": 1, y: 2}}`, []string{"d.a"}},
		"a condition on a name drawn":     {filter, `{"$param:p": {x: 1, y: 2}}`, []string{"d.$param:p"}},
		"a string":                        {filter, `'{"a": {"x": 1, "y": 2}}'`, nil},
		"a value in a string":             {filter, `{a: {$json: '{"x": 1, "y": 2}'}}`, nil},
		"comparisons": {
			filter, `{a: {$eq: {x: 1, y: 2}}, b: {$gte: {x: 1, y: 2}}}`, []string{"d.a.$eq", "d.b.$gte"},
		},
		"lists of values": {filter, `{a: {$in: [1, {x: 1, y: 2}]}}`, []string{"d.a.$in[1]"}},
		"an array":        {filter, `{a: [{x: 1, y: 2}]}`, []string{"d.a[0]"}},
		"alternatives": {
			filter, `{$or: [{a: 1}, {$and: [{b: {x: 1, y: 2}}]}]}`, []string{"d.$or[1].$and[0].b"},
		},
		"what is not":                 {filter, `{a: {$not: {$ne: {x: 1, y: 2}}}}`, []string{"d.a.$not.$ne"}},
		"elements that are documents": {filter, `{a: {$elemMatch: {x: 1, y: 2}}}`, nil},
		"a subdocument of an element": {
			filter, `{a: {$elemMatch: {x: {p: 1, q: 2}}}}`, []string{"d.a.$elemMatch.x"},
		},
		"elements that are values": {
			filter, `{a: {$elemMatch: {$gt: 1, $lt: {x: 1, y: 2}}}}`, []string{"d.a.$elemMatch.$lt"},
		},
		"elements with alternatives": {
			filter, `{a: {$elemMatch: {$or: [{x: {p: 1, q: 2}}]}}}`, []string{"d.a.$elemMatch.$or[0].x"},
		},
		"all elements": {filter, `{a: {$all: [{$elemMatch: {x: 1, y: 2}}]}}`, nil},
		"a type of Extended JSON": {
			filter, `{a: {$binary: {base64: AA==, subType: "00"}}, b: {$in: [{$timestamp: {t: 1, i: 1}}]}}`, nil,
		},
		"a regular expression": {
			filter, `{a: {$regex: x, $options: i}, b: {$regularExpression: {pattern: x, options: i}}}`, nil,
		},
		"a place on the Earth": {
			filter, `{a: {$near: {$geometry: {type: Point, coordinates: [1, 2]}, $maxDistance: 5}}}`, nil,
		},
		"parameters":    {filter, `{a: {$param: p}, b: {$gt: {$key: _id}}}`, nil},
		"an expression": {filter, `{$expr: {$eq: [$a, {x: 1, y: 2}]}}`, nil},
		"a sort order in an expression": {
			filter, `{$expr: {$sortArray: {input: $a, sortBy: {x: 1, y: 2}}}}`, []string{"d.$expr.$sortArray.sortBy"},
		},
		"a sort stage": {
			pipeline, `[{$match: {a: 1}}, {$sort: {price: -1, _id: 1}}]`, []string{"d[1].$sort"},
		},
		"a sort stage with one key": {pipeline, `[{$sort: {price: -1}}]`, nil},
		"a sort stage in a string":  {pipeline, `[{$sort: {$json: '{"price": -1, "_id": 1}'}}]`, nil},
		"a sort stage of an inner pipeline": {
			pipeline, `[{$facet: {f: [{$sort: {a: 1, b: 1}}]}}]`, []string{"d[0].$facet.f[0].$sort"},
		},
		"a filter in a pipeline": {pipeline, `[{$match: {a: {x: 1, y: 2}}}]`, []string{"d[0].$match.a"}},
		"a group":                {pipeline, `[{$group: {_id: {a: $a, b: $b}, count: {$sum: 1}}}]`, nil},
		"an accumulator that sorts": {
			pipeline, `[{$group: {_id: 1, first: {$top: {sortBy: {a: 1, b: 1}, output: $a}}}}]`,
			[]string{"d[0].$group.first.$top.sortBy"},
		},
		"a window": {
			pipeline, `[{$setWindowFields: {sortBy: {a: 1, b: 1}, output: {c: {$rank: {}}}}}]`,
			[]string{"d[0].$setWindowFields.sortBy"},
		},
		"an update that sorts": {
			pipeline, `{$push: {a: {$each: [], $sort: {x: 1, y: 1}}}}`, []string{"d.$push.a.$sort"},
		},
		"an update": {pipeline, `{$set: {a: {x: 1, y: 2}}}`, nil},
		"a projection of elements": {
			pipeline, `{a: {$elemMatch: {b: {x: 1, y: 2}}}}`, []string{"d.a.$elemMatch.b"},
		},
		"a command with its name":             {command, `{ping: 1}`, nil},
		"a command with more than its name":   {command, `{collStats: c, scale: 1}`, []string{"d"}},
		"a command with more, in a string":    {command, `'{"collStats": "c", "scale": 1}'`, nil},
		"a command whose value has more keys": {command, `{ping: {a: 1, b: 2}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var written benchv1alpha1.Document
			if err := yaml.Unmarshal([]byte(tc.written), &written); err != nil {
				t.Fatal(err)
			}
			value, err := document.Read(written)
			if err != nil {
				t.Fatal(err)
			}
			places := checks[tc.what](value, field.NewPath("d"))
			got := make([]string, 0, len(places))
			for _, place := range places {
				got = append(got, place.Path.String())
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdviceCanBeCopied(t *testing.T) {
	value, err := document.Parse(`{"a": "it's", "b": 1}`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `write it as {$json: '{"a":"it''s","b":1}'}, with`
	if got := (document.Unordered{Value: value}).Advice(); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
