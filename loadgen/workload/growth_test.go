package workload_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// drawnRecords are the record numbers, by the last field, of the documents that a step's filters ask for.
func drawnRecords(t *testing.T, p planv1.Plan, step int) (least, largest int64) {
	t.Helper()
	_, mix := compile(t, p, step)
	least, largest = 1<<62, -1
	request := &workload.Request{}
	for number := range int64(20_000) {
		mix.Draw(number, request)
		record := request.Filter.Lookup("n").AsInt64()
		least, largest = min(least, record), max(largest, record)
	}
	return least, largest
}

func TestKeysAreDrawnFromWhatACollectionHasGrownTo(t *testing.T) {
	for name, tc := range map[string]struct {
		distribution planv1.Distribution
		percent      int
		documents    int64
		// wantLeast and wantLargest are bounds that all draws keep, and nearly reach.
		wantLeast, wantLargest int64
	}{
		"all that were loaded first":     {percent: 100, wantLargest: 999},
		"all at a later checkpoint":      {percent: 100, documents: 50_000, wantLargest: 49_999},
		"a tenth at a later checkpoint":  {percent: 10, documents: 50_000, wantLargest: 4_999},
		"a checkpoint that is the first": {percent: 100, documents: 1000, wantLargest: 999},
		"the latest at a later checkpoint": {
			distribution: planv1.Distribution{Type: "Latest", Theta: 0.99}, percent: 100, documents: 50_000, wantLargest: 49_999,
		},
	} {
		t.Run(name, func(t *testing.T) {
			number := planv1.Value{
				Type: planv1.TypeKey, Seed: 1, KeyField: "n", KeyRangePercent: tc.percent,
				Distribution: tc.distribution,
			}
			p := single(planv1.Operation{
				Parameters: []planv1.Parameter{{Name: "n", Value: number}},
				Request:    planv1.Request{Kind: "FindOne", Filter: `{"n": {"$param": "n"}}`},
			})
			p.Collections[0].Fields = append(p.Collections[0].Fields, planv1.Field{
				Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1},
			})
			p.Steps[0].Documents = tc.documents
			least, largest := drawnRecords(t, p, 0)
			if least < tc.wantLeast || largest > tc.wantLargest || largest < tc.wantLargest*9/10 {
				t.Errorf("records %d to %d, want %d to %d", least, largest, tc.wantLeast, tc.wantLargest)
			}
		})
	}
}

func TestInsertsOfStepsNeverMeetWhatACollectionGrowsTo(t *testing.T) {
	const largestGrowth, mostSteps = int64(100_000_000_000), 512
	p := single(planv1.Operation{Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 1000}})
	p.Collections[0].Fields = append(p.Collections[0].Fields, planv1.Field{
		Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1},
	})
	for len(p.Steps) < mostSteps {
		p.Steps = append(p.Steps, p.Steps[0])
	}
	before := largestGrowth
	for step := range p.Steps {
		_, mix := compile(t, p, step)
		var request workload.Request
		for _, number := range []int64{0, 1 << 30, workload.FirstWarmupNumber} {
			mix.Draw(number, &request)
			for _, document := range request.Documents {
				record := document.Lookup("n").AsInt64()
				if record < before {
					t.Fatalf("step %d, operation %d inserts record %d, and %d was there before", step, number, record, before)
				}
				before = record
			}
		}
	}
}
