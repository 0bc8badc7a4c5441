package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// newEngine follows a plan as its only pod.
func newEngine(plan planv1.Plan, target loadgen.Target) *engine.Engine {
	return &engine.Engine{
		Plan: plan, Target: target, Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
		NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
	}
}

// loading is a plan that only loads and verifies.
func loading(check benchv1alpha1.Verification) planv1.Plan {
	plan := testPlan(1, planv1.Step{Threads: 1, OperationCount: 1})
	plan.Steps = plan.Steps[:3]
	plan.Steps[2].Check = check
	return plan
}

func TestBatchesAreSentWhileOthersAreOnTheirWay(t *testing.T) {
	for name, tc := range map[string]struct {
		inFlight int
		want     time.Duration
	}{
		// Each of 4 workers has a quarter of the 101 to 121 requests of 10 documents, and each takes 10 ms.
		"one at a time":   {1, 310 * time.Millisecond},
		"two at a time":   {2, 160 * time.Millisecond},
		"eight at a time": {8, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkPipeline(t, tc.inFlight, tc.want) })
		})
	}
}

// checkPipeline loads with the given number of batches on their way, which may not take longer than wanted.
func checkPipeline(t *testing.T, inFlight int, want time.Duration) {
	t.Helper()
	target := &drivertest.Target{Latency: 10 * time.Millisecond, InFlight: inFlight, Keep: true}
	report, err := newEngine(loading(benchv1alpha1.VerifyAll), target).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step := report.Steps[1]
	if step.Duration() > want || target.MostInFlight() != inFlight {
		t.Errorf("%s with up to %d batches on their way, want at most %s with %d",
			step.Duration(), target.MostInFlight(), want, inFlight)
	}
	if step.Documents != documents || step.Operations[0].Documents != documents || step.Traffic.BytesOut == 0 {
		t.Errorf("%d documents, %d of them acknowledged, traffic %+v; want %d",
			step.Documents, step.Operations[0].Documents, step.Traffic, documents)
	}
	if got := decode(t, step.Operations[0].ServiceTime); !got.ValuesAreEquivalent(got.Max(), 10_000) {
		t.Errorf("batches took up to %d µs, want 10000", got.Max())
	}
}

func TestALoadIsResumedWhereItWas(t *testing.T) {
	target := &drivertest.Target{Keep: true}
	if _, err := newEngine(loading(benchv1alpha1.VerifyAll), target).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := target.Collections()
	again := newEngine(loading(benchv1alpha1.VerifyAll), target)
	again.Resume = true
	if _, err := again.Run(t.Context()); err != nil {
		t.Errorf("loading once more: %v", err)
	}
	if diff := cmp.Diff(want, target.Collections()); diff != "" {
		t.Errorf("loading once more changed the documents (-want +got):\n%s", diff)
	}
}

func TestIndexesAreMadeWhenThePlanSays(t *testing.T) {
	for name, tc := range map[string]struct {
		steps []planv1.Step
		want  []string
	}{
		"with the collections": {[]planv1.Step{{Name: "prepare", Kind: planv1.StepPrepare}}, []string{"things"}},
		"never":                {[]planv1.Step{{Name: "prepare", Kind: planv1.StepPrepare, WithoutIndexes: true}}, nil},
		"in a step of their own": {
			[]planv1.Step{
				{Name: "prepare", Kind: planv1.StepPrepare, WithoutIndexes: true}, {Name: "index", Kind: planv1.StepIndex},
			},
			[]string{"things"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := loading("")
			plan.Steps = tc.steps
			plan.Pods = 2
			target := &drivertest.Target{}
			if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, target.Indexed()); diff != "" {
				t.Errorf("indexes of collections (-want +got):\n%s", diff)
			}
		})
	}
}

// spoil changes the documents whose v is in a range, and takes those away whose v is below it.
func spoil(from, until int32) func(bson.Raw) bson.Raw {
	return func(document bson.Raw) bson.Raw {
		switch v := document.Lookup("v").Int32(); {
		case v < from:
			return nil
		case v < until:
			changed, err := bson.Marshal(bson.D{{Key: "_id", Value: document.Lookup("_id")}, {Key: "v", Value: int32(-1)}})
			if err != nil {
				return nil
			}
			return changed
		default:
			return document
		}
	}
}

