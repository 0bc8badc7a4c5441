package result_test

import (
	"fmt"
	"reflect"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// TestTheOperatorIsToldOfAllStepsOfAGrowth: what it is not told is in no status, and compared by no suite.
func TestTheOperatorIsToldOfAllStepsOfAGrowth(t *testing.T) {
	collected := reportv1alpha1.Collected{Version: reportv1alpha1.Version}
	for i := range 32 {
		step := reportv1alpha1.StepSummary{
			Name: fmt.Sprintf("insert-unacknowledged-%d00000000", 100+i), GrowthOf: "insert-unacknowledged",
			Client: "mongo-go-driver v2.4.0", Sent: "find, filter and limit", Documents: 200_000_000, DurationMillis: 30_000,
			Operations: []reportv1alpha1.OperationSummary{{Name: "find", Kind: "Find"}},
		}
		for _, all := range []*reportv1alpha1.OperationSummary{&step.Overall, &step.Operations[0]} {
			all.FirstDocument = &reportv1alpha1.TimesSummary{}
			fill(reflect.ValueOf(all).Elem())
			fill(reflect.ValueOf(all.FirstDocument).Elem())
		}
		for member := range 6 {
			step.Pings = append(step.Pings, reportv1alpha1.Ping{
				Member: fmt.Sprintf("growth-shards6-1-4a8123ac-shard%d-0.growth-shards6-1-4a8123ac.benchmarks.svc:27018", member),
				Pods:   1, Exchanges: 300, MedianMicros: int64(100 + 7*member%6), Clock: &reportv1alpha1.Clock{},
			})
		}
		collected.Summary.Steps = append(collected.Summary.Steps, step)
	}
	encoded, err := result.EncodeCollected(collected)
	if err != nil {
		t.Fatal(err)
	}
	told, err := reportv1alpha1.DecodeCollected(encoded)
	if err != nil || told.OmittedSteps > 0 || len(told.Summary.Steps) != 32 {
		t.Fatalf("the operator is told of %d steps in %d bytes, error %v", len(told.Summary.Steps), len(encoded), err)
	}
	if got := told.Summary.Steps[0].Pings; len(got) != 1 || got[0].MedianMicros != 105 {
		t.Errorf("it is told of these round trips: %+v", got)
	}
}

// fill sets every number of a part of a summary.
func fill(part reflect.Value) {
	for _, field := range part.Fields() {
		if field.Kind() == reflect.Struct {
			fill(field)
		} else if field.CanInt() {
			field.SetInt(1_234_567)
		}
	}
}
