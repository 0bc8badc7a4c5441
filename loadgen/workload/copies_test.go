package workload_test

import (
	"slices"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// collectionsOf are how often each collection is drawn in a thousand operations.
func collectionsOf(t *testing.T, copies int64, op planv1.Operation) (times map[string]int) {
	t.Helper()
	p := single(op)
	p.Collections[0].Copies, p.Collections[1].Copies = copies, copies
	_, mix := compile(t, p, 0)
	times = map[string]int{}
	var req workload.Request
	for number := range int64(1000) {
		mix.Draw(number, &req)
		times[req.Collection]++
		for _, part := range req.Parts {
			_, index, _ := strings.Cut(part.Collection, "_")
			if !strings.HasSuffix(req.Collection, "_"+index) {
				t.Fatalf("of one operation the parts go to %s and %s", req.Collection, part.Collection)
			}
		}
	}
	if allocations := testing.AllocsPerRun(100, func() { mix.Draw(3, &req) }); allocations != 0 {
		t.Errorf("%v allocations for each draw", allocations)
	}
	return times
}

func TestOperationsAreSentToTheCopyOfTheirDocument(t *testing.T) {
	keyed := func(d planv1.Distribution) planv1.Operation {
		drawn := person
		drawn.Distribution = d
		return planv1.Operation{
			Parameters: []planv1.Parameter{drawn}, Request: planv1.Request{Kind: "FindOne", Filter: byID},
		}
	}
	hot := planv1.Distribution{Type: string(benchv1alpha1.DistributionHotSpot), HotRange: 0.2, HotDraws: 0.8}
	// A fifth of the documents is a fifth of the collections.
	times := collectionsOf(t, 10, keyed(hot))
	if first := times["people_0"] + times["people_1"]; first < 750 || first > 850 || len(times) != 10 {
		t.Errorf("the two hot ones of ten get %d of 1000: %v", first, times)
	}
	for name, op := range map[string]planv1.Operation{
		"of any document":   keyed(planv1.Distribution{}),
		"without a key":     {Request: planv1.Request{Kind: "Find", Filter: `{"age": 5}`}},
		"that inserts":      {Request: planv1.Request{Kind: "InsertOne"}},
		"of several parts":  {Request: bulk.Request, Parameters: bulk.Parameters, WholeSettings: bulk.WholeSettings},
		"over two of these": acrossTenants,
	} {
		times := collectionsOf(t, 10, op)
		counts := make([]int, 0, 10)
		for _, count := range times {
			counts = append(counts, count)
		}
		if slices.Min(counts) < 60 || slices.Max(counts) > 140 || len(counts) != 10 {
			t.Errorf("an operation %s is sent to %v", name, times)
		}
	}
	times = collectionsOf(t, 0, keyed(planv1.Distribution{}))
	if times["people"] != 1000 {
		t.Errorf("without copies: %v", times)
	}
}

// acrossTenants writes to two collections of one tenant.
var acrossTenants = planv1.Operation{
	Parameters: []planv1.Parameter{person}, Request: planv1.Request{Kind: "Transaction"},
	WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{
		{Kind: "UpdateOne", Filter: byID, Update: `{"$inc": {"age": 1}}`}, {Kind: "InsertOne", Collection: "empty"},
	}},
}
