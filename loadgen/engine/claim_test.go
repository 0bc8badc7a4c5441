package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// theirs is the claim of another run, and its dataset.
func theirs(t *testing.T, target *drivertest.Target, claim loadgen.Claim, state reportv1.DatasetState) {
	t.Helper()
	mark := reportv1.DatasetMark{Fingerprint: "a", State: state}
	if err := target.SetMark(t.Context(), "test", mark); err != nil {
		t.Fatal(err)
	}
	if set, err := target.SetClaim(t.Context(), "test", nil, &claim); err != nil || !set {
		t.Fatalf("the claim of the other run was not written: %v", err)
	}
}

// heartbeat renews whatever claim a database has, as a run at work does, until the test ends.
func heartbeat(t *testing.T, target *drivertest.Target) {
	t.Helper()
	go func() {
		for (alarm.Timer{}).Until(t.Context(), time.Now().Add(10*time.Second)) == nil {
			held, _ := target.Claim(t.Context(), "test")
			if held != nil {
				next := *held
				next.Beat++
				_, _ = target.SetClaim(t.Context(), "test", held, &next)
			}
		}
	}()
}

func TestADatabaseOfARunAtWorkIsLeftAlone(t *testing.T) {
	other := loadgen.Claim{Holder: "u", Name: "bench/" + strings.Repeat("n", 1000), Beat: 7}
	shares := other
	shares.Holder, shares.Shares = loadgen.HeldByAll, true
	for name, tc := range map[string]struct {
		claim  loadgen.Claim
		state  reportv1.DatasetState
		shares bool
	}{
		"while it is loaded":                 {claim: other, state: reportv1.DatasetLoading},
		"while it is measured":               {claim: other, state: reportv1.DatasetClean},
		"by one that shares":                 {claim: other, state: reportv1.DatasetClean, shares: true},
		"of runs that share it":              {claim: shares, state: reportv1.DatasetClean},
		"by one that shares and has to load": {claim: shares, state: reportv1.DatasetDirty, shares: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				checkLeftAlone(t, tc.claim, tc.state, tc.shares)
			})
		})
	}
}

func checkLeftAlone(t *testing.T, claim loadgen.Claim, state reportv1.DatasetState, shares bool) {
	t.Helper()
	target := &drivertest.Target{}
	theirs(t, target, claim, state)
	heartbeat(t, target)
	e := newEngine(marked(1, "a", "FindOne"), target)
	e.SharesDatabase = shares
	began := time.Now()
	_, err := e.Run(t.Context())
	for _, part := range []string{`database "test" is in use`, `"bench/nnn`, "Shared", "nothing was dropped"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q in it", err, part)
		}
	}
	if err != nil && len(err.Error()) > 700 {
		t.Errorf("the other run's name makes an error of %d bytes", len(err.Error()))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to see that the other run is at work", took)
	}
	if got := len(target.Marks()); got != 1 {
		t.Errorf("%d marks were written over that of the other run", got-1)
	}
	if _, made := target.Collections()["things"]; made {
		t.Error("collections were made")
	}
}

// TestTheClaimOfARunThatIsGoneIsTakenOver: as soon as nothing was heard of it for half a minute, at once where it is of
// the same run, and never by two at a time.
func TestTheClaimOfARunThatIsGoneIsTakenOver(t *testing.T) {
	for name, tc := range map[string]struct {
		uid   string
		runs  int
		least time.Duration
	}{
		"by another run":                  {uid: "new", runs: 1, least: 30 * time.Second},
		"by a load pod of the same run":   {uid: "gone", runs: 1},
		"by one of two that find it dead": {runs: 2, least: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				checkTakenOver(t, tc.uid, tc.runs, tc.least)
			})
		})
	}
}

func checkTakenOver(t *testing.T, uid string, runs int, least time.Duration) {
	t.Helper()
	target := &drivertest.Target{Latency: 10 * time.Millisecond}
	theirs(t, target, loadgen.Claim{Holder: "gone", Name: "gone"}, reportv1.DatasetLoading)
	began := time.Now()
	won, lost := 0, 0
	for _, err := range atOnce(t, target, runs, uid) {
		switch {
		case err == nil:
			won++
		case strings.Contains(err.Error(), "is in use"):
			lost++
		default:
			t.Error(err)
		}
	}
	if won != 1 || lost != runs-1 {
		t.Errorf("%d of %d have loaded, and %d were told why not", won, runs, lost)
	}
	if took := time.Since(began); took < least {
		t.Errorf("the claim was taken after %s", took)
	}
	if got := target.Collections()["things"].Documents; got != documents {
		t.Errorf("%d documents are there", got)
	}
}

// atOnce starts runs at the same instant, which measure for a minute, and returns their errors.
func atOnce(t *testing.T, target loadgen.Target, runs int, uid string) []error {
	t.Helper()
	ends := make(chan error, runs)
	for range runs {
		plan := marked(1, "a", "FindOne")
		plan.Steps[3].OperationCount, plan.Steps[3].DurationSeconds = 0, 60
		e := newEngine(plan, target)
		e.RunUID, e.NewAlarm = uid, func() alarm.Alarm { return alarm.Timer{} }
		go func() {
			_, err := e.Run(t.Context())
			ends <- err
		}()
	}
	errs := make([]error, 0, runs)
	for range runs {
		errs = append(errs, <-ends)
	}
	return errs
}

