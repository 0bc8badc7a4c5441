package mongo_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// watchedSet is a set that is observed while windows of a measurement come and go.
type watchedSet struct {
	*set
	t        *testing.T
	target   *mongo.Target
	observer *observe.Observer
	steps    []reportv1.Step
}

// sampling is how often its members are sampled.
const sampling = 100 * time.Millisecond

func watchSet(t *testing.T, version string) *watchedSet {
	t.Helper()
	w := &watchedSet{set: startSet(t, version), t: t}
	w.target = w.set.target(t)
	w.observer = &observe.Observer{
		Database: "elections", Interval: sampling, SlowInterval: time.Minute, Log: slog.New(slog.DiscardHandler),
		Servers: w.target.Servers,
	}
	w.observer.Start(t.Context())
	return w
}

// awaitEach returns once every member that is left says of a figure what is wanted.
func (w *watchedSet) awaitEach(members int, figure string, wanted func(int64) bool) {
	w.t.Helper()
	eventually(w.t, func() bool {
		agreed := 0
		for _, latest := range w.observer.Latest() {
			if value, known := latest.Value(figure); known && wanted(value) {
				agreed++
			}
		}
		return agreed == members
	})
}

// term of the set, once all members agree on it.
func (w *watchedSet) term() (term int64) {
	w.t.Helper()
	w.awaitEach(len(w.members), reportv1.SeriesReplicationTerm, func(value int64) bool {
		same := term == value
		term = value
		return same
	})
	return term
}

// quiet measures while nothing goes on: a window in which a busy machine kept members from hearing of one another, so
// that they elected, is measured again.
func (w *watchedSet) quiet(name string) {
	w.t.Helper()
	for {
		before, steps := w.term(), w.steps
		w.window(name, func(*reportv1.Step) {})
		if w.term() == before {
			return
		}
		w.steps = steps
	}
}

// window measures while something goes on; it does not begin before what went on before was sampled.
func (w *watchedSet) window(name string, meanwhile func(step *reportv1.Step)) {
	w.t.Helper()
	w.awaitAll(w.t)
	w.term()
	<-time.After(5 * sampling)
	step := reportv1.Step{Name: name, Kind: reportv1.KindMeasure, Start: time.Now()}
	step.MeasureStart = step.Start
	<-time.After(5 * sampling)
	meanwhile(&step)
	<-time.After(5 * sampling)
	step.End = time.Now()
	w.steps = append(w.steps, step)
}

// stepDown has the primary step down, and returns once there is another.
func (w *watchedSet) stepDown() {
	w.t.Helper()
	before := w.term()
	if _, err := w.target.Act(w.t.Context(), "any", planv1.Action{Type: benchv1alpha1.ActionStepDown}); err != nil {
		w.t.Fatal(err)
	}
	w.awaitEach(len(w.members), reportv1.SeriesReplicationTerm, func(value int64) bool { return value > before })
	w.awaitAll(w.t)
}

// TestElectionsAreDoubted has members of a real set step down and go away in windows of their own.
func TestElectionsAreDoubted(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			w := watchSet(t, version)
			w.quiet("quiet")
			w.window("election", func(*reportv1.Step) { w.stepDown() })
			w.quiet("quiet again")
			w.window("planned", func(step *reportv1.Step) {
				step.Actions = []reportv1.Action{{
					Name: "down", Type: string(benchv1alpha1.ActionStepDown), AtMillis: time.Since(step.Start).Milliseconds(),
				}}
				w.stepDown()
			})
			w.window("lost", func(*reportv1.Step) {
				primary := w.primary(t)
				for _, member := range w.members {
					if member.Address != primary {
						member.Kill()
						break
					}
				}
				w.awaitEach(len(w.members)-1, reportv1.SeriesUnreachable, func(value int64) bool { return value == 1 })
			})
			w.checkDoubts(w.observer.Stop())
		})
	}
}

// checkDoubts judges each window alone.
func (w *watchedSet) checkDoubts(members []reportv1.Member) {
	w.t.Helper()
	want := map[string]string{"election": " while it was measured, and made ", "lost": "while it was measured"}
	for _, step := range w.steps {
		report := reportv1.Report{Members: members, Steps: []reportv1.Step{step}}
		doubts, err := result.Doubts(report)
		if err != nil {
			w.t.Fatal(err)
		}
		var all strings.Builder
		for _, doubt := range doubts {
			all.WriteString(doubt.Reason + ": " + doubt.Message)
		}
		said := all.String()
		wanted, doubtful := want[step.Name]
		if doubtful != strings.HasPrefix(said, benchv1alpha1.ReasonElection) || !strings.Contains(said, wanted) {
			w.t.Errorf("step %q: doubts %q, want %q", step.Name, said, wanted)
		}
	}
}
