package suite_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// TestPatches compares what becomes of the small run with a specification that is written out.
func TestPatches(t *testing.T) {
	const (
		target  = "target: {mongodb: {version: \"6.0.5\"}}\n"
		dataset = "dataset: {collections: [{name: c, documentCount: 10, " +
			"fields: [{name: a, type: Int}], indexes: [{keys: [{field: a}]}]}]}\n"
		find     = "{name: find, kind: FindOne}"
		workload = "workload: {steps: [{name: read, durationSeconds: 9, operations: [" + find + "]}]}\n"
	)
	tests := map[string]struct{ patch, want string }{
		"nothing": {"patch: {}", target + dataset + workload},
		"a field is replaced": {
			"patch: {target: {mongodb: {version: 7.0.1}}}", "target: {mongodb: {version: 7.0.1}}\n" + dataset + workload,
		},
		"null removes a field": {
			"patch: {target: null, targetRef: {name: t}}", "targetRef: {name: t}\n" + dataset + workload,
		},
		"items are found by their names, at every depth": {
			"patch: {workload: {steps: [{name: read, operations: [{name: find, weight: 5}]}]}}",
			target + dataset +
				"workload: {steps: [{name: read, durationSeconds: 9, operations: [{name: find, kind: FindOne, weight: 5}]}]}",
		},
		"an item is removed": {
			"patch: {dataset: {collections: [{name: c, indexes: null, " +
				"fields: [{name: a, $patch: delete}, {name: b, type: Int}]}]}}",
			target + "dataset: {collections: [{name: c, documentCount: 10, fields: [{name: b, type: Int}]}]}\n" + workload,
		},
		"a new item comes first": {
			"patch: {workload: {steps: [{name: more, durationSeconds: 1, operations: [" + find + "]}]}}",
			target + dataset + "workload: {steps: [{name: more, durationSeconds: 1, operations: [" + find + "]}, " +
				"{name: read, durationSeconds: 9, operations: [" + find + "]}]}",
		},
		"the order of items is given": {
			"patch: {workload: {$setElementOrder/steps: [{name: read}, {name: more}], " +
				"steps: [{name: more, durationSeconds: 1, operations: [" + find + "]}]}}",
			target + dataset + "workload: {steps: [{name: read, durationSeconds: 9, operations: [" + find + "]}, " +
				"{name: more, durationSeconds: 1, operations: [" + find + "]}]}",
		},
		"an object is replaced as a whole": {
			"patch: {target: {mongodb: {$patch: replace, replicaSet: {}, version: 7.0.1}}}",
			"target: {mongodb: {version: 7.0.1, replicaSet: {}}}\n" + dataset + workload,
		},
		"another product takes the place of the first": {
			"patch: {target: {mongodb: null, ferretdb: {version: 1.24.0}}}",
			"target: {ferretdb: {version: 1.24.0}}\n" + dataset + workload,
		},
		"another shape takes the place of the first": {
			"jsonPatch: [{op: add, path: /target/mongodb/replicaSet, value: {members: 1}}, " +
				"{op: remove, path: /target/mongodb/replicaSet}, {op: add, path: /target/mongodb/sharded, value: {shards: 3}}]",
			`target: {mongodb: {version: "6.0.5", sharded: {shards: 3}}}` + "\n" + dataset + workload,
		},
		"a list whose items have no names is replaced": {
			"patch: {dataset: {collections: [{name: c, indexes: [{keys: [{field: b}]}]}]}}",
			target + "dataset: {collections: [{name: c, documentCount: 10, fields: [{name: a, type: Int}], " +
				"indexes: [{keys: [{field: b}]}]}]}\n" + workload,
		},
		"large integers stay what they are": {
			"patch: {seed: 9007199254740993}", "seed: 9007199254740993\n" + target + dataset + workload,
		},
		"operations one after the other": {
			`jsonPatch: [{op: test, path: /target/mongodb/version, value: 6.0.5},
        {op: add, path: /seed, value: 9007199254740993},
        {op: move, from: /target/mongodb/version, path: /target/mongodb/image},
        {op: copy, from: /target/mongodb/image, path: /target/mongodb/version},
        {op: remove, path: /dataset/collections/0/indexes/0},
        {op: add, path: /workload/steps/0/operations/-, value: {name: count, kind: CountDocuments}}]`,
			"seed: 9007199254740993\n" + `target: {mongodb: {version: 6.0.5, image: 6.0.5}}
dataset: {collections: [{name: c, documentCount: 10, fields: [{name: a, type: Int}], indexes: []}]}
workload: {steps: [{name: read, durationSeconds: 9, operations: [` + find + `, {name: count, kind: CountDocuments}]}]}`,
		},
		"what an operation makes null is absent": {
			"jsonPatch: [{op: add, path: /target/mongodb/engine, value: {name: null, wiredTiger: {cacheMebibytes: 256}}}]",
			`target: {mongodb: {version: "6.0.5", engine: {wiredTiger: {cacheMebibytes: 256}}}}` + "\n" +
				dataset + workload,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var want benchv1alpha1.BenchmarkRunSpec
			if err := yaml.UnmarshalStrict([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, compiled(t, with(t, tc.patch)).Variants[0].Spec); diff != "" {
				t.Errorf("specification (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatchesAreAppliedInTheOrderOfTheDimensions(t *testing.T) {
	plan := compiled(t, small(t, `
matrix:
  dimensions:
    - {name: d, choices: [{name: a, patch: {seed: 5}}, {name: b}]}
    - {name: e, choices: [{name: u, jsonPatch: [{op: add, path: /seed, value: 6}]}, {name: v}]}`))
	got := map[string]int64{}
	for _, variant := range plan.Variants {
		got[variant.Name] = -1
		if variant.Spec.Seed != nil {
			got[variant.Name] = *variant.Spec.Seed
		}
	}
	if diff := cmp.Diff(map[string]int64{"a-u": 6, "a-v": 5, "b-u": 6, "b-v": -1}, got); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
}

func TestThePatchesLeaveTheSuiteAsItIs(t *testing.T) {
	declared := with(t, "patch: {workload: {steps: [{name: read, threads: 3}]}, dataset: {load: null}}")
	before := declared.DeepCopy()
	compiled(t, declared)
	if diff := cmp.Diff(before, declared); diff != "" {
		t.Errorf("suite (-before +after):\n%s", diff)
	}
}

func TestPatchesThatAreRefused(t *testing.T) {
	const choice = "spec.matrix.dimensions[0].choices[0]."
	tests := map[string]struct{ patch, want string }{
		"a field that does not exist": {
			"patch: {workload: {steps: [{name: read, duration: 5}]}}",
			choice + `patch.workload.steps[0].duration: variant x: unknown field "workload.steps[0].duration"`,
		},
		"a field in other letters": {"patch: {Seed: 5}", choice + `patch.Seed: unknown field "Seed"`},
		"a field that does not exist and is removed": {
			"patch: {datasets: null}", choice + `patch.datasets: unknown field`,
		},
		"a value of another type": {
			`patch: {seed: "5"}`, choice + "patch.seed: variant x: must be a whole number within its limits, and is a string",
		},
		"an item without a name": {
			"patch: {workload: {steps: [{threads: 5}]}}", choice + "patch: merge key: name",
		},
		"a directive that does not exist": {"patch: {$patch: forget}", choice + "patch: forget"},
		"an operation that does not apply": {
			"jsonPatch: [{op: add, path: /seed, value: 1}, {op: remove, path: /dataset/load/threads}]",
			choice + "jsonPatch[1]: doc is missing path",
		},
		"a test that fails": {
			"jsonPatch: [{op: test, path: /target/mongodb/version, value: 7.0.1}]", choice + "jsonPatch[0]: test failed",
		},
		"an operation that makes a field that does not exist": {
			"jsonPatch: [{op: add, path: /target/mongodb/sise, value: 1}]",
			choice + `jsonPatch.target.mongodb.sise: unknown field "target.mongodb.sise"`,
		},
		"an operation that makes a value of another type": {
			"jsonPatch: [{op: add, path: /target, value: 1}]",
			choice + "jsonPatch.target: variant x: must be an object, and is a number",
		},
		"a path without a slash": {
			"jsonPatch: [{op: remove, path: seed}]", choice + "jsonPatch[0].path: begin with a slash",
		},
		"an addition of nothing": {"jsonPatch: [{op: add, path: /seed}]", choice + "jsonPatch[0].value: Required"},
		"a replacement by nothing": {
			"jsonPatch: [{op: replace, path: /seed}]", choice + "jsonPatch[0].value: Required",
		},
		"a move from nowhere": {"jsonPatch: [{op: move, path: /seed}]", choice + "jsonPatch[0].from: begin with a slash"},
		"a change of suspend": {"patch: {suspend: true}", choice + "patch.suspend: one decision for the whole suite"},
		"a time to live": {
			"patch: {ttlSecondsAfterFinished: 60}", choice + "patch.ttlSecondsAfterFinished: the suite would make the run again",
		},
		"a change of cancel": {
			"jsonPatch: [{op: add, path: /cancel, value: true}]", choice + "jsonPatch.cancel: one decision for the whole suite",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := suite.Compile(with(t, tc.patch))
			check(t, errs, []string{tc.want})
		})
	}
}

// TestCopiesOfCopiesAreRefused has a patch of which each operation doubles the specification.
func TestCopiesOfCopiesAreRefused(t *testing.T) {
	declared := with(t, "patch: {}")
	choice := &declared.Spec.Matrix.Dimensions[0].Choices[0]
	choice.Patch = nil
	for range 64 {
		choice.JSONPatch = append(choice.JSONPatch, benchv1alpha1.JSONPatchOperation{
			Op: "copy", From: new("/workload"), Path: "/workload/steps/-",
		})
	}
	_, errs := suite.Compile(declared)
	check(t, errs, []string{"spec.matrix.dimensions[0].choices[0].jsonPatch[13]: larger than 1048576 bytes"})
}

// TestListsOfNamedItemsAreMerged wants of every list in a run whose items have names the tags of a strategic merge.
func TestListsOfNamedItemsAreMerged(t *testing.T) {
	lists := namedLists(reflect.TypeFor[benchv1alpha1.BenchmarkRunSpec](), map[reflect.Type]bool{})
	for _, list := range lists {
		if list.Tag.Get("patchStrategy") != "merge" || list.Tag.Get("patchMergeKey") != "name" {
			t.Errorf("%s, of %s, has no tags of a strategic merge by name", list.Name, list.Type)
		}
	}
	if len(lists) < 9 {
		t.Errorf("%d lists of named items were found, want at least 9", len(lists))
	}
}

// refused are items that no run may have, of a list without the tags.
var refused = reflect.TypeFor[corev1.ResourceClaim]()

// namedLists are the fields, of a type and of all types within it that have not been seen, that are lists of items with
// names.
func namedLists(kind reflect.Type, seen map[reflect.Type]bool) []reflect.StructField {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || seen[kind] {
		return nil
	}
	seen[kind] = true
	var lists []reflect.StructField
	for field := range kind.Fields() {
		if field.Type.Kind() == reflect.Slice && named(field.Type.Elem()) && field.Type.Elem() != refused {
			lists = append(lists, field)
		}
		lists = append(lists, namedLists(field.Type, seen)...)
	}
	return lists
}

func named(item reflect.Type) bool {
	if item.Kind() != reflect.Struct {
		return false
	}
	name, found := item.FieldByName("Name")
	return found && name.Type.Kind() == reflect.String
}

// FuzzPatch wants no patch to panic, and what is accepted to be the same each time.
func FuzzPatch(f *testing.F) {
	for _, patch := range []string{
		`{"seed": 5}`, `{"$patch": "delete"}`, `{"workload": {"$setElementOrder/steps": [{"name": "a"}], "steps": null}}`,
		`{"dataset": {"collections": [{"name": "c", "fields": [{"name": "b", "type": "Int"}]}]}}`, `null`, `[]`, ``,
		`{"preset": {"parameters": {"a": "b"}}}`, `{"target": {"mongodb": {"$retainKeys": ["version"]}}}`,
		`[{"op": "add", "path": "/target/mongodb/engine", "value": {}},
			{"op": "move", "from": "/target", "path": "/target/a"}]`,
		`[{"op": "test", "path": "/dataset/collections/-1", "value": null}, {"op": "copy", "from": "/seed", "path": "/"}]`,
	} {
		f.Add(patch)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		declared := with(t, "patch: {}")
		choice := &declared.Spec.Matrix.Dimensions[0].Choices[0]
		choice.Patch = &runtime.RawExtension{Raw: []byte(patch)}
		var operations []benchv1alpha1.JSONPatchOperation
		if yaml.Unmarshal([]byte(patch), &operations) == nil {
			choice.Patch, choice.JSONPatch = nil, operations
		}
		first, errs := suite.Compile(declared)
		second, again := suite.Compile(declared)
		if first.Revision != second.Revision || len(errs) != len(again) {
			t.Errorf("first %s %v, then %s %v", first.Revision, errs, second.Revision, again)
		}
	})
}

// TestADocumentIsPatchedAsAWhole: a patch says all of a document, whatever form the template has.
func TestADocumentIsPatchedAsAWhole(t *testing.T) {
	for name, tc := range map[string]struct{ template, patch, want string }{
		"an object":           {`{kind: Find, filter: {a: 1, b: {$gt: 1}}}`, `{filter: {b: {$lt: 2}}}`, `{"b":{"$lt":2}}`},
		"an object by string": {`{kind: Find, filter: {a: 1}}`, `{filter: '{"b": 1, "a": 2}'}`, `{"b":1,"a":2}`},
		"a string by object":  {`{kind: Find, filter: '{"a": 1}'}`, `{filter: {b: 2}}`, `{"b":2}`},
		"a list": {
			`{kind: Aggregate, pipeline: [{$match: {a: 1}}]}`, `{pipeline: [{$limit: 1}]}`, `[{"$limit":1}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			declared := small(t, "matrix: {dimensions: [{name: d, choices: [{name: c, patch: {workload: {steps: [{name: read, "+
				"operations: [{name: find, "+tc.patch[1:len(tc.patch)-1]+"}]}]}}}]}]}")
			operation := &declared.Spec.Template.Spec.Workload.Steps[0].Operations[0]
			operation.Name, operation.Filter = "find", ""
			if err := yaml.Unmarshal([]byte(tc.template), &operation.Request); err != nil {
				t.Fatal(err)
			}
			declared.Spec.Template.Spec.Workload.Steps[0].Name = "read"
			plan, errs := suite.Compile(declared)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got := plan.Variants[0].Spec.Workload.Steps[0].Operations[0]
			if text := got.Filter.Text() + got.Pipeline.Text(); text != tc.want {
				t.Errorf("got %s, want %s", text, tc.want)
			}
		})
	}
}