func TestVerifyFindsEveryDifference(t *testing.T) {
	target := &drivertest.Target{Keep: true}
	plan := loading("")
	if _, err := newEngine(plan, target).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	target.Spoil = spoil(100, 300)
	var last, total int64
	progress := func(done, of int64) { last, total = done, of }
	verified, err := verify.Verify(t.Context(), target, plan, verify.Options{
		Check:    benchv1alpha1.VerifyAll,
		Progress: progress,
	})
	if err != nil {
		t.Fatal(err)
	}
	found := verified[0]
	// v is evenly spread from 0 to 1000: a tenth is missing, a fifth is other than it was.
	if found.Compared != documents || found.Different < 250 || found.Different > 350 || len(found.Differences) != 10 {
		t.Errorf("%d compared, %d different, %d told; want all, about 300, and 10",
			found.Compared, found.Different, len(found.Differences))
	}
	if got, want := [2]int64{last, total}, [2]int64{documents + 1, documents + 1}; got != want {
		t.Errorf("progress ended with %v, want %v", got, want)
	}
	message := found.Err().Error()
	for _, want := range []string{"is missing", `field "v" is {"$numberInt":"-1"}, and was to be {"$numberInt":`} {
		if !strings.Contains(message, want) {
			t.Errorf("the error says nothing of %q:\n%s", want, message)
		}
	}
	byRecord := func(a, b verify.Difference) int { return int(a.Record - b.Record) }
	if !slices.IsSortedFunc(found.Differences, byRecord) {
		t.Errorf("differences are not in the order of their records: %v", found.Differences)
	}
}

func TestVerifyStepsCompareAsFarAsTheySay(t *testing.T) {
	seconds := int32(60)
	nothing := func(*planv1.Collection) {}
	for name, tc := range map[string]struct {
		check     benchv1alpha1.Verification
		change    func(*planv1.Collection)
		wantError string
	}{
		"counting only": {"", nothing, ""},
		"all":           {benchv1alpha1.VerifyAll, nothing, "of the 1003 documents that were compared are missing"},
		"a sample":      {benchv1alpha1.VerifySample, nothing, "of the 1000 documents that were compared are missing"},
		"not of a capped collection": {
			benchv1alpha1.VerifyAll, func(c *planv1.Collection) { c.CappedBytes = 1 << 20 }, "",
		},
		"not with a TTL index": {
			benchv1alpha1.VerifySample, func(c *planv1.Collection) { c.Indexes = ttl(&seconds) }, "",
		},
		"all, with another index": {
			benchv1alpha1.VerifyAll, func(c *planv1.Collection) { c.Indexes = ttl(nil) }, "of the 1003 documents",
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := loading(tc.check)
			tc.change(&plan.Collections[0])
			_, err := newEngine(plan, &drivertest.Target{Keep: true, Spoil: spoil(100, 300)}).Run(t.Context())
			if text := fmt.Sprint(err); (err == nil) != (tc.wantError == "") || !strings.Contains(text, tc.wantError) {
				t.Errorf("error %v, want one with %q", err, tc.wantError)
			}
		})
	}
}

func ttl(seconds *int32) []planv1.Index {
	return []planv1.Index{{Keys: []planv1.IndexKey{{Field: "v", Order: "1"}}, ExpireAfterSeconds: seconds}}
}

func TestSessionsAreClosedOnAllPaths(t *testing.T) {
	closed := planv1.Step{Threads: 8, OperationCount: 100}
	open := planv1.Step{Threads: 8, WarmupSeconds: 3, DurationSeconds: 60, Arrival: constant(10, 10)}
	thinking := planv1.Step{Threads: 8, DurationSeconds: 60, ThinkTime: pause(59_000_000)}
	for name, tc := range map[string]struct {
		target *drivertest.Target
		step   planv1.Step
		pods   int
		// after is when the run is ended from outside; 0: never.
		after time.Duration
		fails bool
	}{
		"at the end of a closed loop":        {step: closed, pods: 2},
		"at the end of an open loop":         {step: open, pods: 2},
		"at the end of a search":             {step: upTo(400), pods: 1, target: &drivertest.Target{Latency: 1}},
		"when nothing succeeds":              {step: closed, pods: 1, target: &drivertest.Target{FailEvery: 1}, fails: true},
		"when one cannot be opened":          {step: closed, pods: 1, target: failing(7), fails: true},
		"when the load cannot open one":      {step: closed, pods: 1, target: failing(3), fails: true},
		"when it is ended in a closed loop":  {step: thinking, pods: 2, after: 30 * time.Second, fails: true},
		"when it is ended in an open loop":   {step: open, pods: 2, after: 30 * time.Second, fails: true},
		"when it is ended in a search":       {step: searchStep(), pods: 1, after: 5 * time.Second, fails: true},
		"when it is ended in the warm-up":    {step: open, pods: 1, after: time.Second, fails: true},
		"when it is ended during operations": {step: open, pods: 1, after: time.Second, fails: true, target: slow()},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.target == nil {
				tc.target = &drivertest.Target{}
			}
			synctest.Test(t, func(t *testing.T) {
				err := runUntil(t, tc.after, testPlan(tc.pods, tc.step), tc.target)
				if (err != nil) != tc.fails || tc.after > 0 && !errors.Is(err, errEnded) {
					t.Errorf("it ended with %v", err)
				}
				opened, closed := tc.target.Sessions()
				if opened == 0 || opened != closed {
					t.Errorf("%d sessions were opened and %d closed", opened, closed)
				}
			})
		})
	}
}

