package result_test

import (
	"fmt"
	"reflect"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// TestTheOperatorIsToldOfTheStepsOfAGrowth: what it is not told is in no status, and compared by no suite. How many
// steps there is room for is said in docs/how-to/suites.md.
func TestTheOperatorIsToldOfTheStepsOfAGrowth(t *testing.T) {
	tests := map[string]struct {
		step func(*reportv1alpha1.StepSummary)
		want int
	}{
		"growth": {func(*reportv1alpha1.StepSummary) {}, 32},
		"growth with every figure of a closed loop":                            {closed, 28},
		"growth with every figure of an open loop, of which operations failed": {open, 18},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			encoded, err := result.EncodeCollected(collectedOf(tc.step))
			if err != nil {
				t.Fatal(err)
			}
			told, err := reportv1alpha1.DecodeCollected(encoded)
			if err != nil || len(told.Summary.Steps) != tc.want || told.OmittedSteps != 32-tc.want {
				t.Fatalf("the operator is told of %d steps in %d bytes, and that %d were omitted, error %v",
					len(told.Summary.Steps), len(encoded), told.OmittedSteps, err)
			}
			if pings := told.Summary.Steps[0].Pings; len(pings) != 1 || pings[0].MedianMicros != 105 {
				t.Errorf("it is told of these round trips: %+v", pings)
			}
		})
	}
}

// closed adds what a step of a closed loop may have besides.
func closed(step *reportv1alpha1.StepSummary) {
	step.Sent = "retryWrites on, retryReads on, maxAdaptiveRetries 2, lsid, every document decoded, maxPoolSize 100"
	step.Steady, step.Drain = &reportv1alpha1.Steady{}, &reportv1alpha1.Drain{}
}

// open adds what a step of an open loop may have besides.
func open(step *reportv1alpha1.StepSummary) {
	closed(step)
	step.Arrivals = &reportv1alpha1.ArrivalsSummary{}
	for _, all := range []*reportv1alpha1.OperationSummary{&step.Overall, &step.Operations[0]} {
		all.ServiceTime, all.Failed = &reportv1alpha1.TimesSummary{}, &reportv1alpha1.TimesSummary{}
	}
}

// collectedOf are 32 steps of one operation with all its numbers, and with what is added to each.
func collectedOf(add func(*reportv1alpha1.StepSummary)) reportv1alpha1.Collected {
	collected := reportv1alpha1.Collected{Version: reportv1alpha1.Version}
	for i := range 32 {
		step := reportv1alpha1.StepSummary{
			Name: fmt.Sprintf("insert-unacknowledged-%d00000000", 100+i), GrowthOf: "insert-unacknowledged",
			Client: "mongo-go-driver v2.4.0", Sent: "find, filter and limit",
			Operations: []reportv1alpha1.OperationSummary{{Name: "find", Kind: "Find"}},
		}
		for _, all := range []*reportv1alpha1.OperationSummary{&step.Overall, &step.Operations[0]} {
			all.FirstDocument = &reportv1alpha1.TimesSummary{}
		}
		add(&step)
		fill(reflect.ValueOf(&step))
		for member := range 6 {
			step.Pings = append(step.Pings, reportv1alpha1.Ping{
				Member: fmt.Sprintf("growth-shards6-1-4a8123ac-shard%d-0.growth-shards6-1-4a8123ac.benchmarks.svc:27018", member),
				Pods:   1, Exchanges: 300, MedianMicros: int64(100 + (member+3)%6), Clock: &reportv1alpha1.Clock{},
			})
		}
		collected.Summary.Steps = append(collected.Summary.Steps, step)
	}
	return collected
}

// fill sets every number of a part of a summary, and of what it points to.
func fill(part reflect.Value) {
	switch {
	case part.Kind() == reflect.Pointer && !part.IsNil():
		fill(part.Elem())
	case part.Kind() == reflect.Slice:
		for i := range part.Len() {
			fill(part.Index(i))
		}
	case part.Kind() == reflect.Struct:
		for _, field := range part.Fields() {
			fill(field)
		}
	case part.CanInt():
		part.SetInt(1_234_567)
	}
}
