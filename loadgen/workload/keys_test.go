package workload_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/records"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// TestKeysAreDrawnAsRecordsAre has the same numbers drawn, whether documents were loaded or found.
func TestKeysAreDrawnAsRecordsAre(t *testing.T) {
	op := planv1.Operation{
		Parameters: []planv1.Parameter{person},
		Request:    planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
	}
	loadedPlan, foundPlan := single(op), single(op)
	foundPlan.Collections[0].DocumentCount, foundPlan.Existing = 0, &planv1.Existing{SampledKeys: 10}
	d, err := workload.NewDataset(foundPlan)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := workload.Compile(d, 0); err != nil {
		t.Errorf("before the keys are known: %v", err)
	}
	of, drawn := compile(t, loadedPlan, 0)
	keys := records.NewTable("people", []string{"_id"})
	for record := range int64(loaded) {
		if err := keys.Add(of.Generator("people").Append(nil, record)); err != nil {
			t.Fatal(err)
		}
	}
	d.Found(keys)
	mix, err := workload.Compile(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want, got workload.Request
	for number := range int64(200) {
		drawn.Draw(number, &want)
		mix.Draw(number, &got)
		if want.Filter.String() != got.Filter.String() {
			t.Fatalf("operation %d has %s, want %s", number, got.Filter, want.Filter)
		}
	}
	if allocations := testing.AllocsPerRun(100, func() { mix.Draw(5, &got) }); allocations != 0 {
		t.Errorf("%v allocations for each draw", allocations)
	}
}
