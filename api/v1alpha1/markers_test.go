package v1alpha1_test

import (
	"testing"
)

// TestMarkers has, for the limits that people meet most often, an object that is just beyond one.
func TestMarkers(t *testing.T) {
	tests := map[string]struct {
		kind    string
		reject  changes
		message string
	}{
		"a MongoDB without a version": {
			"target", changes{"spec.mongodb": "{}"}, "spec.mongodb.version: Required value",
		},
		"a MariaDB without a version":  {"target", asMariaDB(changes{mariaDB + "version": ""}), "version: Required value"},
		"a FerretDB without a version": {"target", asFerretDB(changes{ferretDB + "version": ""}), "version: Required value"},
		"a version with a suffix": {
			"target", changes{mongoDB + "version": "6.0.5-rc1"}, "spec.mongodb.version: Invalid value",
		},
		"a name of an engine that is none": {
			"target", asMariaDB(changes{mariaDB + "engine": "'Aria 2'"}), "mariadb.engine: Invalid value",
		},
		"a buffer pool that is too small": {
			"target", asMariaDB(changes{mariaDB + "bufferPoolMebibytes": "63"}), "greater than or equal to 64",
		},
		"a durability that does not exist": {
			"target", changes{mongoDB + "durability": "Disk"}, "spec.mongodb.durability: Unsupported value",
		},
		"a durability that only MariaDB has": {
			"target", changes{mongoDB + "durability": "OSCache"}, "spec.mongodb.durability: Unsupported value",
		},
		"no durability of a MariaDB": {
			"target", asMariaDB(changes{mariaDB + "durability": "None"}), "spec.mariadb.durability: Unsupported value",
		},
		"a majority of MariaDBs": {
			"target", asMariaDB(changes{mariaDB + "durability": "Majority"}), "spec.mariadb.durability: Unsupported value",
		},
		"a provider that does not exist": {
			"target", changes{mongoDB + "provider": "Helm"}, "spec.mongodb.provider: Unsupported value",
		},
		"eight members": {
			"target", changes{mongoDB + "replicaSet": "{members: 8}"}, "less than or equal to 7",
		},
		"two arbiters": {
			"target", changes{mongoDB + "replicaSet": "{arbiters: 2}"}, "less than or equal to 1",
		},
		"a member with two votes": {"target", membersWith("member: 1, votes: 2"), "less than or equal to 1"},
		"a tag without a value": {
			"target", membersWith("member: 1, tags: [{name: use}]"), "tags[0].value: Required value",
		},
		"65 shards": {"target", shardedWith("shards: 65"), "less than or equal to 64"},
		"an hour that does not exist": {
			"target", shardedWith(`balancer: {mode: Window, windowStart: "24:00", windowStop: "05:00"}`), "Invalid value",
		},
		"a cache that is too small for mongod": {
			"target", changes{engine: "{wiredTiger: {cacheMebibytes: 255}}"}, "greater than or equal to 256",
		},
		"an argument without dashes": {"target", changes{mongoDB + "arguments": "[slowms=5]"}, "arguments[0]: Invalid value"},
		"an argument and its value apart": {
			"target", changes{mongoDB + "arguments": "[--slowms 5]"}, "arguments[0]: Invalid value",
		},
		"a parameter twice": {
			"target",
			changes{mongoDB + "parameters": "[{name: a, value: b}, {name: a, value: c}]"},
			"parameters[1]: Duplicate value",
		},
		"a database named with a dot": {"target", changes{mongoDB + "databases": "[a.b]"}, "databases[0]: Invalid value"},
		"a shard key of one field twice": {
			"run", withSharding("key: [{field: a}, {field: a}]"), "key[1]: Duplicate value",
		},
		"an action that does not exist": {"run", withAction("type: Reboot"), "type: Unsupported value"},
		"an external target without a Secret": {
			"target", changes{"spec": "{external: {}}"}, "uriSecretRef: Required value",
		},
		"no time to be provisioned in": {
			"target", changes{mongoDB + "provisioningSeconds": "9"}, "greater than or equal to 10",
		},
		"no dataset":     {"run", changes{"spec.dataset": ""}, "dataset and workload, must be set"},
		"no workload":    {"run", changes{"spec.workload": ""}, "dataset and workload, must be set"},
		"no collections": {"run", changes{"spec.dataset.collections": "[]"}, "should have at least 1 items"},
		"no steps":       {"run", changes{"spec.workload.steps": "[]"}, "should have at least 1 items"},
		"no operations":  {"run", changes{step + "operations": "[]"}, "should have at least 1 items"},
		"two steps of one name": {
			"run",
			changes{"spec.workload.steps": "[" + oneStep + "," + oneStep + "]"},
			"spec.workload.steps[1]: Duplicate value",
		},
		"two fields of one name": {
			"run", changes{collection + "fields": "[{name: a, type: Int}, {name: a, type: Int}]"}, "fields[1]: Duplicate value",
		},
		"two keys of one field in an index": {
			"run", changes{anIndex + "keys": "[{field: a}, {field: a, type: Descending}]"}, "keys[1]: Duplicate value",
		},
		"a property of an index twice": {"run", changes{anIndex + "properties": "[Sparse, Sparse]"}, "Duplicate value"},
		"a negative seed":              {"run", changes{"spec.seed": "-1"}, "greater than or equal to 0"},
		"65 pods":                      {"run", changes{"spec.loadGenerator": "{pods: 65}"}, "less than or equal to 64"},
		"a weight of nothing": {
			"run",
			changes{operation: "{name: a, kind: FindOne, weight: 0}"},
			"greater than or equal to 1",
		},
		"a kind that does not exist": {"run", changes{operation: "{name: a, kind: Upsert}"}, "kind: Unsupported value"},
		"a step named in capitals":   {"run", changes{step + "name": "Read"}, "name: Invalid value"},
		"a step of no time":          {"run", changes{step + "durationSeconds": "0"}, "greater than or equal to 1"},
		"a field that begins with a dollar": {
			"run", changes{aField: "{name: $a, type: Int}"}, "fields[0].name: Invalid value",
		},
		"a field with an empty part": {"run", changes{aField: "{name: a..b, type: Int}"}, "fields[0].name: Invalid value"},
		"a type that does not exist": {"run", changes{aField: "{name: a, type: Number}"}, "type: Unsupported value"},
		"a parameter of a type for documents only": {
			"run",
			changes{operation: "{name: a, kind: FindOne, parameters: [{name: p, type: Sequence}]}"},
			"type: Unsupported value",
		},
		"a number written as a word": {
			"run", changes{aField: `{name: a, type: Double, double: {max: "ten"}}`}, "double.max: Invalid value",
		},
		"a skew of one": {
			"run",
			changes{aField: "{name: a, type: Int, distribution: {type: Zipfian, zipfian: {thetaThousandths: 1000}}}"},
			"less than or equal to 999",
		},
		"a sweep over the same number twice": {
			"run", changes{step + "threadSweep": "[1, 2, 1]"}, "threadSweep[2]: Duplicate value",
		},
		"a sweep of a preset over no thread": {
			"run", changes{"spec.preset": "{name: YCSB-A, threadSweep: [0]}"}, "greater than or equal to 1",
		},
		"a sweep over nothing":   {"run", changes{step + "threadSweep": "[]"}, "should have at least 1 items"},
		"a sweep over no thread": {"run", changes{step + "threadSweep": "[0]"}, "greater than or equal to 1"},
		"a gap that is negative": {
			"run", changes{step + "arrival": "{process: Trace, gapsMicros: [-1]}"}, "greater than or equal to 0",
		},
		"a stage without a rate": {
			"run",
			changes{step + "arrival": "{process: Constant, stages: [{seconds: 1}]}"},
			"operationsPerSecond: Required value",
		},
		"a write concern in capitals with a space": {
			"run", changes{operation: "{name: a, kind: InsertOne, writeConcern: {w: 'two members'}}"}, "w: Invalid value",
		},
		"51 members that acknowledge": {
			"run", changes{operation: "{name: a, kind: InsertOne, writeConcern: {w: '51'}}"}, "w: Invalid value",
		},
		"a client that does not exist": {
			"run", changes{"spec.loadGenerator": "{client: Raw}"}, "client: Unsupported value",
		},
		"a collection named like an operator": {"run", changes{collection + "name": "$cmd"}, "name: Invalid value"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, create(t, object(t, tc.kind, tc.reject)), tc.message)
		})
	}
}

const oneStep = "{name: read, durationSeconds: 10, operations: [{name: read, kind: FindOne}]}"

// TestMistypedFieldsAreRefused keeps the schema closed: kubectl asks the server for this by default.
func TestMistypedFieldsAreRefused(t *testing.T) {
	if err := create(t, object(t, "run", changes{step + "duration": "10"})); err == nil {
		t.Error("a field that does not exist was accepted")
	}
}
