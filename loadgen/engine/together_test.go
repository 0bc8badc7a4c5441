package engine_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// searching is a plan of several pods that search, and do nothing else.
func searching(pods int, step planv1.Step) planv1.Plan {
	plan := testPlan(pods, step)
	plan.Steps = plan.Steps[3:]
	return plan
}

// Twelve workers with operations of 10 ms get 1200 of them done in a second, whatever the pods that they are in.
func TestSeveralPodsFindTheRateThatTheirThreadsCanKeep(t *testing.T) {
	step := searchStep()
	step.Threads = 12
	for _, pods := range []int{2, 3} {
		target := &drivertest.Target{Latency: 10 * time.Millisecond}
		whole := measured(t, pods, step, target)
		found := whole.Search
		if found.Found > 1212 || float64(found.Found)*1.03 < 1200 || found.LimitedBy != reportv1.LimitedByThreads {
			t.Fatalf("%d pods found %d operations/s by %s, want 1200 within 3 %% by their threads: %+v", pods, found.Found,
				found.LimitedBy, found.Trials)
		}
		last := found.Trials[len(found.Trials)-1]
		want := reportv1.Trial{
			Rate: found.Found, Achieved: found.Found, Millis: 20_000, Due: 20 * found.Found, Micros: 10_000, Kept: true,
			OddsToOne: 9, Confirmation: true,
		}
		if last.Micros < 10_000 || last.Micros > 12_000 {
			t.Errorf("p99 of the last trial is %d µs, want about 10 ms", last.Micros)
		}
		if last.Micros, last.RecoveryMillis = 10_000, 0; last != want {
			t.Errorf("the last trial is %+v, want %+v", last, want)
		}
		count, _ := totals(whole)
		if whole.Threads != 12 || count != 20*found.Found || whole.Arrivals.Due != count {
			t.Errorf("%d threads have %d operations of %d due, want 12 and the %d of the confirmation", whole.Threads, count,
				whole.Arrivals.Due, 20*found.Found)
		}
		if inserts, different := inserted(target); inserts != different {
			t.Errorf("%d inserts of %d different documents: pods or trials have the same numbers", inserts, different)
		}
		grows(t, found.Trials)
	}
}

func TestSeveralPodsFindTheRateThatATargetCanKeep(t *testing.T) {
	step := searchStep()
	step.Threads = 99
	step.Search.Process, step.Search.TolerancePercent = benchv1alpha1.ArrivalPoisson, 5
	step.Search.Lowest, step.Search.LimitMicros = 40, 250_000
	found := measured(t, 3, step, &drivertest.Target{Latency: 20 * time.Millisecond, Places: 4, Forget: true}).Search
	if found.Found > 210 || found.Found < 180 || found.LimitedBy != reportv1.LimitedByTarget {
		t.Errorf("found %d operations/s by %s, want 200 within 10 %% by the target: %+v", found.Found, found.LimitedBy,
			found.Trials)
	}
}

// disturbed are the trials of a pod whose words or ears are not as they should be.
type disturbed struct {
	loadgen.Trials

	// next is told of each order before the pod is.
	next func(reportv1.TrialOrder)
	// answer and order may change what the pod says, and keep it back.
	answer func(*reportv1.TrialAnswer) bool
	order  func(reportv1.TrialOrder) bool
}

func (f disturbed) Next(ctx context.Context, step, after int) (reportv1.TrialOrder, error) {
	order, err := f.Trials.Next(ctx, step, after)
	if f.next != nil && err == nil {
		f.next(order)
	}
	return order, err
}

func (f disturbed) Answer(ctx context.Context, answer reportv1.TrialAnswer) error {
	if f.answer != nil && !f.answer(&answer) {
		return nil
	}
	return f.Trials.Answer(ctx, answer)
}

func (f disturbed) Order(ctx context.Context, order reportv1.TrialOrder) error {
	if f.order != nil && !f.order(order) {
		return nil
	}
	return f.Trials.Order(ctx, order)
}

// hardOfHearing has a pod hear of its first trial and of the fourth too late.
func hardOfHearing(told loadgen.Trials) loadgen.Trials {
	heard := 0
	late := func(order reportv1.TrialOrder) {
		if heard++; heard == 1 || heard == 4 {
			<-time.After(time.Until(order.Start) + 300*time.Millisecond)
		}
	}
	return disturbed{Trials: told, next: late, order: func(order reportv1.TrialOrder) bool {
		late(order)
		return true
	}}
}

