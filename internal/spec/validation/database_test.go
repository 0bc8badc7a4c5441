package validation_test

import (
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// A MariaDB, with and without HandlerSocket, and an existing one.
const (
	plainMariaDB    = `{mariadb: {version: "10.11"}}`
	withPlugin      = `{mariadb: {version: "10.11", handlerSocket: {}}}`
	withMyRocks     = `{mariadb: {version: "10.11", engine: MyRocks}}`
	externalMariaDB = `{external: {product: MariaDB, uriSecretRef: {name: a, key: b}}}`
)

// onMariaDB is a run of one operation against a MariaDB, on a collection with an index, and more.
func onMariaDB(target, operation, more string) string {
	return `
target: ` + target + `
dataset:
  collections:
    - name: c
      documentCount: 10
      fields:
        - {name: _id, type: Sequence}
        - {name: age, type: Int}
        - {name: name, type: String, bytes: {maxLength: 20}}
      indexes: [{keys: [{field: age}]}]
workload: {steps: [{name: s, durationSeconds: 1, operations: [` + operation + `]}]}
` + more
}

const (
	byKey     = `{name: o, kind: FindOne, parameters: [{name: k, type: Key}], filter: '{"_id": {"$param": "k"}}'}`
	byName    = `{name: o, kind: FindOne, filter: '{"name": "a"}'}`
	byBoth    = `{name: o, kind: FindOne, filter: '{"age": 5, "name": "a"}'}`
	increment = `{name: o, kind: UpdateOne, parameters: [{name: k, type: Key}], filter: '{"_id": {"$param": "k"}}',
		update: '{"$inc": {"age": 1}}'}`
	andChange = `{name: o, kind: FindOneAndUpdate, filter: "{}", update: '{"$set": {"age": 1}}'}`
	sentBy    = "loadGenerator: {client: "
)

// databaseTests are runs, with their targets, and what is wrong with them.
var databaseTests = map[string]testCase{
	"an operation on a table is valid": {spec: onMariaDB(plainMariaDB, byKey, "")},
	"a condition on no index is valid": {spec: onMariaDB(plainMariaDB, byName, sentBy+"Text}")},
	"a client of the plugin is valid":  {spec: onMariaDB(withPlugin, byKey, sentBy+"HandlerSocket}")},
	"an existing plugin is not known":  {spec: onMariaDB(externalMariaDB, byKey, sentBy+"HandlerSocket}")},
	"a descending index is valid": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "field: age}", "field: age, type: Descending}", 1),
	},
	"a descending index of MyRocks": {
		spec: strings.Replace(onMariaDB(withMyRocks, byKey, ""), "field: age}", "field: age, type: Descending}", 1),
		want: []string{"spec.dataset.collections[0].indexes[0].keys[0].type: must be Ascending with MyRocks"},
	},
	"a client of the plugin without it": {
		spec: onMariaDB(plainMariaDB, byKey, sentBy+"HandlerSocket}"),
		want: []string{"spec.loadGenerator.client: set its mariadb.handlerSocket"},
	},
	"a client of MongoDB": {
		spec: onMariaDB(plainMariaDB, byKey, sentBy+"Wire}"),
		want: []string{`spec.loadGenerator.client: supported values: "Prepared", "Text", "HandlerSocket"`},
	},
	"a condition on no index for the plugin": {
		spec: onMariaDB(withPlugin, byName, sentBy+"HandlerSocket}"),
		want: []string{"spec.workload.steps[0].operations[0].filter: no index"},
	},
	"a condition beside an index for the plugin is valid": {
		spec: onMariaDB(withPlugin, byBoth, sentBy+"HandlerSocket}"),
	},
	"a condition on a column that is kept apart for the plugin": {
		spec: strings.Replace(onMariaDB(withPlugin, byBoth, sentBy+"HandlerSocket}"), "Length: 20", "Length: 70000", 1),
		want: []string{`spec.workload.steps[0].operations[0].filter: with MariaDB: HandlerSocket compares no column`},
	},
	"a condition on a column that is kept apart is valid": {
		spec: strings.Replace(onMariaDB(withPlugin, byBoth, sentBy+"Text}"), "Length: 20", "Length: 70000", 1),
	},
	"a date that a table lacks": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "type: String, bytes: {maxLength: 20}",
			`type: Choice, choice: {values: [{value: {$date: "0900-01-01T00:00:00Z"}}]}`, 1),
		want: []string{"spec.dataset.collections[0].fields[name].type: with MariaDB: a table has only dates"},
	},
	"a number that is not finite": {
		spec: onMariaDB(plainMariaDB, `{name: o, kind: FindOne, filter: '{"age": {"$numberDouble": "NaN"}}'}`, ""),
		want: []string{`spec.workload.steps[0].operations[0].filter: with MariaDB: column "age": a Double of a table`},
	},
	"an update operator": {
		spec: onMariaDB(plainMariaDB, increment, ""),
		want: []string{`spec.workload.steps[0].operations[0].update: with MariaDB: must be {"$set": {...}}`},
	},
	"another kind of operation": {
		spec: onMariaDB(plainMariaDB, andChange, ""),
		want: []string{"spec.workload.steps[0].operations[0].kind: with MariaDB"},
	},
	"a database of its own": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "dataset:", "dataset:\n  database: mysql", 1),
		want: []string{"spec.dataset.database: MariaDB's own"},
	},
	"a field that is no column": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "- {name: age, type: Int}",
			"- {name: a.b, type: Int}\n        - {name: age, type: Int}", 1),
		want: []string{"spec.dataset.collections[0].fields[a.b].name: with MariaDB"},
	},
	"a retry": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "durationSeconds: 1", "durationSeconds: 1, retry: Once", 1),
		want: []string{"spec.workload.steps[0].retry: must be Never"},
	},
	"an action": {
		spec: strings.Replace(onMariaDB(plainMariaDB, byKey, ""), "durationSeconds: 1",
			"durationSeconds: 1, actions: [{name: a, type: StepDown}]", 1),
		want: []string{"spec.workload.steps[0].actions[0].type: is for MongoDB"},
	},
	"a preset that is no table": {
		spec: "target: " + plainMariaDB + "\npreset: {name: YCSB-A}",
		want: []string{"spec.preset: spec.workload.steps[0].operations[1].update: with MariaDB"},
	},
	"a client of MariaDB": {
		spec: onMariaDB(`{mongodb: {version: "6.0.5"}}`, byKey, sentBy+"Prepared}"),
		want: []string{`spec.loadGenerator.client: supported values: "Application", "Driver", "Wire"`},
	},
	"what has to be acknowledged": {
		spec: onMariaDB(`{mongodb: {version: "6.0.5", durability: None}}`, andChange, ""),
		want: []string{"spec.workload.steps[0].operations[0].writeConcern: durability is None"},
	},
	"what has to be acknowledged, and is, is valid": {
		spec: onMariaDB(`{mongodb: {version: "6.0.5", durability: None}}`,
			strings.Replace(andChange, "kind:", "writeConcern: {w: '1'}, kind:", 1), ""),
	},
}

func TestValidateWhatTheDatabaseDoes(t *testing.T) {
	for name, tc := range databaseTests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// TestATargetThatIsReferredToRefusesTheSame has the same runs with their targets apart.
func TestATargetThatIsReferredToRefusesTheSame(t *testing.T) {
	for name, tc := range databaseTests {
		t.Run(name, func(t *testing.T) {
			run := runOf(t, tc.spec)
			target := *run.Spec.Target
			run.Spec.Target, run.Spec.TargetRef = nil, &benchv1alpha1.NameReference{Name: "t"}
			check(t, validation.ValidateRun(run), nil)
			check(t, validation.ValidateReferring(run, spec.NormaliseOn(run.Spec, target)), tc.want)
		})
	}
}
