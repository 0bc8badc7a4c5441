package decide

import (
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
			r.Members, r.Server.CPULimitMillis = []reportv1alpha1.Member{member}, 1000
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
	}
}
