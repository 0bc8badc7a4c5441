package validation_test

import (
	"fmt"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// onExisting is a run of one operation on a dataset that is there already.
func onExisting(existing, collection, operation string) string {
	return fmt.Sprintf(`
dataset: {existing: {%s}, collections: [{name: c%s}]}
workload: {steps: [{name: s, durationSeconds: 10, threads: 8, operations: [%s]}]}`, existing, collection, operation)
}

func TestValidateExistingDatasets(t *testing.T) {
	const (
		read    = `{name: o, kind: FindOne, filter: {"a.b": {$key: a.b}}}`
		update  = `{name: o, kind: UpdateOne, filter: {_id: {$key: _id}}, update: {$inc: {n: 1}}}`
		replace = `{name: o, kind: ReplaceOne}`
		known   = ", documentCount: 10, fields: [{name: n, type: Int}]"
		allowed = "writes: Allowed"
	)
	const aStep = "spec.workload.steps[0]."
	for name, tc := range map[string]testCase{
		"a read by a field of any document is valid":    {spec: onExisting("", "", read)},
		"many pods, where nothing is loaded, are valid": {spec: onExisting("", "", read) + "\nloadGenerator: {pods: 8}"},
		"a read by a key of a known document is valid":  {spec: onExisting("", known, `{name: o, kind: FindOne}`)},
		"writes that are allowed are valid":             {spec: onExisting(allowed, "", update)},
		"a replacement of a known document is valid":    {spec: onExisting(allowed, known, replace)},
		"an aggregation that writes nothing is valid": {
			spec: onExisting("", "", `{name: o, kind: Aggregate, pipeline: []}`),
		},
		"following a collection whose kind is not known too": {spec: onExisting("", "", `{name: o, kind: Tail}`)},
		"a write": {
			spec: onExisting("", "", update),
			want: []string{aStep + "operations[0]: UpdateOne changes data that this run has not loaded, for good; if that is " +
				"meant, set spec.dataset.existing.writes to Allowed"},
		},
		"an aggregation that writes": {
			spec: onExisting("", "", `{name: o, kind: Aggregate, pipeline: [{$out: other}]}`),
			want: []string{aStep + "operations[0]: Aggregate changes data"},
		},
		"a command, which may do anything": {
			spec: onExisting("", "", `{name: o, kind: RunCommand, command: {compact: c}}`),
			want: []string{aStep + "operations[0]: RunCommand changes data"},
		},
		"a replacement of a document of which nothing is known": {
			spec: onExisting(allowed, "", replace),
			want: []string{aStep + "operations[0].kind: use UpdateOne"},
		},
		"a field that known documents do not have": {
			spec: onExisting("", known, read), want: []string{aStep + "operations[0]: is no top-level field"},
		},
		"what would be made of a collection": {
			spec: onExisting("", ", indexes: [{keys: [{field: a}]}], sharding: {key: [{field: a}]}, "+
				"options: {compressor: Zlib}", read),
			want: []string{
				theCollection + "indexes: is measured as it is", theCollection + "sharding: is measured as it is",
				theCollection + "options: is measured as it is",
			},
		},
		"known documents without fields": {
			spec: onExisting("", ", documentCount: 5", read),
			want: []string{theCollection + "documentCount: declare the fields", aStep + "operations[0]: is no top-level field"},
		},
		"an index that is built": {
			spec: `
dataset: {existing: {}, collections: [{name: c}]}
workload:
  steps:
    - name: s
      durationSeconds: 10
      operations: [` + read + `]
      actions: [{name: build, type: CreateIndex, index: {keys: [{field: a}]}}]`,
			want: []string{aStep + "actions[0]: CreateIndex changes data that this run has not loaded"},
		},
		"a replay that writes": {
			spec: `
dataset: {existing: {}, collections: [{name: c}]}
workload: {steps: [{name: s, durationSeconds: 10, replay: {writes: Send, recording: {configMap: {name: m, key: k}}}}]}`,
			want: []string{aStep + "replay.writes: a replay that writes changes data that this run has not loaded"},
		},
		"keys that need more memory than a pod has": {
			spec: onExisting("sampledKeys: 1000000", "", read),
			want: []string{aStep[:len(aStep)-1] + ": raise spec.loadGenerator.resources.limits.memory"},
		},
		"growth": {
			spec: `
dataset: {existing: {}, collections: [{name: c}]}
workload: {growth: {sizes: [1, 2]}, steps: [{name: s, durationSeconds: 10, operations: [` + read + `]}]}`,
			want: []string{"spec.workload.growth: does not grow"},
		},
		"another database": {
			spec: onExisting("", "", `{name: o, kind: FindOne, filter: {_id: {$key: _id}}}`) +
				"\ntarget: {mariadb: {version: \"11.4.2\"}}",
			want: []string{"spec.dataset.existing: with client Prepared a run measures only what it loads"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
