package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

const throughGateway = "loadGenerator: {through: Gateway}"

func TestValidateGateway(t *testing.T) {
	const step, first = "{name: s, durationSeconds: 1, ", "spec.workload.steps[0]"
	operation := func(text string) string { return step + "operations: [{name: o, " + text + "}]}" }
	latest := operation("kind: FindOne, filter: {_id: {$key: _id}}, record: {distribution: {type: Latest}}")
	for name, tc := range map[string]testCase{
		"a run through a gateway is valid": {spec: withSteps(step+insertOnly, replicaSet+"\n"+throughGateway)},
		"the latest records, one operation a request, are valid": {
			spec: withSteps(latest, throughGateway),
		},
		"the latest records with several operations a request": {
			spec: withSteps(latest, "loadGenerator: {through: Gateway, gateway: {operationsPerRequest: 2}}"),
			want: []string{first + ".operations[0].record.distribution.type: draws from what operations before have inserted"},
		},
		"a gateway with hardly any CPU": {
			spec: withSteps(step+insertOnly,
				"loadGenerator: {through: Gateway, gateway: {resources: {limits: {cpu: 10m}}}}"),
			want: []string{"spec.loadGenerator.gateway.resources.limits[cpu]: must be at least 50m"},
		},
		"a label of the operator's on a gateway's pods": {
			spec: withSteps(step+insertOnly,
				"loadGenerator: {through: Gateway, gateway: {podSettings: {labels: {mongobench.dev/run: x}}}}"),
			want: []string{"spec.loadGenerator.gateway.podSettings.labels[mongobench.dev/run]: is the operator's own"},
		},
		"shards that the gateway routes to by itself are valid": {
			spec: withSteps(step+insertOnly, throughGateway+
				"\ntarget: {mongodb: {version: \"6.0.5\", sharded: {shards: 2, router: Client}}}"),
		},
		"data of files": {
			spec: "dataset: {files: [{name: f, configMap: {name: m, key: k.csv}, format: CSV}], " +
				"collections: [{name: c, documentCount: 10}]}\nworkload: {steps: [" + step + insertOnly + "]}\n" + throughGateway,
			want: []string{"spec.dataset.files: does not know what is in files"},
		},
		"a session": {
			spec: withSteps(step+"session: Causal, "+insertOnly, replicaSet+"\n"+throughGateway),
			want: []string{first + ".session: by any session of the gateway"},
		},
		"connections": {
			spec: withSteps(step+"connections: {idle: 5}, "+insertOnly, throughGateway),
			want: []string{first + ".connections: the connections to the target are the gateway's"},
		},
		"a reconnect": {
			spec: withSteps(step+"actions: [{name: a, type: Reconnect, afterSeconds: 0}], "+insertOnly, throughGateway),
			want: []string{first + ".actions[0].type: ends connections to the target"},
		},
		"a change stream": {
			spec: withSteps(operation("kind: ChangeStream"), replicaSet+"\n"+throughGateway),
			want: []string{first + ".operations[0].kind: stays open"},
		},
		"a flow": {
			spec: withSteps(step+"operations: [{name: f, kind: Flow}, {name: o, kind: FindOne, partOf: f}]}", throughGateway),
			want: []string{first + ".operations[0].kind: goes on with the answers to its parts"},
		},
		"connecting": {
			spec: withSteps(operation("kind: Connect"), throughGateway),
			want: []string{first + ".operations[0].kind: is about connections to the target"},
		},
		"a write without a reply": {
			spec: withSteps(operation("kind: InsertOne, writeConcern: {w: \"0\"}"), throughGateway),
			want: []string{first + ".operations[0].writeConcern.w: answers when the target has"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