// errEnded is why runUntil ends a run.
var errEnded = errors.New("a key was pressed")

// failing is a database that refuses one of the sessions.
func failing(session int) *drivertest.Target {
	return &drivertest.Target{FailSession: session}
}

// slow is a database that takes longer for an operation than anybody waits.
func slow() *drivertest.Target {
	return &drivertest.Target{Latencies: map[int]time.Duration{0: time.Hour, 1: time.Hour, 2: time.Hour}}
}

// runUntil follows a plan, and ends that after a while unless the while is 0.
func runUntil(t *testing.T, after time.Duration, plan planv1.Plan, target *drivertest.Target) error {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if after > 0 {
		time.AfterFunc(after, func() { cancel(errEnded) })
	}
	_, err := drivertest.Run(ctx, plan, target)
	return err
}

func TestWhatRepliesSayIsReported(t *testing.T) {
	target := &drivertest.Target{
		Latencies: map[int]time.Duration{0: 4 * time.Millisecond, 1: 2 * time.Millisecond},
		Answer: func(request *workload.Request, reply *loadgen.Reply) {
			switch request.Operation {
			case 0:
				reply.First, reply.Documents = time.Now().Add(-3*time.Millisecond), 5
			case 1:
				reply.Retries = 2
			default:
				reply.Unacknowledged = true
			}
		},
	}
	step := measured(t, 1, planv1.Step{Threads: 4, OperationCount: 1000, SweepOf: "sweep"}, target)
	read, update, insert := step.Operations[0], step.Operations[1], step.Operations[2]
	first := decode(t, read.FirstDocument)
	if read.Documents != 5*read.Count || first.TotalCount() != read.Count || first.Max() != 1000 {
		t.Errorf("%d documents and first ones after up to %d µs; want %d and 1000", read.Documents, first.Max(), 5*read.Count)
	}
	if update.Retries != 2*update.Count || update.FirstDocument != "" {
		t.Errorf("%d retries of %d updates, want twice as many; first document %q", update.Retries, update.Count,
			update.FirstDocument)
	}
	if insert.Unacknowledged != insert.Count || insert.ServiceTime != "" {
		t.Errorf("%d of %d inserts unacknowledged, want all, without times", insert.Unacknowledged, insert.Count)
	}
	want := reportv1.Step{Client: "script", SweepOf: "sweep", Threads: 4}
	if got := (reportv1.Step{Client: step.Client, SweepOf: step.SweepOf, Threads: step.Threads}); !cmp.Equal(want, got) {
		t.Errorf("the step says %+v, want %+v", got, want)
	}
}

func TestProcessorsAreThoseOfThePlanAndSetBackAfterIt(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for name, tc := range map[string]struct{ planned, want int }{
		"as many as the plan says": {before + 1, before + 1}, "as many as Go says": {0, before},
	} {
		t.Run(name, func(t *testing.T) {
			plan := testPlan(1, planv1.Step{Threads: 4, OperationCount: 100})
			plan.Processors = tc.planned
			report, err := newEngine(plan, &drivertest.Target{}).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if used := report.Steps[3].Generator.Processors; used != tc.want {
				t.Errorf("the step ran with %d processors, want %d", used, tc.want)
			}
			if after := runtime.GOMAXPROCS(0); after != before {
				t.Errorf("%d processors after the plan, want %d as before", after, before)
			}
		})
	}
}
