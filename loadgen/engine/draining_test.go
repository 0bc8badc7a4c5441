package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
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

// silentInserts is a database that applies the unacknowledged inserts of the mix this much later.
func silentInserts(backlog time.Duration) *drivertest.Target {
	return &drivertest.Target{Latency: time.Millisecond, Silent: map[int]bool{2: true}, Backlog: backlog}
}

func TestUnacknowledgedWritesAreWaitedForAndCounted(t *testing.T) {
	target := silentInserts(3 * time.Second)
	step := measured(t, 1, planv1.Step{Threads: 4, WarmupSeconds: 2, DurationSeconds: 10}, target)
	inserts := step.Operations[2].Count
	want := &reportv1.Drain{
		Operations: []string{"insert"}, Micros: 3_000_000, Counted: true, Sent: inserts, Arrived: inserts,
	}
	if diff := cmp.Diff(want, step.Drain); diff != "" {
		t.Errorf("drain (-want +got):\n%s", diff)
	}
	if warm := step.MeasureStart.Sub(step.Start); warm != 5*time.Second {
		t.Errorf("the window begins %s after the start, want the warm-up and what it left, 5s", warm)
	}
	if step.Duration() != 10*time.Second || inserts == 0 {
		t.Errorf("a window of %s with %d inserts, want 10s and some", step.Duration(), inserts)
	}
}

func TestAThroughputOfUnacknowledgedWritesEndsWhenTheyWereTakenIn(t *testing.T) {
	step := measured(t, 1, planv1.Step{Threads: 4, DurationSeconds: 10}, silentInserts(10*time.Second))
	summary, err := result.Summarise(reportv1.Report{Steps: []reportv1.Step{step}})
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for i, o := range summary.Steps[0].Operations {
		want := step.Operations[i].Count / 10
		if o.Name == "insert" {
			want = step.Operations[i].Count / 20
		}
		if o.OperationsPerSecond < want-1 || o.OperationsPerSecond > want+1 {
			t.Errorf("%s: %d operations/s, want %d", o.Name, o.OperationsPerSecond, want)
		}
		sum += o.OperationsPerSecond
	}
	if all := summary.Steps[0].Overall.OperationsPerSecond; all < sum-2 || all > sum+2 {
		t.Errorf("all operations together have %d/s, and each one's add up to %d/s", all, sum)
	}
}

func TestTheNextStepBeginsWhenUnacknowledgedWritesWereTakenIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, planv1.Step{Threads: 4, DurationSeconds: 5})
		after := plan.Steps[3]
		after.Name = "after"
		plan.Steps = append(plan.Steps, after)
		reports, err := drivertest.Run(t.Context(), plan, silentInserts(7*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		first, second := reports[0].Steps[3], reports[0].Steps[4]
		if between := second.Start.Sub(first.End); between < 7*time.Second {
			t.Errorf("the next step began %s after the window, want not before 7s", between)
		}
	})
}

func TestDocumentsOfUnacknowledgedInsertsAreCountedWhereThatSaysAnything(t *testing.T) {
	for name, tc := range map[string]struct {
		pods    int
		change  func(plan *planv1.Plan)
		refused int64
		want    bool
	}{
		"nothing else changes their number": {pods: 1, want: true},
		"the server refuses some":           {pods: 1, refused: 7, want: true},
		"several pods insert":               {pods: 2},
		"another operation deletes": {pods: 1, change: with(planv1.Operation{
			Request: planv1.Request{Kind: "DeleteOne"},
		})},
		"another operation may insert": {pods: 1, change: with(planv1.Operation{
			Request: planv1.Request{Kind: "UpdateOne", WhenMissing: benchv1alpha1.MissingInsert},
		})},
		"a collection forgets": {pods: 1, change: func(plan *planv1.Plan) {
			plan.Collections[0].CappedBytes = 1 << 20
		}},
		"documents expire": {pods: 1, change: func(plan *planv1.Plan) {
			plan.Collections[0].Indexes = ttl(new(int32))
		}},
		"another operation inserts in a bulk":    {pods: 1, change: with(bulk("things"))},
		"a bulk inserts into another collection": {pods: 1, change: with(bulk("others")), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			plan := testPlan(tc.pods, planv1.Step{Threads: 4, OperationCount: 1000})
			if tc.change != nil {
				tc.change(&plan)
			}
			target := silentInserts(time.Second)
			target.Refused = tc.refused
			var drain *reportv1.Drain
			synctest.Test(t, func(t *testing.T) { drain = merge(t, plan, target).Steps[3].Drain })
			if drain.Counted != tc.want || drain.Sent-drain.Arrived != tc.refused || drain.Micros < 1_000_000 {
				t.Errorf("drain is %+v; want it counted: %t, with %d refused", drain, tc.want, tc.refused)
			}
		})
	}
}