// TestAClaimIsRenewedAndGivenBack: by one write in ten seconds, until all load pods have ended.
func TestAClaimIsRenewedAndGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &drivertest.Target{Latency: 10 * time.Millisecond}
		plan := marked(1, "a", "FindOne")
		plan.Steps[3].OperationCount, plan.Steps[3].DurationSeconds = 0, 60
		e := newEngine(plan, target)
		e.RunName, e.NewAlarm = "bench/mine", func() alarm.Alarm { return alarm.Timer{} }
		finished := false
		e.Finish = func(ctx context.Context) error {
			finished = true
			_ = alarm.Timer{}.Until(ctx, time.Now().Add(time.Minute))
			held, err := target.Claim(ctx, "test")
			if err != nil || held == nil || held.Name != "bench/mine" || held.Beat < 11 || held.Beat > 13 {
				t.Errorf("two minutes on the database is held by %+v, %v; want about 12 renewals", held, err)
			}
			return nil
		}
		if _, err := e.Run(t.Context()); err != nil || !finished {
			t.Fatalf("finished: %t, %v", finished, err)
		}
		if held, err := target.Claim(t.Context(), "test"); err != nil || held != nil {
			t.Errorf("afterwards the database is held by %+v, %v", held, err)
		}
	})
}

func TestARunThatHasLostItsDatabaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &drivertest.Target{Latency: 10 * time.Millisecond}
		plan := marked(1, "a", "FindOne")
		plan.Steps[3].OperationCount, plan.Steps[3].DurationSeconds = 0, 600
		e := newEngine(plan, target)
		e.NewAlarm = func() alarm.Alarm { return alarm.Timer{} }
		time.AfterFunc(time.Minute, func() {
			held, _ := target.Claim(t.Context(), "test")
			_, _ = target.SetClaim(t.Context(), "test", held, &loadgen.Claim{Holder: "v", Name: "bench/other"})
		})
		report, err := e.Run(t.Context())
		var cut *engine.CutError
		if !errors.As(err, &cut) || !strings.Contains(err.Error(), `is run "bench/other"'s now`) {
			t.Fatalf("error %v, want who has the database", err)
		}
		if report.Partial == nil || report.Partial.Cause != reportv1.PartialError {
			t.Errorf("the report is %+v", report.Partial)
		}
		if held, _ := target.Claim(t.Context(), "test"); held == nil || held.Holder != "v" {
			t.Errorf("the database is held by %+v, want the other run", held)
		}
	})
}

// TestRunsThatShareADatabaseMeasureAtOnce: the first loads for itself, and the others wait for it.
func TestRunsThatShareADatabaseMeasureAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &drivertest.Target{Latency: 10 * time.Millisecond}
		ends := make(chan reportv1.Report, 3)
		began := time.Now()
		for range cap(ends) {
			plan := marked(1, "a", "FindOne")
			plan.Steps[3].OperationCount, plan.Steps[3].DurationSeconds = 0, 60
			e := newEngine(plan, target)
			e.SharesDatabase, e.NewAlarm = true, func() alarm.Alarm { return alarm.Timer{} }
			go func() {
				report, err := e.Run(t.Context())
				if err != nil {
					t.Error(err)
				}
				ends <- report
			}()
		}
		loaded := int64(0)
		for range cap(ends) {
			loaded += (<-ends).Steps[1].Documents
		}
		if loaded != documents {
			t.Errorf("%d documents were loaded, want those of one load", loaded)
		}
		if took := time.Since(began); took > 90*time.Second {
			t.Errorf("it took %s, want that all measured their minute at once", took)
		}
		// One that does not share waits until the last of them is silent.
		if _, err := newEngine(marked(1, "b", "FindOne"), target).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestADatabaseThatTakesNoClaimIsOnlyRead: as by a user without the right to write.
func TestADatabaseThatTakesNoClaimIsOnlyRead(t *testing.T) {
	refusal := errors.New("not authorized")
	for name, tc := range map[string]struct {
		plan   planv1.Plan
		loaded bool
		want   error
	}{
		"what is loaded is measured": {plan: marked(1, "a", "FindOne"), loaded: true},
		"writes are refused":         {plan: marked(1, "a", "FindOne", "InsertOne"), loaded: true, want: refusal},
		"so is a load":               {plan: marked(1, "a", "FindOne"), want: refusal},
	} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{}
			if tc.loaded {
				merge(t, marked(1, "a", "FindOne"), target)
			}
			before := len(target.Marks())
			target.RefuseClaim = func() error { return refusal }
			if _, err := newEngine(tc.plan, target).Run(t.Context()); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if got := len(target.Marks()); got != before {
				t.Errorf("%d marks were written", got-before)
			}
		})
	}
}
