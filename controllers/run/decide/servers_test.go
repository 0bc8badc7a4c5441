package decide

import (
	"strings"
	"testing"
	"time"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// serverScenarios are what becomes of a run whose servers were disturbed while they were measured.
func serverScenarios() map[string]scenario {
	// observed is a member, with the same values throughout or, from the middle of its last step on, others.
	observed := func(series map[string][2]int64) func(*world) {
		return reporting(func(r *reportv1alpha1.Report) {
			window := r.Steps[len(r.Steps)-1]
			member := reportv1alpha1.Member{Name: "a:1", Role: "primary", Start: window.MeasureStart, IntervalMillis: 1000}
			for name, values := range series {
				all := make([]int64, 11)
				for i := range all {
					all[i] = values[i/6]
				}
				member.Series = append(member.Series, reportv1alpha1.Series{Name: name, Values: all})
			}
			r.Members, r.Server.CPULimitMillicores = []reportv1alpha1.Member{member}, 1000
		})
	}
	return map[string]scenario{
		"an election makes the numbers doubtful": {
			play: observed(map[string][2]int64{reportv1alpha1.SeriesReplicationTerm: {1, 2}}),
			want: map[string]string{succeeded: "True Completed", trust: "False Election"},
		},
		"a set without an election is trusted": {
			play: observed(map[string][2]int64{reportv1alpha1.SeriesReplicationTerm: {1, 1}}),
			want: map[string]string{succeeded: "True Completed", trust: "True NoConcern"},
		},
		"bursts that a CPU limit cut make the numbers doubtful": {
			play: observed(map[string][2]int64{
				reportv1alpha1.SeriesCPUUser: {100, 100}, reportv1alpha1.SeriesCPUSystem: {100, 100},
				reportv1alpha1.SeriesPeriods: {10, 10}, reportv1alpha1.SeriesThrottledPeriods: {0, 1},
			}),
			want: map[string]string{succeeded: "True Completed", trust: "False ServerThrottled"},
		},
		"load pods beside members make the numbers doubtful": {
			play: func(w *world) {
				w.toLoading()
				w.placed()
				w.Pods[0].Spec.NodeName, w.otherNodes = w.Members[0].Spec.NodeName, new(int32(1))
				w.pass(10 * time.Second)
				w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
				w.settle()
				w.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
				w.reportAll()
			},
			want: map[string]string{succeeded: "True Completed", trust: "False SharedNode"},
		},
	}
}

// TestWhoSharesANodeWithAMember: the load pods, and pods of others while steps are measured.
func TestWhoSharesANodeWithAMember(t *testing.T) {
	const beside, apart = "a", "load"
	some := func(count int32) *int32 { return &count }
	for name, tc := range map[string]struct {
		// node of load pod 0; the other one is on a node of its own.
		node       string
		neighbours []int32
		otherNodes *int32
		want       string
		// says is part of the message of Trusted, and with it silent what is not.
		says, silent string
	}{
		"nobody": {
			apart, []int32{0, 0}, nil, "True NoConcern", "", "node",
		},
		"a load pod that had another node": {
			beside,
			[]int32{0, 0},
			some(1), "False SharedNode",
			"1 of 2 load pods ran on a node with a member, and 1 node without a member would take them", "other runs",
		},
		"a load pod that had no other node": {
			beside,
			[]int32{0, 0},
			some(0), "True NoConcern",
			"1 of 2 load pods ran on a node with a member, and no other node would have taken them", "separation",
		},
		"a load pod, where nodes may not be read": {
			beside, []int32{0, 0}, nil, "False SharedNode", "since the operator may not read nodes", "would take them",
		},
		"pods of others, for a time": {
			apart, []int32{0, 3, 1}, nil, "False SharedNode", "up to 3 pods of other runs or targets were", "load pods",
		},
		"both": {
			beside, []int32{2, 0}, some(4), "False SharedNode", "other nodes; while steps were measured, up to 2 pods", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.toLoading()
			w.placed()
			w.Pods[0].Spec.NodeName = tc.node
			// Others do not count before steps are measured.
			w.neighbours, w.otherNodes = 9, tc.otherNodes
			w.settle()
			for i, neighbours := range tc.neighbours {
				w.neighbours = neighbours
				w.pass(time.Second)
				w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 10+i)
				w.settle()
			}
			w.otherNodes = some(77) // They are looked for once.
			w.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
			w.reportAll()
			w.settle()
			said := condition.Find(w.Run.Status.Conditions, trust).Message
			if got := w.status(trust); got != tc.want || !strings.Contains(said, tc.says) ||
				tc.silent != "" && strings.Contains(said, tc.silent) {
				t.Errorf("Trusted is %s: %s\nwant %s with %q and without %q", got, said, tc.want, tc.says, tc.silent)
			}
		})
	}
}
