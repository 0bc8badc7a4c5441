package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

const (
	standalone = `target: {mongodb: {version: "6.0.5"}}`
	replicaSet = `target: {mongodb: {version: "6.0.5", replicaSet: {}}}`
	tagged     = `target: {mongodb: {version: "6.0.5", replicaSet: {memberSettings: [
		{member: 1, tags: [{name: use, value: reports}, {name: zone, value: b}]},
		{member: 2, visibility: Hidden, tags: [{name: use, value: backups}]}]}}}`
	oldSet   = `target: {mongodb: {version: "4.4.2", replicaSet: {members: 5}}}`
	wireOnly = "loadGenerator: {client: Wire}"
)

func TestValidateOperationsAgainstTheTarget(t *testing.T) {
	on := func(target, operation string) string { return withOperation(operation) + target }
	transaction := "{name: o, kind: Transaction, operations: [{kind: InsertOne}]}"
	written := func(w string) string { return "{name: o, kind: InsertOne, writeConcern: {w: " + w + "}}" }
	read := func(concern string) string { return "{name: o, kind: FindOne, readConcern: " + concern + "}" }
	tests := map[string]testCase{
		"a transaction on a standalone": {
			spec: on(standalone, transaction), want: []string{operationPath + "kind: a Transaction needs a replica set"},
		},
		"a change stream on a standalone": {
			spec: on(standalone, "{name: o, kind: ChangeStream}"),
			want: []string{operationPath + "kind: a ChangeStream needs a replica set"},
		},
		"a transaction on a replica set is valid": {spec: on(replicaSet, transaction)},
		"a transaction on a target that is not known here is valid": {
			spec: on("targetRef: {name: shared}", transaction),
		},
		"a linearizable read on a standalone": {
			spec: on(standalone, read("Linearizable")), want: []string{operationPath + "readConcern: needs a replica set"},
		},
		"a snapshot on a standalone": {
			spec: on(standalone, read("Snapshot")), want: []string{operationPath + "readConcern: needs a replica set"},
		},
		"a majority read on a standalone is valid": {spec: on(standalone, read("Majority"))},
		"a snapshot on a replica set is valid":     {spec: on(replicaSet, read("Snapshot"))},
		"a snapshot on an old replica set": {
			spec: on(oldSet, read("Snapshot")), want: []string{operationPath + "readConcern: needs MongoDB 5.0"},
		},
		"a transaction with a snapshot on an old replica set is valid": {
			spec: on(oldSet, "{name: o, kind: Transaction, readConcern: Snapshot, operations: [{kind: FindOne}]}"),
		},
		"a sorted update on an older server": {
			spec: on(standalone, `{name: o, kind: UpdateOne, filter: {}, update: {$set: {a: 1}}, sort: [{field: a}]}`),
			want: []string{operationPath + "sort: of a UpdateOne needs MongoDB 8.0 or later, and the target is of version 6"},
		},
		"a sorted update in a bulk write on an older server": {
			spec: on(standalone, `{name: o, kind: BulkWrite, collection: c, operations: [`+
				`{kind: UpdateOne, filter: {}, update: {$set: {a: 1}}, sort: [{field: a}]}]}`),
			want: []string{operationPath + "operations[0].sort: of a UpdateOne needs MongoDB 8.0"},
		},
		"a sorted update on a server that knows it": {
			spec: on(`target: {mongodb: {version: "8.0.4"}}`,
				`{name: o, kind: UpdateOne, filter: {}, update: {$set: {a: 1}}, sort: [{field: a}]}`),
		},
		"a bulk write to several collections is valid": {spec: toSeveral("8.0.4", "")},
		"a bulk write to several collections, on an older server and without a reply": {
			spec: toSeveral("6.0.5", "writeConcern: {w: '0'}, "),
			want: []string{
				operationPath + "operations[1].collection: of a BulkWrite to several collections needs MongoDB 8.0",
				operationPath + "writeConcern.w: has to be acknowledged",
			},
		},
		"a bulk write to several collections by the wire client": {
			spec: toSeveral("8.0.4", "") + "\n" + wireOnly,
			want: []string{operationPath + "operations[1].collection: set spec.loadGenerator.client to Application"},
		},
		"a hint of a Distinct on an older server": {
			spec: on(replicaSet, `{name: o, kind: Distinct, field: a, hint: a_1}`),
			want: []string{operationPath + "hint: of a Distinct needs MongoDB 7.1"},
		},
		"a hint of a Distinct on a server that knows it": {
			spec: on(`target: {mongodb: {version: "8.0.4"}}`, `{name: o, kind: Distinct, field: a, hint: a_1}`),
		},
		"a delivery at a standalone": {
			spec: on(standalone, `{name: o, kind: InsertThenWatch}`),
			want: []string{operationPath + "kind: a InsertThenWatch needs a replica set"},
		},
		"variables on an older server": {
			spec: on(oldSet, `{name: o, kind: Find, let: {v: 1}}`),
			want: []string{operationPath + "let: of a Find needs MongoDB 5.0"},
		},
		"variables on a server that knows them": {spec: on(standalone, `{name: o, kind: Find, let: {v: 1}}`)},
		"a time limit that the driver's methods cannot send": {
			spec: on(replicaSet, "{name: o, kind: InsertOne, writeConcern: {w: majority, timeoutMillis: 100}}"),
			want: []string{operationPath + "writeConcern.timeoutMillis: MongoDB's driver sends no wtimeout"},
		},
		"a time limit by another client is valid": {
			spec: on(replicaSet+"\n"+wireOnly, "{name: o, kind: InsertOne, writeConcern: {w: majority, timeoutMillis: 100}}"),
		},
		"two acknowledgements on a standalone": {
			spec: on(standalone, written("'2'")), want: []string{operationPath + "writeConcern.w: fewer members"},
		},
		"a majority on a standalone is valid": {spec: on(standalone, written("majority"))},
		"w: 0 on a standalone is valid":       {spec: on(standalone, written("'0'"))},
		"as many acknowledgements as members are valid": {
			spec: on(replicaSet, written("'3'")),
		},
		"more acknowledgements than members": {
			spec: on(replicaSet, written("'4'")),
			want: []string{operationPath + "writeConcern.w: replica set of 3 has fewer members"},
		},
		"five acknowledgements of five members are valid": {spec: on(oldSet, written("'5'"))},
		"a tag on a replica set that has none": {
			spec: on(replicaSet, written("east")),
			want: []string{operationPath + "writeConcern.w: has no write concerns of its own"},
		},
		"tags that a member has": {spec: on(tagged, readTags("[{name: use, value: reports}]"))},
		"tags that no member has": {
			spec: on(tagged, readTags("[{name: use, value: reports}, {name: zone, value: a}]")),
			want: []string{operationPath + "readTags: no member that clients see has these tags"},
		},
		"tags of a hidden member": {
			spec: on(tagged, readTags("[{name: use, value: backups}]")),
			want: []string{operationPath + "readTags: no member that clients see has these tags"},
		},
		"tags on a target that is not known here are valid": {spec: on("", readTags("[{name: use, value: reports}]"))},
		"a tag on a target that is not known here is valid": {spec: on("", written("east"))},
		"a transaction by the wire client": {
			spec: on(wireOnly, transaction), want: []string{operationPath + "kind: set spec.loadGenerator.client"},
		},
		"a read from secondaries by the wire client": {
			spec: on(wireOnly, "{name: o, kind: FindOne, readPreference: Nearest}"),
			want: []string{operationPath + "readPreference: set spec.loadGenerator.client"},
		},
		"a read from the primary by the wire client is valid": {
			spec: on(wireOnly, "{name: o, kind: FindOne, readPreference: Primary}"),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// toSeveral is a run with a BulkWrite to two collections, which has other settings before its parts.
func toSeveral(version, settings string) string {
	return `target: {mongodb: {version: "` + version + `"}}
dataset: {collections: [{name: c, documentCount: 10}, {name: d, documentCount: 10}]}
workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, kind: BulkWrite, collection: c, ` + settings + `
  operations: [{kind: InsertOne}, {kind: InsertOne, collection: d}]}]}]}`
}

func readTags(tags string) string {
	return "{name: o, kind: FindOne, readPreference: Secondary, readTags: " + tags + "}"
}