// moving is a database that moves documents from shard to shard.
type moving struct{ *drivertest.Target }

func (moving) Balancing(context.Context) (bool, error) { return true, nil }

func (moving) Sizes(context.Context, string, []planv1.Collection) ([]reportv1.CollectionSize, error) {
	return nil, nil
}

func TestDocumentsOnTheirWayBetweenShardsAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, planv1.Step{Threads: 4, OperationCount: 1000})
		if drain := merge(t, plan, moving{silentInserts(time.Second)}).Steps[3].Drain; drain == nil || drain.Counted {
			t.Errorf("drain is %+v, want one without a count", drain)
		}
	})
}

// with puts something in the place of the update of the mix.
func with(operation planv1.Operation) func(*planv1.Plan) {
	return func(plan *planv1.Plan) {
		update := &plan.Steps[3].Operations[1]
		update.Kind, update.WhenMissing = operation.Kind, operation.WhenMissing
		update.Operations = operation.Operations
		if operation.Kind != "UpdateOne" {
			update.Update = ""
		}
		if len(operation.Operations) > 0 {
			update.Filter, update.Parameters, update.Collection = "", nil, operation.Operations[0].Collection
			plan.Collections = append(plan.Collections, plan.Collections[0])
			plan.Collections[1].Name = "others"
		}
	}
}

// bulk inserts into a collection.
func bulk(collection string) planv1.Operation {
	return planv1.Operation{
		Request:       planv1.Request{Kind: "BulkWrite"},
		WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{{Kind: "InsertOne", Collection: collection}}},
	}
}

var errBroke = errors.New("the connection broke")

func TestAWaitForUnacknowledgedWritesEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		target *drivertest.Target
		want   string
	}{
		"when it is not known": {
			&drivertest.Target{
				Latency: time.Millisecond, Silent: map[int]bool{2: true}, FailDrain: func() error { return errBroke },
			}, "the connection broke",
		},
		"as it takes too long": {silentInserts(time.Hour), "had not taken in within 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			step := measured(t, 1, planv1.Step{Threads: 4, DurationSeconds: 5}, tc.target)
			if step.Drain == nil || step.Drain.Counted || !strings.Contains(step.Drain.Failed, tc.want) {
				t.Fatalf("drain is %+v, want one that failed with %q", step.Drain, tc.want)
			}
			doubts, err := result.Doubts(reportv1.Report{Steps: []reportv1.Step{step}})
			if err != nil || len(doubts) == 0 || doubts[0].Reason != benchv1alpha1.ReasonWritesUnaccounted {
				t.Errorf("doubts are %+v, error %v", doubts, err)
			}
		})
	}
}

func TestASearchKeepsNoRateThatIsNotTakenIn(t *testing.T) {
	target := &drivertest.Target{
		Latency: time.Millisecond, Silent: map[int]bool{0: true, 1: true, 2: true}, Backlog: 2 * time.Second,
	}
	if found := measured(t, 1, searchStep(), target).Search.Found; found != 0 {
		t.Errorf("found %d operations/s, which the database takes in later only", found)
	}
}

func TestAWaitThatFailsInOneTrialSaysNothingOfTheNext(t *testing.T) {
	target := &drivertest.Target{Latency: time.Millisecond, Silent: map[int]bool{0: true, 1: true, 2: true}}
	var once sync.Once
	target.FailDrain = func() (err error) {
		if target.Executed() > 1000 { // The first trial, of the lowest rate, is over.
			once.Do(func() { err = errBroke })
		}
		return err
	}
	step := measured(t, 1, upTo(1000), target)
	if trials := step.Search.Trials; !trials[0].Kept || trials[1].Kept || !trials[2].Kept {
		t.Errorf("want the second trial to fail, and it alone of the first three: %+v", trials)
	}
	if step.Search.Found == 0 || step.Drain.Failed != "" {
		t.Errorf("found %d operations/s, drain is %+v: the last trial had no fault", step.Search.Found, step.Drain)
	}
}

func TestTheEndOfTheContextEndsAWaitForUnacknowledgedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, planv1.Step{Threads: 4, DurationSeconds: 5})
		begin := time.Now()
		if err := runUntil(t, 10*time.Second, plan, silentInserts(time.Hour)); !errors.Is(err, errEnded) {
			t.Errorf("error %v, want the context's cause", err)
		}
		if took := time.Since(begin); took > 11*time.Second {
			t.Errorf("it took %s to end", took)
		}
	})
}
