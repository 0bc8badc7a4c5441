package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// sharded is a target of two shards, of which the first gives the other a chunk of 10 bytes of "things" at every look.
type sharded struct {
	*drivertest.Target

	// bytes on each shard, and moves that the balancer will still make.
	first, second, moves int64
	looks                int
	// busy is a balancer that goes on without moving any more.
	busy  bool
	fails error
}

func shards(first, second, moves int64) *sharded {
	return &sharded{Target: &drivertest.Target{}, first: first, second: second, moves: moves}
}

func (s *sharded) Balancing(context.Context) (bool, error) {
	s.looks++
	more := s.moves > 0
	if more {
		s.moves, s.first, s.second = s.moves-1, s.first-10, s.second+10
	}
	return more || s.busy, s.fails
}

func (s *sharded) Sizes(
	_ context.Context, _ string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	sizes := make([]reportv1.CollectionSize, 0, 2*len(collections))
	for _, collection := range collections {
		sizes = append(sizes,
			reportv1.CollectionSize{Collection: collection.Name, Shard: "s0", DataBytes: s.first},
			reportv1.CollectionSize{Collection: collection.Name, Shard: "s1", DataBytes: s.second})
	}
	return sizes, nil
}

// balancing is a plan that waits for even shards.
func balancing(maxImbalancePercent int) planv1.Plan {
	plan := testPlan(1, planv1.Step{})
	plan.Collections[0].Sharding = &planv1.Sharding{
		Key: []planv1.IndexKey{{Field: "_id", Order: "hashed"}}, MaxImbalancePercent: maxImbalancePercent,
	}
	plan.Steps = []planv1.Step{{Name: "balance", Kind: planv1.StepBalance}}
	return plan
}

func TestBalance(t *testing.T) {
	tests := map[string]struct {
		target loadgen.Target
		// want is the imbalance in the end.
		want, wantLooks int
		wantSkipped     string
		wantErr         error
	}{
		"even shards are not waited for": {target: shards(50, 50, 3), wantLooks: 1, want: 20},
		"uneven ones are while the balancer works": {
			target: shards(100, 0, 5), wantLooks: 4, want: 20,
		},
		"a balancer that gets nowhere is waited for ten minutes": {
			target: &sharded{Target: &drivertest.Target{}, first: 100, busy: true}, wantLooks: 301, want: 100,
		},
		"and that long since it last got anywhere": {
			target: &sharded{Target: &drivertest.Target{}, first: 100, moves: 2, busy: true}, wantLooks: 302, want: 60,
		},
		"and no longer": {target: shards(100, 0, 2), wantLooks: 3, want: 60},
		"a target that knows no shards has none": {
			target: &drivertest.Target{}, wantSkipped: "the target has no shards",
		},
		"an error ends it": {
			target: &sharded{Target: &drivertest.Target{}, fails: errScripted}, wantErr: errScripted, wantLooks: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reports, err := drivertest.Run(t.Context(), balancing(20), tc.target)
				if !errors.Is(err, tc.wantErr) {
					t.Fatalf("error %v, want %v", err, tc.wantErr)
				}
				if looks := looksOf(tc.target); looks != tc.wantLooks {
					t.Errorf("it looked %d times, want %d", looks, tc.wantLooks)
				}
				if err == nil {
					checkBalance(t, reports[0], tc.want, tc.wantSkipped)
				}
			})
		})
	}
}

func looksOf(target loadgen.Target) int {
	if s, ok := target.(*sharded); ok {
		return s.looks
	}
	return 0
}

var errScripted = errors.New("scripted")

func checkBalance(t *testing.T, report reportv1.Report, want int, wantSkipped string) {
	t.Helper()
	step := report.Steps[0]
	if step.ImbalancePercent != want || step.Skipped != wantSkipped {
		t.Errorf("imbalance %d, skipped %q; want %d and %q", step.ImbalancePercent, step.Skipped, want, wantSkipped)
	}
	if wantSkipped == "" && (step.MaxImbalancePercent != 20 || len(step.Sizes) != 2) {
		t.Errorf("the step is %+v, want the bound of 20 and two sizes", step)
	}
}

func TestTheBoundThatIsMissedMostIsTold(t *testing.T) {
	plan := balancing(200)
	plan.Collections = append(plan.Collections, plan.Collections[0], plan.Collections[0])
	plan.Collections[1].Name, plan.Collections[2].Name = "strict", "whole"
	plan.Collections[1].Sharding = &planv1.Sharding{MaxImbalancePercent: 10}
	plan.Collections[2].Sharding = nil
	target := &sharded{Target: &drivertest.Target{}, first: 75, second: 25}
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	step := reports[0].Steps[0]
	got := []int{step.ImbalancePercent, step.MaxImbalancePercent, len(step.Sizes)}
	if diff := cmp.Diff([]int{50, 10, 4}, got); diff != "" {
		t.Errorf("imbalance, bound and sizes (-want +got):\n%s", diff)
	}
}
