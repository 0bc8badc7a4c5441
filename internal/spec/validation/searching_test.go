package validation_test

import (
	"fmt"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// searchingRun is a run with a search index and a search, on a target.
func searchingRun(target, index, operation string) string {
	return fmt.Sprintf(`{target: %s, dataset: {collections: [{name: c, documentCount: 10, `+
		`fields: [{name: v, type: Vector, vector: {dimensions: 3}}]%s}]}, `+
		`workload: {steps: [{name: s, durationSeconds: 1, operations: [%s]}]}}`,
		target, index, operation)
}

func TestSearchIsForTargetsThatHaveIt(t *testing.T) {
	const (
		deployed = "{mongodb: {version: 6.0.5}}"
		indexes  = ", searchIndexes: [{name: near, type: VectorSearch, definition: {fields: [{type: vector, path: v}]}}]"
		count    = "{name: o, kind: CountDocuments}"
		search   = `{name: o, kind: Aggregate, pipeline: [{$vectorSearch: {path: v, queryVector: {$key: v}}}], ` +
			`recall: {exact: [{$vectorSearch: {path: v, queryVector: {$key: v}, exact: true}}]}}`
		refused = "needs MongoDB Search, a process beside the servers that the operator does not deploy"
	)
	for name, tc := range map[string]testCase{
		"on an existing target": {spec: searchingRun(existing, indexes, search)},
		"an index of a target that is deployed": {
			spec: searchingRun(deployed, indexes, count),
			want: []string{"spec.dataset.collections[0].searchIndexes: " + refused},
		},
		"a search on a target that is deployed": {
			spec: searchingRun(deployed, "", search),
			want: []string{
				operationPath + "pipeline[0].$vectorSearch: " + refused,
				operationPath + "recall.exact[0].$vectorSearch: " + refused,
			},
		},
		"indexes of one name": {
			spec: searchingRun(existing, ", searchIndexes: [{name: a, definition: {}}, {name: a, definition: {}}]", count),
			want: []string{"spec.dataset.collections[0].searchIndexes[1].name: is the name of another one"},
		},
		"an index without a definition": {
			spec: searchingRun(existing, ", searchIndexes: [{name: a}]", count),
			want: []string{"spec.dataset.collections[0].searchIndexes[0].definition: says which fields are indexed"},
		},
		"a definition that is none": {
			spec: searchingRun(existing, ", searchIndexes: [{name: a, definition: [1]}]", count),
			want: []string{"spec.dataset.collections[0].searchIndexes[0].definition: must be an object"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestRecallIsOfAnswers(t *testing.T) {
	for name, tc := range map[string]testCase{
		"with a parameter of the operation": {
			spec: withOperation(`{name: o, kind: Aggregate, parameters: [{name: p, type: Int}], ` +
				`pipeline: [{$match: {num: {$param: p}}}], recall: {exact: [{$match: {num: {$param: p}}}], minPercent: 90}}`),
		},
		"with a parameter of its own": {
			spec: withOperation(`{name: o, kind: Aggregate, parameters: [{name: p, type: Int}], ` +
				`pipeline: [], recall: {exact: [{$match: {num: {$param: p}}}]}}`),
		},
		"with no such parameter": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [], recall: {exact: [{$match: {num: {$param: p}}}]}}`),
			want: []string{operationPath + `recall.exact: refers to parameter "p", which is not declared`},
		},
		"that says nothing": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [], recall: {}}`),
			want: []string{operationPath + "recall.exact: is the pipeline that answers exactly"},
		},
		"that is no pipeline": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [], recall: {exact: {a: 1}}}`),
			want: []string{operationPath + "recall.exact: must be an array"},
		},
		"of what is written": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [{$out: x}], recall: {exact: []}}`),
			want: []string{operationPath + "recall: an Aggregate that writes has no answers to compare"},
		},
		"that writes": {
			spec: withOperation(`{name: o, kind: Aggregate, pipeline: [], recall: {exact: [{$merge: {into: x}}]}}`),
			want: []string{operationPath + "recall.exact: must not write"},
		},
		"of a part of a flow": {
			spec: withOperation(`{name: o, kind: Aggregate, collection: c, pipeline: [], partOf: f, recall: {exact: []}}, ` +
				`{name: f, kind: Flow, collection: c}`),
			want: []string{operationPath + "recall: a part of a flow is not sent again by itself"},
		},
		"of copies": {
			spec: `{dataset: {collections: [{name: c, copies: 2, documentCount: 4}]}, workload: {steps: [{name: s, ` +
				`durationSeconds: 1, operations: [{name: o, kind: Aggregate, pipeline: [], recall: {exact: []}}]}]}}`,
			want: []string{operationPath + "recall: collection c stands for several"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
