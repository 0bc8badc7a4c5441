package validation_test

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// withGroups is a run of one step that has these groups, and an operation for each of the names.
func withGroups(groups, others string, names ...string) string {
	operations := make([]string, 0, len(names))
	for _, name := range names {
		operations = append(operations, "{name: of-"+name+", group: "+name+", kind: FindOne}")
	}
	return withSteps("{name: s, durationSeconds: 30, groups: ["+groups+"], operations: ["+
		strings.Join(operations, ", ")+"]}", others)
}

func TestValidateGroups(t *testing.T) {
	const groups = "spec.workload.steps[0].groups"
	for name, tc := range map[string]testCase{
		"groups that begin and end by themselves are valid": {
			spec: withGroups("{name: a, threads: 2, startAfterSeconds: 29}, {name: b, arrival: {operationsPerSecond: 9}}",
				"loadGenerator: {pods: 2}", "a", "b"),
		},
		"a group that follows another, and one that ends with it, are valid": {
			spec: withGroups("{name: a, operationCount: 5}, {name: b, startAfterGroup: c}, {name: c, stopWithGroup: a}",
				"", "a", "b", "c"),
		},
		"an operation without a group": {
			spec: withSteps("{name: s, durationSeconds: 30, groups: [{name: a}], operations: "+
				"[{name: x, group: a, kind: FindOne}, {name: y, kind: FindOne}]}", ""),
			want: []string{"spec.workload.steps[0].operations[1].group: Required value: the step has groups"},
		},
		"an operation with a group that there is not": {
			spec: withGroups("{name: a}", "", "a", "b"),
			want: []string{`spec.workload.steps[0].operations[1].group: Invalid value: "b": the step has no group`},
		},
		"an operation with a group in a step without any": {
			spec: withSteps("{name: s, durationSeconds: 1, operations: [{name: x, group: a, kind: FindOne}]}", ""),
			want: []string{"spec.workload.steps[0].operations[0].group: the step has no groups"},
		},
		"a group without operations": {
			spec: withGroups("{name: a}, {name: b}", "", "a"),
			want: []string{groups + "[1].name: no operation of the step has this group"},
		},
		"groups that all have fewer threads than there are pods": {
			spec: withGroups("{name: a, threads: 1}, {name: b, threads: 2}", "loadGenerator: {pods: 3}", "a", "b"),
			want: []string{groups + ": one of the groups must have at least as many threads as there are load pods, 3"},
		},
		"a group that begins after the step": {
			spec: withGroups("{name: a, startAfterSeconds: 30}", "", "a"),
			want: []string{groups + "[0].startAfterSeconds: must be less than the step's durationSeconds, 30"},
		},
		"a group that follows one that there is not": {
			spec: withGroups("{name: a, startAfterGroup: b}", "", "a"),
			want: []string{groups + "[0].startAfterGroup: the step has no group of this name"},
		},
		"a group that follows itself": {
			spec: withGroups("{name: a, durationSeconds: 1, startAfterGroup: a}", "", "a"),
			want: []string{groups + "[0].startAfterGroup: a group cannot wait for itself"},
		},
		"groups that follow each other": {
			spec: withGroups("{name: a, durationSeconds: 1, startAfterGroup: b}, {name: b, durationSeconds: 1, "+
				"startAfterGroup: a}", "", "a", "b"),
			want: []string{
				groups + "[0].startAfterGroup: the groups wait for each other",
				groups + "[1].startAfterGroup: the groups wait for each other",
			},
		},
		"a group that follows one without an end": {
			spec: withGroups("{name: a}, {name: b, startAfterGroup: a}", "", "a", "b"),
			want: []string{groups + "[1].startAfterGroup: that group works until the end of the step"},
		},
		"groups that end with each other": {
			spec: withGroups("{name: a, stopWithGroup: b}, {name: b, stopWithGroup: a}", "", "a", "b"),
			want: []string{
				groups + "[0].stopWithGroup: that group works until the end of the step",
				groups + "[1].stopWithGroup: that group works until the end of the step",
			},
		},
		"a group that follows one which not every pod has a part of": {
			spec: withGroups("{name: a, threads: 1, operationCount: 5}, {name: b, threads: 2, startAfterGroup: a}",
				"loadGenerator: {pods: 2}", "a", "b"),
			want: []string{groups + "[1].startAfterGroup: that group must have at least as many threads as there are load pods"},
		},
		"a ramp of no threads": {
			spec: withGroups("{name: a, threadStages: [{seconds: 5, threads: 0}]}", "", "a"),
			want: []string{groups + "[0].threadStages: must have a stage with more than 0 threads"},
		},
		"a rate by a formula is valid": {
			spec: withGroups("{name: a, arrival: {formula: '100 + 50 * sin(t)'}}", "", "a"),
		},
		"a formula that cannot be read": {
			spec: withGroups("{name: a, arrival: {formula: '100 + x'}}", "", "a"),
			want: []string{groups + "[0].arrival.formula: x is not known"},
		},
		"a formula without a rate at some time": {
			spec: withGroups("{name: a, arrival: {formula: '100 / (t - 20)'}}", "", "a"),
			want: []string{groups + "[0].arrival.formula: is +Inf after 20 seconds"},
		},
		"a formula that is never above 0": {
			spec: withGroups("{name: a, arrival: {formula: 't - 60'}}", "", "a"),
			want: []string{groups + "[0].arrival.formula: is never above 0"},
		},
		"a stage of a group's arrivals that would never come": {
			spec: withGroups("{name: a, arrival: {stages: [{seconds: 30, operationsPerSecond: 5}, "+
				"{seconds: 5, operationsPerSecond: 9}]}}", "", "a"),
			want: []string{groups + "[0].arrival.stages[1].seconds: the stage begins after 30 seconds"},
		},
		"groups in a duet": {
			spec: withGroups("{name: a}", "duet: {baseline: {targetRef: {name: other}}}", "a"),
			want: []string{groups + ": a duet measures in windows; leave them out"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