// Trials that a pod hears of too late are made again, and count for nothing.
func TestATrialThatAPodLearnsOfTooLateIsMadeAgain(t *testing.T) {
	step := searchStep()
	step.Threads = 12
	for name, late := range map[string]int{"pod 0": 0, "another pod": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pods := drivertest.Pods(searching(3, step), &drivertest.Target{Latency: 10 * time.Millisecond, Forget: true})
				pods[late].Trials = hardOfHearing(pods[late].Trials)
				reports, err := drivertest.Follow(t.Context(), pods)
				if err != nil {
					t.Fatal(err)
				}
				found := reports[0].Steps[0].Search
				if found.Found > 1212 || float64(found.Found)*1.03 < 1200 || found.LimitedBy != reportv1.LimitedByThreads {
					t.Errorf("found %d operations/s by %s, want 1200 by the threads: %+v", found.Found, found.LimitedBy, found.Trials)
				}
				lateTrials(t, found.Trials)
			})
		})
	}
}

// A search of which no trial counts finds nothing, and its report says so.
func TestASearchOfPodsThatAreAlwaysLateFindsNothing(t *testing.T) {
	step := searchStep()
	step.Threads, step.Search.MaxSeconds = 12, 120
	synctest.Test(t, func(t *testing.T) {
		pods := drivertest.Pods(searching(2, step), &drivertest.Target{Latency: 10 * time.Millisecond, Forget: true})
		pods[1].Trials = disturbed{Trials: pods[1].Trials, next: func(order reportv1.TrialOrder) {
			<-time.After(time.Until(order.Start) + time.Millisecond)
		}}
		reports, err := drivertest.Follow(t.Context(), pods)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := result.Merge(reports)
		if err != nil {
			t.Fatal(err)
		}
		found := merged.Steps[0].Search
		if found.Found != 0 || found.Below != 0 || found.LimitedBy != reportv1.LimitedByTime || len(found.Trials) < 3 {
			t.Errorf("the search is %+v, want one that found nothing within its time", found)
		}
		_, summarised := result.Summarise(merged)
		doubts, doubted := result.Doubts(merged)
		if err := errors.Join(summarised, doubted); err != nil {
			t.Error(err)
		}
		limited := func(doubt result.Doubt) bool { return doubt.Reason == benchv1alpha1.ReasonSearchLimited }
		if !slices.ContainsFunc(doubts, limited) {
			t.Errorf("the doubts are %+v, want one of the search", doubts)
		}
	})
}

// lateTrials says that two trials were void since a pod was late, and that they say so.
func lateTrials(t *testing.T, trials []reportv1.Trial) {
	t.Helper()
	late := 0
	for _, trial := range trials {
		if !strings.Contains(trial.Because, "learnt of the trial") {
			continue
		}
		late++
		if trial.Kept || trial.LimitedBy != reportv1.LimitedByGenerator || trial.OddsToOne != 1 ||
			!strings.Contains(trial.Because, "load pod") || !strings.HasSuffix(trial.Because, "300ms after its start") {
			t.Errorf("a trial that a pod was late for is %+v", trial)
		}
	}
	if late != 2 {
		t.Errorf("%d trials were late, want 2: %+v", late, trials)
	}
}

// punctualBut is an alarm that goes off late.
type punctualBut struct {
	alarm.Timer
	late time.Duration
}

func (p punctualBut) Until(ctx context.Context, at time.Time) error {
	return p.Timer.Until(ctx, at.Add(p.late))
}

func TestAPodThatIsLateItselfLimitsTheSearchOfAll(t *testing.T) {
	step := searchStep()
	step.Threads = 12
	synctest.Test(t, func(t *testing.T) {
		pods := drivertest.Pods(searching(3, step), &drivertest.Target{Latency: time.Millisecond, Forget: true})
		pods[1].NewAlarm = func() alarm.Alarm { return punctualBut{late: 60 * time.Millisecond} }
		reports, err := drivertest.Follow(t.Context(), pods)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := result.Merge(reports)
		if err != nil {
			t.Fatal(err)
		}
		found := merged.Steps[0].Search
		if found.Found != 0 || found.LimitedBy != reportv1.LimitedByGenerator || found.Below != 0 {
			t.Errorf("found %d by %s below %d, want nothing because of the load generator", found.Found, found.LimitedBy,
				found.Below)
		}
		for _, trial := range found.Trials {
			if trial.LimitedBy != reportv1.LimitedByGenerator || !strings.HasPrefix(trial.Because, "load pod 1: ") {
				t.Errorf("%+v does not say that it was load pod 1", trial)
			}
		}
	})
}

// alone follows a plan with pods that know of each other's end by what they are told only, and returns how each ended.
func alone(t *testing.T, pods []*engine.Engine, contexts map[int]context.Context) []error {
	t.Helper()
	errs := make([]error, len(pods))
	var working sync.WaitGroup
	for i, pod := range pods {
		ctx := contexts[i]
		if ctx == nil {
			ctx = t.Context()
		}
		working.Go(func() { _, errs[i] = pod.Run(ctx) })
	}
	working.Wait()
	return errs
}

