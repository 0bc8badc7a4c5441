package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// lossy is a scripted database of which one reply to a batch is lost on its way.
type lossy struct {
	*drivertest.Target

	lost atomic.Bool
}

func (*lossy) Classify(error) string { return "network" }

func (l *lossy) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	session, err := l.Target.Session(ctx, use)
	return &lossySession{Session: session, target: l}, err
}

type lossySession struct {
	loadgen.Session

	target *lossy
}

func (s *lossySession) Acknowledge(ctx context.Context) error {
	if err := s.Session.Acknowledge(ctx); err != nil || s.target.lost.Swap(true) {
		return err
	}
	return drivertest.ErrScripted
}

// ofASeries is a plan that loads and counts a time series.
func ofASeries() planv1.Plan {
	plan := loading("")
	plan.Collections[0].TimeSeries = &planv1.TimeSeriesOptions{TimeField: "at"}
	return plan
}

func TestWhatCouldBeThereTwiceIsNotWrittenAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		plan planv1.Plan
		want string
	}{
		"a time series": {ofASeries(), "it is not tried again: the _id of a time-series collection is not unique"},
		"another":       {loading(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wantLoad(t, tc.plan, &lossy{Target: &drivertest.Target{Keep: true}}, false, tc.want)
			})
		})
	}
}

func TestALoadOfATimeSeriesIsNotGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wantLoad(t, ofASeries(), &drivertest.Target{}, true, "cannot be gone on with")
	})
	synctest.Test(t, func(t *testing.T) {
		wantLoad(t, loading(""), &drivertest.Target{}, true, "")
	})
}

// wantLoad wants a load to end with an error that says so; empty: with none.
func wantLoad(t *testing.T, plan planv1.Plan, target loadgen.Target, resume bool, want string) {
	t.Helper()
	pod := newEngine(plan, target)
	pod.Resume = resume
	_, err := pod.Run(t.Context())
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestViewsAreMadeAndHoldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := loading(benchv1alpha1.VerifyAll)
		plan.Collections = append([]planv1.Collection{{
			Name: "view", View: &planv1.View{Source: plan.Collections[0].Name, Pipeline: "[]"},
		}}, plan.Collections...)
		target := &drivertest.Target{Keep: true}
		report, err := newEngine(plan, target).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := target.Collections()["view"]; !ok || found.Documents > 0 {
			t.Errorf("the view holds %+v, made: %t; want it made, and empty", found, ok)
		}
		if loaded := plan.Collections[1].DocumentCount; report.Steps[2].Documents != loaded {
			t.Errorf("%d documents were counted, want the %d of the collection", report.Steps[2].Documents, loaded)
		}
	})
}
