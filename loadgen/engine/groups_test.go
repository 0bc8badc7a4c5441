package engine_test

import (
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// pause is a think time that is always the same.
func pause(micros int64) *planv1.ThinkTime {
	return &planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeConstant, Micros: micros}
}

// grouped is testPlan's step, cut into groups that are given in the order of the operations read, update and insert.
func grouped(pods, seconds int, groups ...planv1.Group) planv1.Plan {
	plan := testPlan(pods, planv1.Step{DurationSeconds: seconds, Groups: groups})
	plan.Steps = plan.Steps[3:]
	step := &plan.Steps[0]
	for i := range step.Operations {
		step.Operations[i].Group = groups[min(i, len(groups)-1)].Name
	}
	for _, group := range groups {
		step.Threads += group.Threads
	}
	return plan
}

// groupsOf follows a plan of one step under fake time, and returns what all pods together measured.
func groupsOf(t *testing.T, plan planv1.Plan, target *drivertest.Target) (reportv1.Step, reportv1.StepSummary) {
	t.Helper()
	var merged reportv1.Report
	synctest.Test(t, func(t *testing.T) {
		reports, err := drivertest.Run(t.Context(), plan, target)
		if err != nil {
			t.Fatal(err)
		}
		if merged, err = result.Merge(reports); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := result.Doubts(merged); err != nil {
		t.Errorf("the report contradicts itself: %v", err)
	}
	summary, err := result.Summarise(merged)
	if err != nil {
		t.Fatal(err)
	}
	return merged.Steps[0], summary.Steps[0]
}

// span is what a group did: when it began, how long it worked, how many operations it had, and at which rate.
type span struct {
	Name          string
	Begin, Length time.Duration
	Count, Rate   int64
}

// spans are those of all groups, to the hundredth of a second.
func spans(summary reportv1.StepSummary) []span {
	const precision = 10 * time.Millisecond
	all := make([]span, 0, len(summary.Groups))
	for _, group := range summary.Groups {
		all = append(all, span{
			group.Name, (time.Duration(group.BeginMillis) * time.Millisecond).Round(precision),
			(time.Duration(group.DurationMillis) * time.Millisecond).Round(precision),
			group.Overall.Count, group.Overall.OperationsPerSecond,
		})
	}
	return all
}

func TestGroupsWorkAtTheSameTime(t *testing.T) {
	const second = time.Second
	for name, tc := range map[string]struct {
		pods   int
		groups []planv1.Group
		want   []span
	}{
		"a closed loop, and reports that begin later at a rate": {
			1,
			[]planv1.Group{
				{Name: "oltp", Threads: 8},
				{Name: "reports", Threads: 2, StartAfterSeconds: 10, DurationSeconds: 15, Arrival: constant(5, 100)},
			},
			[]span{{"oltp", 0, 30 * second, 8 * 3000, 800}, {"reports", 10 * second, 15 * second, 75, 5}},
		},
		"the same on four pods, of which only two have a report": {
			4,
			[]planv1.Group{
				{Name: "oltp", Threads: 8},
				{Name: "reports", Threads: 2, StartAfterSeconds: 10, DurationSeconds: 15, Arrival: constant(5, 100)},
			},
			[]span{{"oltp", 0, 30 * second, 8 * 3000, 800}, {"reports", 10 * second, 15 * second, 75, 5}},
		},
		"writers that stop, and readers that begin then; a third group goes with the writers": {
			1,
			[]planv1.Group{
				{Name: "writers", Threads: 4, OperationCount: 2000},
				{Name: "readers", Threads: 2, StartAfter: "writers", StartAfterSeconds: 2},
				{Name: "background", Threads: 1, StopWith: "writers", ThinkTime: pause(3_600_000_000)},
			},
			[]span{
				{"writers", 0, 5 * second, 2000, 400},
				{"readers", 7 * second, 23 * second, 4600, 200},
				// Its thread rests for an hour after its first operation, and is not waited for.
				{"background", 0, 10 * time.Millisecond, 1, 100},
			},
		},
		"a schedule that ends with another group": {
			1,
			[]planv1.Group{
				{Name: "main", Threads: 1, DurationSeconds: 4},
				{Name: "rare", Threads: 1, StopWith: "main", Arrival: &planv1.Arrival{
					Process: benchv1alpha1.ArrivalTrace, GapsMicros: []int64{1_000_000, 20_000_000}, MaxQueued: 10,
				}},
				{Name: "after", Threads: 1, StartAfter: "rare"},
			},
			[]span{
				{"main", 0, 4 * second, 400, 100},
				{"rare", 0, 1010 * time.Millisecond, 2, 2},
				{"after", 4 * second, 26 * second, 2600, 100},
			},
		},
		"a group whose turn does not come": {
			1,
			[]planv1.Group{
				{Name: "long", Threads: 1, OperationCount: 1_000_000}, {Name: "never", Threads: 1, StartAfter: "long"},
			},
			[]span{{"long", 0, 30 * second, 3000, 100}, {Name: "never"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := grouped(tc.pods, 30, tc.groups...)
			_, summary := groupsOf(t, plan, &drivertest.Target{Latency: 10 * time.Millisecond})
			if diff := cmp.Diff(tc.want, spans(summary)); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThreadsOfAGroupRiseAndFall(t *testing.T) {
	for _, pods := range []int{1, 3} {
		plan := grouped(pods, 40, planv1.Group{Name: "users", Threads: 10, ThreadStages: []planv1.ThreadStage{
			{Seconds: 10, From: 0, To: 10},
			{Seconds: 10, From: 10, To: 10},
			{Seconds: 10, From: 10, To: 2},
			{Seconds: 5, From: 0, To: 0},
			{Seconds: 1, From: 1, To: 1},
		}})
		step, _ := groupsOf(t, plan, &drivertest.Target{Latency: 10 * time.Millisecond})
		var perSecond []int64
		for _, operation := range step.Operations {
			perSecond = result.AddCounts(perSecond, operation.Intervals)
		}
		for second, want := range map[int]int64{
			0: 50, 4: 450, 9: 950, 10: 1000, 19: 1000, 20: 960, 29: 240, 31: 0, 34: 0, 35: 100, 39: 100,
		} {
			// A worker ends with the operation that it is at, and begins with the second: one each.
			if got := perSecond[second]; got < want-12 || got > want+12 {
				t.Errorf("%d pods: %d operations in second %d, want about %d", pods, got, second, want)
			}
		}
	}
}

// Whatever the number of pods, groups send the same operations at the same times.
func TestPodsShareGroupsExactly(t *testing.T) {
	of := func(pods int) ([]reportv1.Operation, map[string]int) {
		target := &drivertest.Target{Latency: 3 * time.Millisecond}
		step, _ := groupsOf(t, grouped(pods, 600,
			planv1.Group{Name: "thinking", Threads: 8, OperationCount: 803, ThinkTime: &planv1.ThinkTime{
				Distribution: benchv1alpha1.ThinkTimeExponential, Micros: 1700,
			}},
			planv1.Group{Name: "steady", Threads: 64, DurationSeconds: 5, StartAfterSeconds: 1, Arrival: &planv1.Arrival{
				Process: benchv1alpha1.ArrivalPoisson, MaxQueued: 1000,
				Stages: []planv1.ArrivalStage{{Seconds: 5, From: 50, To: 500}},
			}},
			planv1.Group{Name: "bulk", Threads: 8, OperationCount: 500},
		), target)
		for i := range step.Operations {
			step.Operations[i].Intervals, step.Operations[i].IntervalTimes = nil, nil
		}
		return step.Operations, target.Requests()
	}
	want, wantRequests := of(1)
	if len(wantRequests) < 100 {
		t.Fatalf("only %d different requests", len(wantRequests))
	}
	for _, pods := range []int{4, 8} {
		got, gotRequests := of(pods)
		if !maps.Equal(wantRequests, gotRequests) {
			t.Errorf("%d pods send other operations than one", pods)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d pods measure something else than one (-want +got):\n%s", pods, diff)
		}
	}
}

// The group that has a rare and slow operation to itself does not pace the others.
func TestGroupsDoNotPaceEachOther(t *testing.T) {
	target := &drivertest.Target{Latency: time.Millisecond}
	_, summary := groupsOf(t, grouped(1, 20,
		planv1.Group{Name: "fast", Threads: 4},
		planv1.Group{Name: "slow", Threads: 1, ThinkTime: pause(500_000)},
	), target)
	if got := summary.Groups[0].Overall.OperationsPerSecond; got != 4000 {
		t.Errorf("the fast group does %d operations/s beside the slow one, want 4000", got)
	}
	if got := summary.Overall.Count; got != 80_000+40 {
		t.Errorf("%d operations in all, want 80040", got)
	}
}

func TestThinkTimesAreDrawn(t *testing.T) {
	for name, tc := range map[string]struct {
		think planv1.ThinkTime
		// fewest and most operations of 20 threads in 100 s at 10 ms each.
		fewest, most int64
	}{
		"uniform from 20 to 60 ms": {
			planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeUniform, Micros: 20_000, MaxMicros: 60_000},
			39_600, 40_400,
		},
		"exponential with a mean of 40 ms": {
			planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeExponential, Micros: 40_000}, 39_400, 40_600,
		},
		"normal around 40 ms": {
			planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeNormal, Micros: 40_000, DeviationMicros: 5_000},
			39_800, 40_300,
		},
		"a pace of 50 ms": {
			planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeConstant, Micros: 50_000, FromStart: true}, 40_000, 40_000,
		},
		"a pace that is too fast": {
			planv1.ThinkTime{Distribution: benchv1alpha1.ThinkTimeConstant, Micros: 5_000, FromStart: true},
			200_000, 200_000,
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{Latency: 10 * time.Millisecond, Forget: true}
			step := measured(t, 1, planv1.Step{Threads: 20, DurationSeconds: 100, ThinkTime: &tc.think}, target)
			services := times(t, step, service)
			if got := services.TotalCount(); got < tc.fewest || got > tc.most {
				t.Errorf("%d operations, want %d to %d", got, tc.fewest, tc.most)
			}
			if !services.ValuesAreEquivalent(services.Max(), 10_000) {
				t.Errorf("service time up to %d µs, want 10000: thinking is not the database's", services.Max())
			}
		})
	}
}

func TestAnOperationHasAThinkTimeOfItsOwn(t *testing.T) {
	plan := testPlan(1, planv1.Step{Threads: 1, DurationSeconds: 1000})
	plan.Steps = plan.Steps[3:]
	plan.Steps[0].Operations[2].ThinkTime = pause(1_000_000) // One in ten.
	step, _ := groupsOf(t, plan, &drivertest.Target{Latency: 10 * time.Millisecond})
	inserts, all := step.Operations[2].Count, int64(0)
	for _, operation := range step.Operations {
		all += operation.Count
	}
	if took := inserts*1_000 + all*10; took < 990_000 || took > 1_010_000 {
		t.Errorf("%d inserts of %d operations took %d ms in 1,000 s", inserts, all, took)
	}
}

// What was measured of groups until the step was cut is over the time until then.
func TestGroupsOfAStepThatIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := grouped(1, 3600,
			planv1.Group{Name: "early", Threads: 2},
			planv1.Group{Name: "rated", Threads: 4, Arrival: constant(50, 100), StartAfterSeconds: 10},
			planv1.Group{Name: "late", Threads: 1, StartAfterSeconds: 60},
		)
		target := &drivertest.Target{Latency: 10 * time.Millisecond}
		report, err := cutShort(t, plan, target, 30004*time.Millisecond, errors.New("enough"))
		if err == nil || report.Partial == nil {
			t.Fatalf("error %v and partial %v, want both", err, report.Partial)
		}
		if _, err := result.Doubts(report); err != nil {
			t.Errorf("the report contradicts itself: %v", err)
		}
		summary, err := result.Summarise(report)
		if err != nil {
			t.Fatal(err)
		}
		want := []span{
			{"early", 0, 30 * time.Second, 6000, 200}, {"rated", 10 * time.Second, 20 * time.Second, 1000, 50}, {Name: "late"},
		}
		if diff := cmp.Diff(want, spans(summary.Steps[0])); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
	})
}

// A step whose groups have all ended is over: what comes after it is not in its window.
func TestAStepEndsWithItsLastGroup(t *testing.T) {
	step, summary := groupsOf(t, grouped(1, 3600,
		planv1.Group{Name: "counted", Threads: 2, OperationCount: 1000},
		planv1.Group{Name: "timed", Threads: 1, DurationSeconds: 8},
	), &drivertest.Target{Latency: 10 * time.Millisecond})
	if took := step.Duration(); took != 8*time.Second || summary.DurationMillis != 8000 {
		t.Errorf("the step took %s, and its rates are over %d ms, want 8 s", took, summary.DurationMillis)
	}
	if got := summary.Overall.OperationsPerSecond; got != (1000+800)/8 {
		t.Errorf("%d operations/s in all, want 225", got)
	}
}
