package engine

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

func TestAllPodsOfARunTogetherSpeakOnceASecond(t *testing.T) {
	for pods, longest := range map[int]time.Duration{
		1: 2 * time.Second, 2: 2 * time.Second, 3: 3 * time.Second, 64: 64 * time.Second, 1000: 1000 * time.Second,
	} {
		begin := time.Unix(1700000000, 0)
		rhythms, last := make([]rhythm, pods), make([]time.Time, pods)
		for i := range rhythms {
			rhythms[i] = rhythm{pods: pods, index: i}
			if last[i] = begin; !rhythms[i].due(begin, true) {
				t.Fatalf("%d pods: pod %d does not say that the step has begun", pods, i)
			}
		}
		for now := begin.Add(time.Second); now.Before(begin.Add(time.Hour / 4)); now = now.Add(time.Second) {
			if spoke := speak(t, rhythms, last, now, longest); spoke > 1 {
				t.Fatalf("%d pods: %d spoke after %s", pods, spoke, now.Sub(begin))
			}
		}
	}
}

// speak lets a second pass, and counts those that speak. None may have been silent for longer than allowed.
func speak(t *testing.T, rhythms []rhythm, last []time.Time, now time.Time, longest time.Duration) (spoke int) {
	t.Helper()
	for i := range rhythms {
		if rhythms[i].due(now, true) {
			spoke, last[i] = spoke+1, now
		}
		if silent := now.Sub(last[i]); silent > longest {
			t.Fatalf("%d pods: pod %d was silent for %s, want at most %s", len(rhythms), i, silent, longest)
		}
	}
	return spoke
}

func TestTheEndOfTheWarmUpIsSaidAtOnce(t *testing.T) {
	begin := time.Unix(1700000000, 0)
	r := rhythm{pods: 64, index: 63}
	r.due(begin, true)
	if r.due(begin.Add(time.Second), true) || !r.due(begin.Add(2*time.Second), false) ||
		r.due(begin.Add(3*time.Second), false) {
		t.Error("want it said when the warm-up ends, neither before nor after")
	}
	// A pod that was held up for long says it once, not once for each silence.
	if held := begin.Add(10 * time.Minute); !r.due(held, false) || r.due(held.Add(time.Second), false) {
		t.Error("want one progress after a pause")
	}
}

// deaf is a Reporter whose first progress is lost.
type deaf struct{ told []time.Time }

func (d *deaf) Progress(context.Context, reportv1.Progress) error {
	d.told = append(d.told, time.Now())
	if len(d.told) == 1 {
		return errors.New("the API server is away")
	}
	return nil
}

func (d *deaf) Report(context.Context, reportv1.Report) error { return nil }

// still is a step that does nothing.
type still struct{ stepRun }

func (still) done() advance { return advance{} }

func TestProgressThatIsLostIsSaidAgainAtTheNextTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reporter := &deaf{}
		engine := &Engine{Reporter: reporter, Log: slog.New(slog.DiscardHandler)}
		engine.Plan.Pods = 64
		p := &pod{Engine: engine, progress: newProgressNotifier(engine)}
		stop := announce(t.Context(), p, 0, still{})
		_ = alarm.Timer{}.Until(t.Context(), time.Now().Add(10*time.Second+time.Millisecond))
		stop()
		if len(reporter.told) != 2 || reporter.told[1].Sub(reporter.told[0]) != time.Second {
			t.Errorf("told at %v, want once more a second later and not again", reporter.told)
		}
	})
}
