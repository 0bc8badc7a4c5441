package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// faulty is a scripted database that fails every operation for a time after each action, given by its name.
type faulty struct {
	*drivertest.Target
	outages map[string]time.Duration

	mutex sync.Mutex
	// failing is since when, and until is for how long.
	failing, until time.Time
	// lost are the partitions that were gone along with.
	lost []string
}

func (f *faulty) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	session, err := f.Target.Session(ctx, use)
	return &faultySession{Session: session, target: f}, err
}

// Act makes it fail.
func (f *faulty) Act(ctx context.Context, _ string, action planv1.Action) (loadgen.Acted, error) {
	switch action.Name {
	case "unanswered":
		return loadgen.Acted{}, errors.New("no member of it is primary: " + strings.Repeat("x", 1000))
	case "building":
		<-time.After(2500 * time.Millisecond)
		return loadgen.Acted{Outcome: "5 bytes freed"}, nil
	case "endless":
		<-ctx.Done()
		return loadgen.Acted{}, ctx.Err()
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.failing, f.until = time.Now(), time.Now().Add(f.outages[action.Name])
	return loadgen.Acted{Member: "host:1"}, nil
}

// Partition takes a second, unless nothing is cut off. Each pod that lost its connections is noted.
func (f *faulty) Partition(ctx context.Context, action planv1.Action, member string, request func() error) error {
	if request != nil {
		if err := request(); err != nil {
			return err
		}
	}
	if action.Name == "open" {
		return errors.New("new connections got through")
	}
	<-time.After(time.Second)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.lost = append(f.lost, fmt.Sprintf("%s %s first %t", action.Name, member, request != nil))
	return ctx.Err()
}

type faultySession struct {
	loadgen.Session
	target *faulty
}

// Execute takes a second to find out that the database is away.
func (s *faultySession) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	err := s.Session.Execute(ctx, request, reply)
	s.target.mutex.Lock()
	now := time.Now()
	away := now.After(s.target.failing) && now.Before(s.target.until)
	s.target.mutex.Unlock()
	if !away {
		return err
	}
	<-time.After(time.Second)
	return drivertest.ErrScripted
}

// faults are measured for half a minute, two operations in 100 ms each.
func faults(pods int, actions ...planv1.Action) planv1.Plan {
	for i := range actions {
		actions[i].Name = strings.TrimSpace(actions[i].Name)
		if actions[i].Type == "" {
			actions[i].Type = benchv1alpha1.ActionStepDown
		}
	}
	return testPlan(pods, planv1.Step{Threads: 2 * pods, DurationSeconds: 30, Actions: actions})
}

func newFaulty() *faulty {
	return &faulty{
		Target:  &drivertest.Target{Latency: 100 * time.Millisecond},
		outages: map[string]time.Duration{"fault": 3500 * time.Millisecond, "second": 2500 * time.Millisecond},
	}
}

// outcomes are the actions of the only Measure step.
func outcomes(t *testing.T, reports ...reportv1.Report) []reportv1.Action {
	t.Helper()
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	step := merged.Steps[len(merged.Steps)-1]
	for _, operation := range step.Operations {
		if operation.Errors != sum(operation.IntervalErrors) || operation.Count != sum(operation.Intervals) {
			t.Errorf("%s: the intervals do not add up", operation.Name)
		}
	}
	return step.Actions
}

func sum(counts []int64) int64 {
	var all int64
	for _, count := range counts {
		all += count
	}
	return all
}

