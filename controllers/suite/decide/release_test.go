package decide

import (
	"slices"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// otherDefault plays another release of the operator, which has another default: the same generation of the
// specification means something else.
func (w *world) otherDefault() { w.Suite.Spec.Template.Spec.Seed = new(int64(4711)) }

// TestAnotherReleaseWithAnotherDefaultMeasuresNothingTwice upgrades the operator at each point of a suite's course.
func TestAnotherReleaseWithAnotherDefaultMeasuresNothingTwice(t *testing.T) {
	for name, ended := range map[string]int{"before the first run ended": 0, "half done": 2, "complete": 4} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) {
				s.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
			})
			w.settle()
			for range ended {
				w.succeed(w.active()[0], 10_000)
				w.settle()
			}
			made, revision, targets := slices.Clone(w.made), w.Suite.Status.Revision, len(w.Targets)
			w.otherDefault()
			w.settle()
			if !slices.Equal(w.made, made) || len(w.Targets) != targets {
				t.Errorf("the upgrade alone made %v; there are %d targets, and were %d", w.made, len(w.Targets), targets)
			}
			w.play(steady)
			w.wantMeasuredOnce(revision)
			if said := w.message(accepted); ended < 4 && !strings.Contains(said, "another release of the operator") {
				t.Errorf("the suite is told %q", said)
			}
		})
	}
}

// TestTheNextChangeOfASpecificationTakesTheDefaultsOfTheRelease: what is compared has the same ones.
func TestTheNextChangeOfASpecificationTakesTheDefaultsOfTheRelease(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	revision := w.Suite.Status.Revision
	w.otherDefault()
	w.settle()
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Repetitions = new(int32(2)) })
	w.play(steady)
	if len(w.made) != 8 || w.Suite.Status.Revision == revision {
		t.Errorf("an edit after the upgrade made %v of revision %s", w.made[4:], w.Suite.Status.Revision)
	}
}

// wantMeasuredOnce wants a suite to be complete, after each of its four runs was made once.
func (w *world) wantMeasuredOnce(revision string) {
	w.t.Helper()
	if len(w.made) != 4 || w.Suite.Status.Revision != revision || len(w.Suite.Status.History) != 1 {
		w.t.Errorf("made %v, revision %s, want %s; history %+v", w.made, w.Suite.Status.Revision, revision,
			w.Suite.Status.History)
	}
	w.want(complete, "True "+benchv1alpha1.ReasonAllSucceeded)
}

// TestRunsOfARevisionThatIsKeptHaveItsNames: also those that are made by the other release.
func TestRunsOfARevisionThatIsKeptHaveItsNames(t *testing.T) {
	w := newWorld(t)
	w.settle()
	hash := map[string]string{}
	for _, variant := range w.Plan.Variants {
		hash[variant.Name] = variant.Hash
	}
	w.otherDefault()
	w.play(steady)
	for _, run := range w.Runs {
		want := hash[variantOf(run)]
		if run.Labels[suite.SpecHashLabel] != want || !strings.HasSuffix(run.Name, "-"+want) {
			t.Errorf("run %s has hash %s, want %s", run.Name, run.Labels[suite.SpecHashLabel], want)
		}
	}
}
