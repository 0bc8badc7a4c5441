package validation_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// withSteps is a run of these steps, and with these other settings.
func withSteps(steps, others string) string {
	return "dataset: {collections: [{name: c, documentCount: 10}]}\nworkload: {steps: [" + steps + "]}\n" + others
}

const insertOnly = "operations: [{name: i, kind: InsertOne}]}"

func TestValidateSteps(t *testing.T) {
	long := strings.Repeat("a", 60)
	tests := map[string]testCase{
		"a causal session is valid": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Causal, "+insertOnly, replicaSet),
		},
		"a causal session with a standalone": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Causal, "+insertOnly, standalone),
			want: []string{"spec.workload.steps[0].session: needs a replica set"},
		},
		"a causal session with the wire client": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Causal, "+insertOnly, replicaSet+"\n"+wireOnly),
			want: []string{"spec.workload.steps[0].session: set spec.loadGenerator.client to Application"},
		},
		"a snapshot session of the wire client is valid": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Snapshot, "+insertOnly, replicaSet+"\n"+wireOnly),
		},
		"a snapshot session with an old replica set": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Snapshot, "+insertOnly, oldSet),
			want: []string{"spec.workload.steps[0].session: needs MongoDB 5.0 or later"},
		},
		"a snapshot session with a standalone, and another read concern": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Snapshot, operations: [{name: f, kind: FindOne, "+
				"readConcern: Local}]}", standalone),
			want: []string{
				"spec.workload.steps[0].session: needs a replica set",
				"spec.workload.steps[0].operations[0].readConcern: the step's session is Snapshot",
			},
		},
		"a snapshot session of prepared commands": {
			spec: withSteps("{name: s, durationSeconds: 1, session: Snapshot, "+insertOnly,
				replicaSet+"\nloadGenerator: {client: Driver}"),
			want: []string{"spec.workload.steps[0].session: set spec.loadGenerator.client to Application or Wire"},
		},
		"connections of every sort are valid": {
			spec: withSteps("{name: s, durationSeconds: 1, connections: {poolSize: 2, idleSweep: [0, 9]}, "+insertOnly, ""),
		},
		"a connection for each operation of the wire client is valid": {
			spec: withSteps("{name: s, durationSeconds: 1, connections: {reuse: Never}, "+insertOnly, wireOnly),
		},
		"a connection for each operation of an application": {
			spec: withSteps("{name: s, durationSeconds: 1, connections: {reuse: Never}, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].connections.reuse: set spec.loadGenerator.client to Wire"},
		},
		"a pool of the wire client": {
			spec: withSteps("{name: s, durationSeconds: 1, connections: {poolSize: 2}, "+insertOnly, wireOnly),
			want: []string{"spec.workload.steps[0].connections.poolSize: is of the client Application"},
		},
		"a sweep of connections whose longest name does not fit": {
			spec: withSteps("{name: "+long+", durationSeconds: 1, connections: {idleSweep: [10, 100]}, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].name: is too long for a sweep"},
		},
		"objectives, percentiles and a correction are valid": {
			spec: withSteps("{name: s, durationSeconds: 1, objectives: [{limitMicros: 5}, {operation: i, limitMicros: 5}], "+
				"percentiles: ['90', '90.5'], expectedIntervalMicros: 5, "+insertOnly, ""),
		},
		"objectives of what there is not, and twice": {
			spec: withSteps("{name: s, durationSeconds: 1, objectives: [{limitMicros: 5, percent: '9'}, {limitMicros: 5}, "+
				"{operation: x, limitMicros: 5}], percentiles: ['90', '90.00'], "+insertOnly, ""),
			want: []string{
				"spec.workload.steps[0].objectives[1].limitMicros: is the limit of another objective of the same operations",
				"spec.workload.steps[0].objectives[2].operation: the step has no operation of this name",
				"spec.workload.steps[0].percentiles[1]: is there already, written otherwise",
			},
		},
		"a sweep is valid": {spec: withSteps("{name: s, durationSeconds: 1, threadSweep: [1, 2, 4], "+insertOnly, "")},
		"a sweep with fewer threads than pods": {
			spec: withSteps("{name: s, durationSeconds: 1, threadSweep: [1, 2], "+insertOnly, "loadGenerator: {pods: 2}"),
			want: []string{"spec.workload.steps[0].threadSweep[0]: must be at least the number of load pods, 2"},
		},
		"a sweep whose longest name just fits is valid": {
			spec: withSteps("{name: "+long+", durationSeconds: 1, threadSweep: [10], "+insertOnly, ""),
		},
		"a sweep whose longest name does not fit": {
			spec: withSteps("{name: "+long+", durationSeconds: 1, threadSweep: [10, 100], "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].name: is too long for a sweep or growth"},
		},
		"a step called like one of a sweep": {
			spec: withSteps("{name: s-2, durationSeconds: 1, "+insertOnly+
				", {name: s, durationSeconds: 1, threadSweep: [1, 2], "+insertOnly, ""),
			want: []string{"spec.workload.steps[1].name: s-2"},
		},
		"a step called index": {
			spec: withSteps("{name: index, durationSeconds: 1, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].name: choose another"},
		},
		"as many steps as a result holds are valid": {spec: withSteps(sweeps(2, 16), "")},
		"more steps than a result holds": {
			spec: withSteps(sweeps(3, 11), ""), want: []string{"spec.workload.steps: must have at most 32 items"},
		},
		"a search by one pod is valid": {
			spec: withSteps("{name: s, durationSeconds: 1, search: {limitMicros: 9, maxOperationsPerSecond: 9}, "+
				insertOnly, ""),
		},
		"a threshold of an operation that the step has": {
			spec: withSteps("{name: s, durationSeconds: 1, abortOn: [{operation: i, errorPercent: 5}], "+
				insertOnly, ""),
		},
		"a threshold of an operation that the step does not have": {
			spec: withSteps("{name: s, durationSeconds: 1, abortOn: [{errorPercent: 5}, {operation: x, errorPercent: 5}], "+
				insertOnly, ""),
			want: []string{`spec.workload.steps[0].abortOn[1].operation: Invalid value: "x": the step has no operation`},
		},
		"a search that has no time for a confirmation": {
			spec: withSteps("{name: s, durationSeconds: 50, search: {limitMicros: 9, maxOperationsPerSecond: 9, "+
				"maxSeconds: 60}, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].search.maxSeconds: must be more than 60"},
		},
		"a search by two pods is valid": {
			spec: withSteps("{name: s, durationSeconds: 1, threads: 2, search: {limitMicros: 9, maxOperationsPerSecond: 9}, "+
				insertOnly, "loadGenerator: {pods: 2}"),
		},
		"a queue smaller than the number of pods": {
			spec: withSteps("{name: s, durationSeconds: 1, threads: 4, "+
				"arrival: {process: Constant, operationsPerSecond: 9, maxQueued: 3}, "+insertOnly, "loadGenerator: {pods: 4}"),
			want: []string{"spec.workload.steps[0].arrival.maxQueued: must be at least the number of load pods, 4"},
		},
		"a trace without any time": {
			spec: withSteps("{name: s, durationSeconds: 1, arrival: {process: Trace, gapsMicros: [0, 0]}, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].arrival.gapsMicros: everything would be due at once"},
		},
		"a stage that ends after the step is valid": {
			spec: withSteps("{name: s, durationSeconds: 15, arrival: {process: Poisson, stages: ["+
				"{seconds: 10, operationsPerSecond: 9}, {seconds: 10, operationsPerSecond: 20}]}, "+insertOnly, ""),
		},
		"a stage that never begins": {
			spec: withSteps("{name: s, durationSeconds: 10, arrival: {process: Poisson, stages: ["+
				"{seconds: 10, operationsPerSecond: 9}, {seconds: 10, operationsPerSecond: 20}]}, "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].arrival.stages[1].seconds: begins after 10 seconds"},
		},
		"a deadline that a sweep cannot keep": {
			spec: withSteps("{name: s, durationSeconds: 10, warmupSeconds: 1, threadSweep: [1, 2, 4], "+insertOnly,
				"deadlines: {measuringSeconds: 33}"),
			want: []string{"spec.deadlines.measuringSeconds: must be more than 33"},
		},
		"a deadline that a search cannot keep": {
			spec: withSteps("{name: s, durationSeconds: 10, search: {limitMicros: 9, maxOperationsPerSecond: 9}, "+insertOnly,
				"deadlines: {measuringSeconds: 30}"),
			want: []string{"spec.deadlines.measuringSeconds: must be more than 30"},
		},
		"a deadline that the trials of a search with a long limit cannot keep": {
			spec: withSteps("{name: s, durationSeconds: 10, search: {limitMicros: 3600000000, maxOperationsPerSecond: 9}, "+
				insertOnly, "deadlines: {measuringSeconds: 120}"),
			want: []string{"spec.deadlines.measuringSeconds: must be more than 144010"},
		},
		"more documents by transactions than a step may insert": {
			spec: withSteps("{name: s, operationCount: 100000000000, operations: [{name: t, kind: Transaction, operations: "+
				"[{kind: InsertMany, batchDocuments: 9}, {kind: InsertOne}, {kind: InsertOne}]}]}", ""),
			want: []string{"spec.workload.steps[0].operations[0]: 11"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// sweeps returns steps that each sweep over the given count of numbers of threads.
func sweeps(steps, numbers int) string {
	threads := make([]string, 0, numbers)
	for i := range numbers {
		threads = append(threads, strconv.Itoa(i+1))
	}
	list := make([]string, 0, steps)
	for i := range steps {
		list = append(list, "{name: s"+string(rune('a'+i))+", durationSeconds: 1, threadSweep: ["+
			strings.Join(threads, ", ")+"], "+insertOnly)
	}
	return strings.Join(list, ", ")
}

func TestValidatePresets(t *testing.T) {
	preset := func(parameters, others string) string {
		return "preset: {name: YCSB-B, parameters: {" + parameters + "}}\n" + others
	}
	tests := map[string]testCase{
		"a preset is valid": {spec: preset("recordcount: '5000'", "")},
		"a parameter that is not known": {
			spec: preset("recordcounts: '5000'", ""),
			want: []string{`spec.preset.parameters[recordcounts]: "recordcount"`},
		},
		"every parameter that is wrong is told": {
			spec: preset("recordcount: many, threadcount: '0'", ""),
			want: []string{
				"spec.preset.parameters[recordcount]: whole number",
				"spec.preset.parameters[threadcount]: whole number",
			},
		},
		"what a preset stands for is checked as if it were written out": {
			spec: preset("threadcount: '3'", "loadGenerator: {pods: 4}"),
			want: []string{"spec.preset: spec.workload.steps[0].threads: must be at least the number of load pods, 4"},
		},
		"batches that do not fit into a load pod": {
			spec: preset("recordcount: '1000000', fieldlength: '10000'", ""),
			want: []string{"spec.preset: spec.dataset.load.batchDocuments: a load pod with 4 workers"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