// wantError says that an error has a text in it.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// takenAway ends a pod after 15 seconds, in the second trial.
func takenAway(pod int) map[int]context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(15*time.Second, func() { cancel(errors.New("the node is drained")) })
	return map[int]context.Context{pod: ctx}
}

func TestAPodThatDiesIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		break1 func([]*engine.Engine) map[int]context.Context
		want   [3]string
		// within is how long after the begin all have ended.
		within       time.Duration
		trialSeconds int
	}{
		"without a word": {
			break1: func(pods []*engine.Engine) map[int]context.Context {
				pods[1].Trials = disturbed{Trials: pods[1].Trials, answer: func(answer *reportv1.TrialAnswer) bool {
					return answer.Number <= 2
				}}
				return nil
			},
			want: [3]string{
				"load pod 1: it did not say what became of trial 3 within 2m0s", "load pod 0 gave the search up: ",
				"load pod 0 gave the search up: trying 398 operations/s: load pod 1: it did not say",
			},
			within: 3 * time.Minute,
		},
		"since it is taken away": {
			break1: func([]*engine.Engine) map[int]context.Context { return takenAway(1) },
			want: [3]string{
				"load pod 1: it did not say what became of trial 2 within 2m0s", "the node is drained",
				"load pod 0 gave the search up: ",
			},
			within: 3 * time.Minute,
		},
		"by itself, and says why": {
			break1: func(pods []*engine.Engine) map[int]context.Context {
				pods[1].Target = &drivertest.Target{Latency: 10 * time.Millisecond, FailEvery: 1}
				return nil
			},
			want: [3]string{
				"load pod 1: trying 100 operations/s: worker ", "nothing but failures", "load pod 0 gave the search up: ",
			},
			within: 2 * time.Minute, trialSeconds: 100,
		},
		"and is pod 0, since it is taken away": {
			break1: func([]*engine.Engine) map[int]context.Context { return takenAway(0) },
			want: [3]string{
				"the node is drained", "load pod 0 did not say within 7m40s what comes after trial 2",
				"load pod 0 did not say within 7m40s what comes after trial 2",
			},
			within: 9 * time.Minute,
		},
		"and is pod 0, by itself, and says why": {
			break1: func(pods []*engine.Engine) map[int]context.Context {
				pods[0].Target = &drivertest.Target{Latency: 10 * time.Millisecond, FailEvery: 1}
				return nil
			},
			want: [3]string{
				"nothing but failures", "load pod 0 gave the search up: trying 100 operations/s: worker ",
				"load pod 0 gave the search up: ",
			},
			within: 2 * time.Minute, trialSeconds: 100,
		},
		"and is pod 0, without a word": {
			break1: func(pods []*engine.Engine) map[int]context.Context {
				pods[0].Trials = disturbed{Trials: pods[0].Trials, order: func(o reportv1.TrialOrder) bool { return o.Number <= 1 }}
				return nil
			},
			want: [3]string{
				"it did not say what became of trial 2 within 2m0s", "load pod 0 did not say within 7m40s what comes after trial 1",
				"load pod 0 did not say within 7m40s what comes after trial 1",
			},
			within: 9 * time.Minute,
		},
		"and what it says is not what was asked": {
			break1: func(pods []*engine.Engine) map[int]context.Context {
				pods[2].Trials = disturbed{Trials: pods[2].Trials, answer: func(a *reportv1.TrialAnswer) bool {
					a.InTime = a.InTime[:min(len(a.InTime), 3)]
					return true
				}}
				return nil
			},
			want: [3]string{
				"load pod 2 did not tell what it measured", "load pod 0 gave the search up: ", "load pod 0 gave the search up: ",
			},
			within: 30 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				step := searchStep()
				step.Threads, step.Search.TrialSeconds = 12, cmp.Or(tc.trialSeconds, step.Search.TrialSeconds)
				pods := drivertest.Pods(searching(3, step), &drivertest.Target{Latency: 10 * time.Millisecond, Forget: true})
				for i, err := range alone(t, pods, tc.break1(pods)) {
					wantError(t, err, tc.want[i])
				}
				if took := time.Since(began); took > tc.within {
					t.Errorf("it took %s, want at most %s", took, tc.within)
				}
			})
		})
	}
}

func TestSeveralPodsThatSearchNeedAWayToTellEachOther(t *testing.T) {
	pods := drivertest.Pods(searching(2, searchStep()), &drivertest.Target{})
	pods[1].Trials = nil
	_, err := pods[1].Run(t.Context())
	wantError(t, err, "no way to tell each other")
}
