package result_test

import (
	"strings"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// observed is a member whose samples begin, one a second, two seconds before the window of podReport, which has ten:
// samples 2 to 12 are in it.
func observed(name, role string, series ...reportv1.Series) reportv1.Member {
	return reportv1.Member{
		Name: name, Role: role, Start: noon.Add(3 * time.Second), IntervalMillis: 1000, Series: series,
	}
}

// steps are a series of sixteen values: the first one, until another follows at a sample.
func steps(name string, first int64, changes ...[2]int64) reportv1.Series {
	all := make([]int64, 16)
	for i := range all {
		all[i] = first
		for _, change := range changes {
			if int64(i) >= change[0] {
				all[i] = change[1]
			}
		}
	}
	return reportv1.Series{Name: name, Values: all}
}

// served is a report of these members, whose throughput is steady.
func served(t *testing.T, change func(*reportv1.Report), members ...reportv1.Member) reportv1.Report {
	t.Helper()
	report := podReport(t, 100)
	report.Steps[1].Steady, report.Members = &reportv1.Steady{Reached: true}, members
	if change != nil {
		change(&report)
	}
	return report
}

func TestElections(t *testing.T) {
	t.Parallel()
	const (
		state, term, away = reportv1.SeriesReplicationState, reportv1.SeriesReplicationTerm, reportv1.SeriesUnreachable
		oneElection       = "a replica set held 1 election while it was measured"
	)
	set := func(series ...reportv1.Series) []reportv1.Member {
		return []reportv1.Member{observed("a:1", "secondary"), observed("b:1", "primary", series...)}
	}
	acting := func(kind benchv1alpha1.ActionType, atMillis int64, failed string) func(*reportv1.Report) {
		return func(r *reportv1.Report) {
			r.Steps[1].Actions = []reportv1.Action{{Name: "a", Type: string(kind), AtMillis: atMillis, Error: failed}}
		}
	}
	for name, tc := range map[string]struct {
		members []reportv1.Member
		change  func(*reportv1.Report)
		want    string
	}{
		"a quiet set":                      {set(steps(state, 1), steps(term, 5), steps(away, 0)), nil, ""},
		"a set that is not observed":       {set(), nil, ""},
		"a term that rises in the window":  {set(steps(term, 5, [2]int64{8, 6})), nil, oneElection},
		"a term that rises more than once": {set(steps(term, 5, [2]int64{8, 6}, [2]int64{11, 7})), nil, "held 2 elections"},
		"a term that was not told for a time": {
			set(steps(term, 5, [2]int64{7, -1}, [2]int64{9, 6})), nil, oneElection,
		},
		"a term that rose in the second before the window": {set(steps(term, 5, [2]int64{2, 6})), nil, oneElection},
		"a term that rose in the warm-up":                  {set(steps(term, 5, [2]int64{1, 6})), nil, ""},
		"a term that rises after the window":               {set(steps(term, 5, [2]int64{13, 6})), nil, ""},
		"another primary": {
			[]reportv1.Member{
				observed("a:1", "primary", steps(state, 1, [2]int64{8, 2})),
				observed("b:1", "secondary", steps(state, 2, [2]int64{9, 1})),
			}, nil, oneElection + ", and made b:1 the primary",
		},
		"a member that is away": {
			set(steps(away, 0, [2]int64{8, 1}, [2]int64{10, 0})), nil, "server b:1 lost sight of 1 member",
		},
		"a member that comes back": {set(steps(away, 1, [2]int64{8, 0})), nil, ""},
		"a member that recovers": {
			set(steps(state, 2, [2]int64{8, 3}, [2]int64{10, 2})), nil, "server b:1 was neither primary nor secondary",
		},
		"an arbiter":         {set(steps(state, 7)), nil, ""},
		"a planned election": {set(steps(term, 5, [2]int64{8, 6})), acting(benchv1alpha1.ActionStepDown, 5000, ""), ""},
		"a planned election whose sample came late": {
			set(steps(term, 5, [2]int64{8, 6})), acting(benchv1alpha1.ActionStepDown, 6001, ""), "",
		},
		"an election well before the action": {
			set(steps(term, 5, [2]int64{5, 6})), acting(benchv1alpha1.ActionDeletePod, 8000, ""), oneElection,
		},
		"an election beside an action on chunks": {
			set(steps(term, 5, [2]int64{8, 6})), acting(benchv1alpha1.ActionStartBalancer, 1000, ""), oneElection,
		},
		"an election in the trials of a search": {
			set(steps(term, 5, [2]int64{1, 6})), func(r *reportv1.Report) {
				r.Steps[1].Search = &reportv1.Search{Found: 9, LimitedBy: reportv1.LimitedByMaximum}
			}, oneElection,
		},
		"samples of a clock that was set before the step": {
			set(steps(term, 5, [2]int64{8, 6})), func(r *reportv1.Report) { r.Steps[1].ClockSetMicros = 60_000_000 }, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := doubtOf(t, served(t, tc.change, tc.members...), benchv1alpha1.ReasonElection)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAnActionThatFailedExcusesNoElection(t *testing.T) {
	report := podReport(t, 100)
	report.Members = []reportv1.Member{
		observed("a:1", "primary", steps(reportv1.SeriesReplicationTerm, 5, [2]int64{9, 6})),
	}
	report.Steps[1].Actions = []reportv1.Action{{
		Name: "a", Type: string(benchv1alpha1.ActionStepDown), AtMillis: 1000, Error: "nobody was there",
	}}
	doubts, err := result.Doubts(report)
	if err != nil || len(doubts) != 2 || doubts[1].Reason != benchv1alpha1.ReasonElection {
		t.Errorf("doubts %+v, error %v; want the action that failed, and the election", doubts, err)
	}
}

func TestBurstsThatALimitCutAreDoubted(t *testing.T) {
	t.Parallel()
	const periods, stopped = reportv1.SeriesPeriods, reportv1.SeriesThrottledPeriods
	cpu := func(millis int64, changes ...[2]int64) reportv1.Series {
		return steps(reportv1.SeriesCPUUser, millis, changes...)
	}
	for name, tc := range map[string]struct {
		series []reportv1.Series
		change func(*reportv1.Report)
		want   string
	}{
		"bursts that the kernel cut": {
			[]reportv1.Series{cpu(120), steps(periods, 10), steps(stopped, 1)},
			nil,
			`step "mixed": its CPU limit of 0.7 cores stopped server a:1 in 10 % of the scheduler's periods in which it had ` +
				"work, although it used 17 % of it on the whole",
		},
		"a second at the limit, by the CPU time alone": {
			[]reportv1.Series{cpu(120, [2]int64{6, 690}, [2]int64{7, 120})},
			nil,
			"server a:1 used all of its CPU limit of 0.7 cores in 10 % of the samples, although it used 25 %",
		},
		"a server that is driven to its limit": {
			[]reportv1.Series{cpu(680), steps(periods, 10), steps(stopped, 9)}, nil, "",
		},
		"three quarters of the limit": {[]reportv1.Series{cpu(525), steps(periods, 10), steps(stopped, 4)}, nil, ""},
		"less than that":              {[]reportv1.Series{cpu(517), steps(periods, 10), steps(stopped, 4)}, nil, "used 73 %"},
		"one period in a thousand":    {[]reportv1.Series{cpu(120), steps(periods, 1000), steps(stopped, 1)}, nil, ""},
		"a limit that is not known": {
			[]reportv1.Series{cpu(120), steps(periods, 10), steps(stopped, 1)},
			func(*reportv1.Report) {}, "",
		},
		"a load that goes to the limit by plan": {
			[]reportv1.Series{cpu(120), steps(periods, 10), steps(stopped, 1)}, func(r *reportv1.Report) {
				r.Server.CPULimitMillicores = 700
				step := &r.Steps[1]
				step.End, step.Steady = step.MeasureStart.Add(time.Minute), nil
				step.Operations[0].Count, step.Operations[0].ServiceTime = 60, histogram(t, make([]int64, 60)...)
				step.Operations[0].Intervals = make([]int64, 60)
				for i := range step.Operations[0].Intervals {
					step.Operations[0].Intervals[i] = 1
				}
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			series := append([]reportv1.Series{steps(reportv1.SeriesCPUSystem, 0)}, tc.series...)
			report := served(t, tc.change, observed("a:1", "standalone", series...))
			if tc.change == nil {
				report.Server.CPULimitMillicores = 700
			}
			got := doubtOf(t, report, benchv1alpha1.ReasonServerThrottled)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if said := strings.Join(result.Remarks(report), "; "); got != "" && strings.Contains(said, "CPU limit") {
				t.Errorf("what is doubted is a remark as well: %s", said)
			}
		})
	}
}
