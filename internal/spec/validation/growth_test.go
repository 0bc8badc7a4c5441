package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// growing is a run with one step whose collection, of these other settings, grows.
func growing(growth, collection, others string) string {
	return growingSteps(growth, collection, "{name: s, durationSeconds: 1, "+insertOnly, others)
}

func growingSteps(growth, collection, steps, others string) string {
	return fmt.Sprintf("dataset: {collections: [{name: c%s}]%s}\nworkload: {growth: %s, steps: [%s]}\n",
		collection, others, growth, steps)
}

func TestValidateGrowth(t *testing.T) {
	const even = "{to: 1000, checkpoints: 5}"
	reads := "{name: s, durationSeconds: 1, operations: [{name: r, kind: FindOne, parameters: [{name: id, type: Key}], " +
		"filter: '{\"_id\": {\"$param\": \"id\"}}'}]}"
	tests := map[string]testCase{
		"a growth is valid":                            {spec: growing(even, "", "")},
		"a growth to the number of documents is valid": {spec: growing(even, ", documentCount: 1000", "")},
		"keys are drawn from a collection that grows":  {spec: growingSteps(even, "", reads, "")},
		"more results than a status holds are valid":   {spec: growing("{to: 1000, checkpoints: 32}", "", "")},
		"indexes before the load are valid":            {spec: growing(even, "", ", load: {indexes: BeforeLoad}")},
		"a step may be called grow where nothing grows": {
			spec: withSteps("{name: grow, durationSeconds: 1, "+insertOnly, ""),
		},
		"other numbers of documents than the last are not": {
			spec: growing(even, ", documentCount: 999", ""),
			want: []string{"spec.dataset.collections[0].documentCount: grows to 1000 documents"},
		},
		"fewer documents than checkpoints": {
			spec: growing("{to: 4, checkpoints: 5}", "", ""),
			want: []string{"spec.workload.growth.to: must be at least checkpoints, 5"},
		},
		"sizes that do not rise": {
			spec: growing("{sizes: [1, 5, 5]}", "", ""),
			want: []string{"spec.workload.growth.sizes[2]: must be more than the one before, 5"},
		},
		"indexes after the load": {
			spec: growing(even, "", ", load: {indexes: AfterLoad}"),
			want: []string{"spec.dataset.load.indexes: has its indexes from the start"},
		},
		"a sweep in a growth": {
			spec: growingSteps(even, "", "{name: s, durationSeconds: 1, threadSweep: [1, 2], "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].threadSweep: declare a step for each number of a sweep"},
		},
		"a step that is called as the growing is": {
			spec: growingSteps(even, "", "{name: grow, durationSeconds: 1, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].name: grow and size"},
		},
		"a name that is too long with the last size": {
			spec: growingSteps(even, "", "{name: "+strings.Repeat("a", 59)+", durationSeconds: 1, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].name: is too long for a sweep or growth"},
		},
		"names that only look alike are valid": {
			spec: growingSteps("{sizes: [1, 11]}", "",
				"{name: s, durationSeconds: 1, "+insertOnly+", {name: s-1, durationSeconds: 1, "+insertOnly, ""),
		},
		"more steps than a plan may have": {
			spec: growingSteps("{to: 1000, checkpoints: 32}", "", manySteps(15), ""),
			want: []string{"spec.workload.growth: are 544 steps; at most 512 are possible"},
		},
		"a capped collection is checked at its largest": {
			spec: growing(even, ", options: {capped: {sizeBytes: 1000000, maxDocuments: 500}}", ""),
			want: []string{"spec.dataset.collections[0].options.capped.maxDocuments: must be at least documentCount, 1000"},
		},
		"a deadline is for all checkpoints together": {
			spec: growing(even, "", "") + "deadlines: {measuringSeconds: 5}\n",
			want: []string{"spec.deadlines.measuringSeconds: must be more than 5"},
		},
		"a collection that is called as the mark is": {
			spec: "dataset: {collections: [{name: mongobench.dataset}]}",
			want: []string{"spec.dataset.collections[0].name: choose another name"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want)
		})
	}
}

// manySteps returns count steps with different names.
func manySteps(count int) string {
	steps := make([]string, 0, count)
	for i := range count {
		steps = append(steps, fmt.Sprintf("{name: s%d, durationSeconds: 1, %s", i, insertOnly))
	}
	return strings.Join(steps, ", ")
}
