package operation_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

func TestMostSeconds(t *testing.T) {
	tests := map[string]struct {
		step planv1.Step
		want int64
	}{
		"a closed loop takes its warm-up and its window": {
			step: planv1.Step{WarmupSeconds: 5, DurationSeconds: 60}, want: 65,
		},
		"an open loop has time to work off its queue": {
			step: planv1.Step{DurationSeconds: 60, Arrival: &planv1.Arrival{}}, want: 90,
		},
		"unacknowledged writes are waited for twice": {
			step: planv1.Step{DurationSeconds: 60, Operations: []planv1.Operation{
				{Request: planv1.Request{Kind: "FindOne"}}, {
					Request:       planv1.Request{Kind: "InsertOne"},
					WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
				},
			}},
			want: 60 + 2*300,
		},
		"a search has its time, and ends the longest trial that may have begun in it": {
			step: planv1.Step{WarmupSeconds: 5, DurationSeconds: 60, Search: &planv1.Search{TrialSeconds: 10, MaxSeconds: 900}},
			want: 5 + 900 + 60 + 45,
		},
		"a search by several pods also tells them of its last trial": {
			step: planv1.Step{DurationSeconds: 60, Search: &planv1.Search{TrialSeconds: 10, MaxSeconds: 900, Together: true}},
			want: 900 + 60 + 45 + 15,
		},
		"a search with long trials ends one of these": {
			step: planv1.Step{DurationSeconds: 60, Search: &planv1.Search{
				TrialSeconds: 10, LimitMicros: 2_000_000, MaxSeconds: 900,
			}},
			want: 900 + 4*40 + 45,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := operation.MostSeconds(tc.step); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestStepsThatChangeTheDataset(t *testing.T) {
	measure := func(operations ...planv1.Operation) planv1.Step {
		return planv1.Step{Kind: planv1.StepMeasure, Operations: operations}
	}
	find := planv1.Operation{Request: planv1.Request{Kind: "Find"}}
	insert := planv1.Operation{Request: planv1.Request{Kind: "InsertOne"}}
	acting := func(action benchv1alpha1.ActionType) planv1.Step {
		step := measure(find)
		step.Actions = []planv1.Action{{Type: action}}
		return step
	}
	tests := map[string]struct {
		step planv1.Step
		want bool
	}{
		"the load of the dataset":   {planv1.Step{Kind: planv1.StepLoad}, false},
		"a load that makes it grow": {planv1.Step{Kind: planv1.StepLoad, From: 1, To: 2}, true},
		"taking sizes":              {planv1.Step{Kind: planv1.StepSize}, false},
		"reads": {measure(find, planv1.Operation{
			Request: planv1.Request{Kind: "CountDocuments"},
		}), false},
		"one write among reads":      {measure(find, insert), true},
		"a command, which may write": {measure(planv1.Operation{Request: planv1.Request{Kind: "RunCommand"}}), true},
		"an aggregation": {measure(planv1.Operation{
			Request: planv1.Request{Kind: "Aggregate", Pipeline: "[]"},
		}), false},
		"an aggregation into another": {measure(planv1.Operation{
			Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$out": 1}]`},
		}), true},
		"a transaction of reads":       {measure(transaction(find.Request)), false},
		"a transaction with a write":   {measure(transaction(find.Request, insert.Request)), true},
		"a primary that steps down":    {acting(benchv1alpha1.ActionStepDown), false},
		"a shard key that is refined":  {acting(benchv1alpha1.ActionRefineShardKey), true},
		"a balancer that is let loose": {acting(benchv1alpha1.ActionStartBalancer), true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := operation.ChangesData(tc.step); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func transaction(operations ...planv1.Request) planv1.Operation {
	return planv1.Operation{
		Request: planv1.Request{Kind: "Transaction"}, WholeSettings: planv1.WholeSettings{Operations: operations},
	}
}