func TestActionsAreDoneWhileTheLoadGoesOn(t *testing.T) {
	for name, tc := range map[string]struct {
		pods    int
		actions []planv1.Action
		want    []reportv1.Action
	}{
		"one, whose outage ends with the first operation that begins after it": {
			pods: 1, actions: []planv1.Action{{Name: "fault", AfterSeconds: 10}},
			want: []reportv1.Action{{
				Name: "fault", Type: "StepDown", Member: "host:1", AtMillis: 10_000, UntilMillis: 30_000,
				OutageMicros: 4_500_000, RecoveryMillis: new(int64(5000)),
			}},
		},
		"several pods": {
			pods: 3, actions: []planv1.Action{{Name: "fault", AfterSeconds: 10}},
			want: []reportv1.Action{{
				Name: "fault", Type: "StepDown", Member: "host:1", AtMillis: 10_000, UntilMillis: 30_000,
				OutageMicros: 4_500_000, RecoveryMillis: new(int64(5000)),
			}},
		},
		"one after the other, and what cannot be done": {
			pods: 1, actions: []planv1.Action{
				{Name: "unanswered", AfterSeconds: 5}, {Name: "fault", AfterSeconds: 10}, {Name: "second", AfterSeconds: 20},
			},
			want: []reportv1.Action{
				{
					Name: "unanswered", Type: "StepDown", AtMillis: 5000, UntilMillis: 10_000, OutageMicros: 100_000,
					RecoveryMillis: new(int64(0)), Error: "no member of it is primary: " + strings.Repeat("x", 372) + "...",
				},
				{
					Name: "fault", Type: "StepDown", Member: "host:1", AtMillis: 10_000, UntilMillis: 20_000,
					OutageMicros: 4_500_000, RecoveryMillis: new(int64(5000)),
				},
				{
					Name: "second", Type: "StepDown", Member: "host:1", AtMillis: 20_000, UntilMillis: 30_000,
					OutageMicros: 3_400_000, RecoveryMillis: new(int64(4000)),
				},
			},
		},
		"one that takes its time, and harms nothing": {
			pods: 2, actions: []planv1.Action{
				{Name: "building", Type: benchv1alpha1.ActionCreateIndex, AfterSeconds: 10, Index: &planv1.Index{}},
			},
			want: []reportv1.Action{{
				Name: "building", Type: "CreateIndex", AtMillis: 10_000, UntilMillis: 30_000, TookMicros: 2_500_000,
				Outcome:      "5 bytes freed",
				OutageMicros: 100_000, RecoveryMillis: new(int64(0)),
			}},
		},
		"one that does not end": {
			pods: 1, actions: []planv1.Action{{Name: "endless", AfterSeconds: 29}},
			want: []reportv1.Action{{
				Name: "endless", Type: "StepDown", AtMillis: 29_000, UntilMillis: 30_000, OutageMicros: 100_000,
				RecoveryMillis: new(int64(0)), Error: "it had not ended 30s after the step",
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reports, err := drivertest.Run(t.Context(), faults(tc.pods, tc.actions...), newFaulty())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, outcomes(t, reports...)); diff != "" {
					t.Errorf("actions (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAnOutageOfMoreThanAMinuteEndsNoStepWithActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := newFaulty()
		target.outages["fault"] = 10 * time.Minute
		plan := faults(1, planv1.Action{Name: "fault", AfterSeconds: 10})
		plan.Steps[3].DurationSeconds = 120
		reports, err := drivertest.Run(t.Context(), plan, target)
		if err != nil {
			t.Fatal(err)
		}
		got := outcomes(t, reports...)
		if got[0].OutageMicros != 110_000_000 || *got[0].RecoveryMillis != reportv1.NeverRecovered {
			t.Errorf("got %+v, want an outage until the end", got[0])
		}
	})
}

func TestTheOperatorIsAskedAtOnceAndToldAgain(t *testing.T) {
	for name, operated := range map[string]bool{"by the operator": true, "by hand": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { askFor(t, operated) })
		})
	}
}

// askFor measures a step with an action of the operator's.
func askFor(t *testing.T, operated bool) {
	t.Helper()
	plan := faults(1, planv1.Action{Name: "kill", Type: benchv1alpha1.ActionDeletePod, AfterSeconds: 10})
	whole := newEngine(plan, newFaulty())
	whole.Operated = operated
	reporter := &drivertest.Reporter{}
	whole.Reporter = reporter
	begun := time.Now()
	report, err := whole.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	action := outcomes(t, report)[0]
	if operated == (action.Error != "") || action.Member != "host:1" {
		t.Errorf("got %+v", action)
	}
	asked := slices.DeleteFunc(reporter.Seen(), func(p reportv1.Progress) bool { return len(p.Requests) == 0 })
	if !operated {
		if len(asked) > 0 {
			t.Errorf("an action was asked for: %+v", asked)
		}
		return
	}
	due := begun.Add(report.Steps[3].MeasureStart.Sub(begun) + 10*time.Second)
	want := reportv1.ActionRequest{Step: 3, Member: "host:1", At: due.UTC()}
	last := asked[len(asked)-1]
	if len(asked) < 10 || last.State != reportv1.ProgressDone {
		t.Errorf("it was told %d times, the last in state %s", len(asked), last.State)
	}
	for _, progress := range asked {
		if diff := cmp.Diff([]reportv1.ActionRequest{want}, progress.Requests); diff != "" {
			t.Fatalf("requests (-want +got):\n%s", diff)
		}
	}
}

func TestActionsNeedAnActor(t *testing.T) {
	step := planv1.Step{Threads: 1, DurationSeconds: 5, Actions: []planv1.Action{{Name: "a"}}}
	_, err := newEngine(testPlan(1, step), &drivertest.Target{}).Run(t.Context())
	if want := "script v1 cannot"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// TestEveryPodLosesWhatItHasOpenToAMemberThatIsCutOff has an operator cut a member off, on a network that obeys and
// on one that does not.
func TestEveryPodLosesWhatItHasOpenToAMemberThatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := newFaulty()
		cut := planv1.Action{Name: "cut", Type: benchv1alpha1.ActionPartition, AfterSeconds: 5, DurationSeconds: 5}
		open := cut
		open.Name, open.AfterSeconds = "open", 15
		reports, err := drivertest.Run(t.Context(), faults(2, cut, open), target)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(target.lost)
		if want := []string{"cut host:1 first false", "cut host:1 first true"}; !slices.Equal(target.lost, want) {
			t.Errorf("connections were lost by %q, want %q", target.lost, want)
		}
		actions := outcomes(t, reports...)
		if actions[0].Error != "" || actions[1].Error != "new connections got through" {
			t.Errorf("the errors are %q and %q, want none and that of the network", actions[0].Error, actions[1].Error)
		}
	})
}
