package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// spread is a run whose collection is spread like this, over a target like this.
func spread(sharding, target string) string {
	return "dataset: {collections: [{name: c, documentCount: 10, fields: [{name: a, type: Int}, {name: b, type: Int}], " +
		"sharding: {" + sharding + "}}]}\n" + target + "\n" +
		"workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: i, kind: InsertOne}]}]}"
}

func TestValidateSharding(t *testing.T) {
	const (
		key     = "key: [{field: a}]"
		hashed  = "key: [{field: a}, {field: b, type: Hashed}]"
		three   = `target: {mongodb: {version: "6.0.5", sharded: {shards: 3}}}`
		old     = `target: {mongodb: {version: "4.2.6", sharded: {}}}`
		client  = `target: {mongodb: {version: "6.0.5", sharded: {router: Client}}}`
		unknown = "targetRef: {name: shared}"
		place   = "spec.dataset.collections[0].sharding."
	)
	for name, tc := range map[string]testCase{
		"ranges are valid":             {spec: spread(key+`, splitPoints: [-1, 2.5, 10]`, three)},
		"texts are valid":              {spec: spread(key+`, splitPoints: ["10", "9"]`, three)},
		"values of types are valid":    {spec: spread(key+`, splitPoints: [{$numberLong: "5"}, 4, "3"]`, three)},
		"zones are valid":              {spec: spread(key+`, zones: [{name: z, shards: [0, 2], min: 5, max: 6}]`, three)},
		"shards of a target elsewhere": {spec: spread(key+`, zones: [{name: z, shards: [63]}]`, unknown)},
		"points of a hashed key": {
			spec: spread("key: [{field: a, type: Hashed}], splitPoints: [5]", three),
			want: []string{place + "splitPoints: first key that is not Hashed"},
		},
		"points and a number of chunks": {
			spec: spread(hashed+", initialChunks: 4, splitPoints: [5]", three),
			want: []string{place + "splitPoints: initialChunks is for hashed keys"},
		},
		"a point that holds no JSON": {
			spec: spread(key+`, splitPoints: [{$json: five}]`, three),
			want: []string{place + "splitPoints[0]: has a {$json: ...} that is no JSON"},
		},
		"a point whose keys are sorted": {
			spec: spread(key+`, splitPoints: [{b: 1, a: 2}]`, three),
			want: []string{place + `splitPoints[0]: write it as {$json: '{"a":2,"b":1}'}`},
		},
		"a point whose keys are in order is valid": {
			spec: spread(key+`, splitPoints: [{$json: '{"b": 1, "a": 2}'}]`, three),
		},
		"a point that is a parameter": {
			spec: spread(key+`, splitPoints: [{$param: p}]`, three),
			want: []string{place + "splitPoints[0]: cannot refer to a parameter"},
		},
		"points in descending order": {
			spec: spread(key+`, splitPoints: [10, 9]`, three),
			want: []string{place + "splitPoints[1]: must be greater than the one before, 10"},
		},
		"a point twice": {
			spec: spread(key+`, splitPoints: [a, a]`, three), want: []string{place + "splitPoints[1]: must be greater"},
		},
		"a zone that is empty": {
			spec: spread(key+`, zones: [{name: z, shards: [0], min: 6, max: 6}]`, three),
			want: []string{place + "zones[0].max: must be greater than min, 6"},
		},
		"a bound that holds no JSON": {
			spec: spread(key+`, zones: [{name: z, shards: [0], min: {$json: "["}}]`, three),
			want: []string{place + "zones[0].min: has a {$json: ...} that is no JSON"},
		},
		"a zone on a shard that there is not": {
			spec: spread(key+`, zones: [{name: z, shards: [3]}]`, three),
			want: []string{place + "zones[0].shards[0]: must be less than the number of shards, 3"},
		},
		"zones without mongos": {
			spec: spread(key+`, zones: [{name: z, shards: [0]}]`, client), want: []string{place + "zones: use splitPoints"},
		},
		"a hashed key among others before its time": {
			spec: spread(hashed, old), want: []string{place + "key: needs version 4.4"},
		},
		"a hashed key alone is valid": {spec: spread("key: [{field: a, type: Hashed}]", old)},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want)
		})
	}
}

func TestValidateChangesOfShardKeysByVersion(t *testing.T) {
	run := func(version, action string) string {
		return "dataset: {collections: [{name: c, documentCount: 10}]}\n" +
			`target: {mongodb: {version: "` + version + `", sharded: {}}}` + "\n" +
			"workload: {steps: [{name: s, durationSeconds: 9, operations: [{name: i, kind: InsertOne}], " +
			"actions: [{name: a, " + action + "}]}]}"
	}
	const place = "spec.workload.steps[0].actions[0]."
	for name, tc := range map[string]testCase{
		"refined is valid": {spec: run("4.4.2", "type: RefineShardKey, key: [{field: a}, {field: b}]")},
		"refined before its time": {
			spec: run("4.2.6", "type: RefineShardKey, key: [{field: a}, {field: b}]"),
			want: []string{place + "type: needs version 4.4"},
		},
		"another one is valid": {spec: run("5.0.4", "type: ReshardCollection, key: [{field: a}]")},
		"another one before its time": {
			spec: run("4.4.2", "type: ReshardCollection, key: [{field: a}]"), want: []string{place + "type: needs version 5.0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want)
		})
	}
}

func TestValidateOperationsOnEphemeralForTest(t *testing.T) {
	run := func(version, operation string) string {
		return "dataset: {collections: [{name: c, documentCount: 10}]}\n" +
			`target: {mongodb: {version: "` + version + `", replicaSet: {}, engine: {name: EphemeralForTest}}}` + "\n" +
			"workload: {steps: [{name: s, durationSeconds: 9, operations: [{name: o, " + operation + "}]}]}"
	}
	const place = "spec.workload.steps[0].operations[0]."
	for name, tc := range map[string]testCase{
		"reading is valid": {spec: run("4.2.6", "kind: FindOne")},
		"a change stream, which ends the server": {
			spec: run("6.0.5", "kind: ChangeStream"), want: []string{place + "kind: there are no change streams"},
		},
		"a read concern that the engine does not have": {
			spec: run("6.0.5", "kind: FindOne, readConcern: Majority"), want: []string{place + "readConcern: use WiredTiger"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want)
		})
	}
}
