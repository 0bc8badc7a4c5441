package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// nightly is measured every night. The world begins at ten in the morning.
func nightly(s *benchv1alpha1.BenchmarkSuite) {
	s.Spec.Schedule = &benchv1alpha1.SuiteSchedule{Cron: "0 2 * * *"}
}

// until goes to a time of a day of November, and looks then.
func (w *world) until(day, hour, minute int) {
	w.t.Helper()
	w.Now = time.Date(2026, time.November, day, hour, minute, 0, 0, time.UTC)
	w.step()
}

// ask is what a user does to have the suite started.
func (w *world) ask(value string) {
	w.Suite.Annotations = map[string]string{benchv1alpha1.RunNowAnnotation: value}
}

// schedule is what the status tells of the schedule: the last time, the next, what was skipped and why.
func (w *world) schedule() []string {
	status := ptr.Deref(w.Suite.Status.Schedule, benchv1alpha1.SuiteScheduleStatus{})
	told := []string{"", "", strings.Repeat("x", int(ptr.Deref(status.Skipped, 0))), status.Message}
	if status.LastScheduleTime != nil {
		told[0] = status.LastScheduleTime.UTC().Format("02 15:04")
	}
	if status.NextScheduleTime != nil {
		told[1] = status.NextScheduleTime.UTC().Format("02 15:04")
	}
	return told
}

func (w *world) wantSchedule(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.schedule()); diff != "" {
		w.t.Errorf("what is told of the schedule (-want +got):\n%s", diff)
	}
}

func TestASuiteIsMeasuredAgainByItsSchedule(t *testing.T) {
	w := newWorld(t, nightly, repetitions(6))
	w.play(steady)
	first := w.Suite.Status.Revision
	w.wantSchedule("", "22 02:00", "", "")
	w.until(21, 12, 0)
	if want := 14 * time.Hour; w.wait != want {
		t.Errorf("it is looked at again after %s, want %s", w.wait, want)
	}
	w.until(22, 2, 0)
	w.want(complete, "False RunsPending")
	w.want(passed, "Unknown NotCompared")
	w.play(steady)
	w.wantSchedule("22 02:00", "23 02:00", "", "")
	w.want(complete, "True AllSucceeded")
	w.want(passed, "True NoRegression")
	status := &w.Suite.Status
	if len(status.Comparison) == 0 || status.Comparison[0].Baseline != "s@"+first {
		t.Errorf("compared are %+v, want with %s", status.Comparison, first)
	}
	if len(w.made) != 24 || len(slices.Compact(slices.Sorted(slices.Values(w.made)))) != 24 {
		t.Errorf("made %v", w.made)
	}
	if len(status.History) != 2 || status.History[0].Revision == first || status.History[1].Occasion != nil ||
		status.History[0].Occasion.Content != first {
		t.Errorf("the history is %+v, and %s was first", status.History, first)
	}
	w.until(23, 2, 0)
	w.play(slower)
	w.want(regressed, "True MetricRegressed")
}

func TestRevisionsOfOccasionsGrowOld(t *testing.T) {
	w := newWorld(t, nightly, repetitions(1), func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.RevisionHistoryLimit = new(int32(1))
	})
	w.play(steady)
	for day := 22; day < 26; day++ {
		w.until(day, 2, 0)
		w.play(steady)
	}
	if len(w.Suite.Status.History) != 2 || len(w.Runs) != 4 || len(w.made) != 10 {
		t.Errorf("%d revisions, %d of %d runs are left", len(w.Suite.Status.History), len(w.Runs), len(w.made))
	}
}

func TestEachOccasionHasTargetsOfItsOwn(t *testing.T) {
	w := newWorld(t, nightly, repetitions(1), func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
	})
	w.settle()
	first := w.Runs[w.made[0]].Spec.TargetRef.Name
	w.play(steady)
	w.until(22, 2, 0)
	w.settle()
	second := w.Runs[w.made[2]].Spec.TargetRef.Name
	if first == second || w.Targets[first] != nil || w.Targets[second] == nil {
		t.Errorf("the targets are %s and %s; there are %v", first, second, w.Targets)
	}
}

func TestTimesOfTheScheduleAreSkipped(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.BenchmarkSuite)
		play   func(*world)
		want   []string
		made   int
	}{
		"while its runs go on": {
			play: func(w *world) {
				w.settle()
				w.until(22, 2, 0)
				w.play(steady)
			},
			want: []string{"", "23 02:00", "x", "2026-11-22T02:00:00Z was skipped: its runs had not ended"}, made: 4,
		},
		"while it is suspended": {
			play: func(w *world) {
				w.play(steady)
				w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) })
				w.until(22, 2, 0)
				w.until(23, 2, 0)
				w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = nil })
				w.until(23, 2, 1)
			},
			want: []string{"", "24 02:00", "xx", "2026-11-23T02:00:00Z was skipped: spec.suspend is true"}, made: 4,
		},
		"but the last one while the operator was away": {
			play: func(w *world) {
				w.play(steady)
				w.until(24, 15, 0)
				w.play(steady)
			},
			want: []string{"24 02:00", "25 02:00", "xx", "2 times before 2026-11-24T02:00:00Z skipped: the operator was away"},
			made: 8,
		},
		"when the operator comes too late": {
			change: func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Schedule.StartingDeadlineSeconds = new(int32(60)) },
			play: func(w *world) {
				w.play(steady)
				w.until(22, 2, 1)
				w.play(steady)
				w.until(23, 2, 2)
				w.settle()
			},
			want: []string{
				"22 02:00", "24 02:00", "x",
				"2026-11-23T02:00:00Z was skipped: the operator came later than spec.schedule.startingDeadlineSeconds",
			},
			made: 8,
		},
		"not when its runs ended while the operator was away": {
			play: func(w *world) {
				for range 4 {
					w.settle()
					w.succeed(w.active()[0], 10_000)
				}
				w.until(22, 2, 0)
				w.want(complete, "True AllSucceeded")
				w.settle()
			},
			want: []string{"22 02:00", "23 02:00", "", ""}, made: 5,
		},
		"not when the schedule changed": {
			play: func(w *world) {
				w.play(steady)
				w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Schedule.Cron = "30 4 * * *" })
				w.until(22, 3, 0)
				w.settle()
			},
			want: []string{"", "22 04:30", "", ""}, made: 4,
		},
		"when the content is refused": {
			play: func(w *world) {
				w.play(steady)
				w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Schedule.TimeZone = new("Europe/Bielefeld") })
				w.until(22, 2, 0)
				w.want(accepted, "False Invalid")
				if said := w.message(accepted); !strings.Contains(said, "spec.schedule.timeZone") {
					w.t.Errorf("it says %q", said)
				}
			},
			want: []string{"", "", "", ""}, made: 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nightly)
			if tc.change != nil {
				tc.change(w.Suite)
			}
			tc.play(w)
			w.wantSchedule(tc.want...)
			if len(w.made) != tc.made {
				t.Errorf("%d runs were made, want %d", len(w.made), tc.made)
			}
		})
	}
}

// TestAChangeOfOneVariantBetweenTwoNightsMakesItsRunsAlone has the other variant keep those of the last night.
func TestAChangeOfOneVariantBetweenTwoNightsMakesItsRunsAlone(t *testing.T) {
	w := newWorld(t, nightly)
	w.play(steady)
	w.until(22, 2, 0)
	w.play(steady)
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Matrix.Dimensions[0].Choices[1] = suitetest.Threads("many", 9)
	})
	w.play(steady)
	if got := w.slotsMade(8); got != "many1 many2" {
		t.Errorf("the change made %q", got)
	}
	w.until(23, 2, 0)
	w.play(steady)
	if got := w.slotsMade(10); got != "few1 many1 many2 few2" {
		t.Errorf("the next night made %q", got)
	}
	if threads := *w.Runs[w.made[11]].Spec.Workload.Steps[0].Threads; threads != 9 {
		t.Errorf("the next night measured %d threads", threads)
	}
}

func TestAScheduleThatIsTakenBackIsForgotten(t *testing.T) {
	w := newWorld(t, nightly)
	w.play(steady)
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Schedule = nil })
	w.settle()
	w.until(23, 2, 0)
	if w.Suite.Status.Schedule != nil || len(w.made) != 4 || w.wait != 0 {
		t.Errorf("there is %+v, and %d runs; it is looked at after %s", w.Suite.Status.Schedule, len(w.made), w.wait)
	}
}

func TestASuiteIsMeasuredAgainWhenAsked(t *testing.T) {
	w := newWorld(t)
	w.ask("with-the-suite")
	w.play(steady)
	if len(w.made) != 4 || w.Suite.Status.RunNow != "with-the-suite" {
		t.Fatalf("%d runs, acted on %q: a suite that is new was started twice", len(w.made), w.Suite.Status.RunNow)
	}
	w.ask("again")
	w.play(steady)
	w.ask("") // As a tool does that takes the annotation away.
	w.play(steady)
	if len(w.made) != 8 || w.Suite.Status.RunNow != "again" || *w.Suite.Status.Occasion.RunNow != "again" {
		t.Errorf("%d runs, acted on %q", len(w.made), w.Suite.Status.RunNow)
	}
	w.ask("with-the-suite") // As Git does that goes back.
	w.play(steady)
	if len(w.made) != 12 {
		t.Errorf("%d runs", len(w.made))
	}
}

func TestASuiteThatIsAskedWhileItsRunsGoOnStartsAgainThen(t *testing.T) {
	w := newWorld(t)
	w.settle()
	w.ask("now")
	w.settle()
	if said := w.message(complete); !strings.Contains(said, "then it starts again") || w.Suite.Status.RunNow != "" {
		t.Errorf("it says %q, and acted on %q", said, w.Suite.Status.RunNow)
	}
	w.play(steady)
	if got := w.slotsMade(0); len(w.made) != 8 || w.Suite.Status.RunNow != "now" {
		t.Errorf("made %q, acted on %q", got, w.Suite.Status.RunNow)
	}
}

// TestAChangeThatComesWithTheWishIsOneRevision has both in one commit.
func TestAChangeThatComesWithTheWishIsOneRevision(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	w.ask("now")
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Matrix.Dimensions[0].Choices[1] = suitetest.Threads("many", 9)
	})
	w.play(steady)
	if got := w.slotsMade(4); got != "few1 many1 many2 few2" || len(w.Suite.Status.History) != 2 {
		t.Errorf("made %q; the history is %+v", got, w.Suite.Status.History)
	}
}

// TestAnOperatorThatRestartsStartsNothingTwice decides from the same observation as often as one likes, as if the
// status had not been written, and goes on with what was written, as if another had written it.
func TestAnOperatorThatRestartsStartsNothingTwice(t *testing.T) {
	for name, start := range map[string]func(*world){
		"by its schedule": func(w *world) { w.Now = time.Date(2026, time.November, 22, 2, 0, 0, 0, time.UTC) },
		"when asked":      func(w *world) { w.ask("now") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nightly)
			w.play(steady)
			start(w)
			w.Plan, w.Invalid = suite.Compile(w.Suite)
			w.Plan = w.Plan.Current(w.Suite)
			first := Decide(w.Observation)
			w.Now = w.Now.Add(time.Minute)
			second := Decide(w.Observation)
			if first.Status.Revision != second.Status.Revision || first.Status.Revision == w.Suite.Status.Revision {
				t.Errorf("it started as %s and as %s", first.Status.Revision, second.Status.Revision)
			}
			if d := second; len(d.Create)+len(d.Changes)+len(d.Desired)+len(d.Observed) > 0 {
				t.Error("something is written before the status says why")
			}
			w.carryOut(second)
			w.play(steady)
			w.play(steady)
			if len(w.made) != 8 || !equality.Semantic.DeepEqual(w.Suite.Status.Occasion, second.Status.Occasion) {
				t.Errorf("%d runs were made on %+v", len(w.made), w.Suite.Status.Occasion)
			}
		})
	}
}

// TestAnotherReleaseGoesOnWithTheOccasion has the hashes of the content be others, as those of a release with other
// defaults would be.
func TestAnotherReleaseGoesOnWithTheOccasion(t *testing.T) {
	w := newWorld(t, nightly)
	w.play(steady)
	w.until(22, 2, 0)
	w.play(steady)
	plan, _ := suite.Compile(w.Suite)
	for i := range plan.Variants {
		plan.Variants[i].Hash = "0000000" + plan.Variants[i].Hash[:1]
	}
	plan.Revision = "00000000"
	again := plan.Current(w.Suite)
	if !again.Kept || again.Revision != w.Suite.Status.Revision || again.Slots[0].Name != w.made[4] {
		t.Errorf("it goes on with %s and %s", again.Revision, again.Slots[0].Name)
	}
	next := again.Again(w.Suite, benchv1alpha1.SuiteOccasion{RunNow: new("now")})
	if next.Kept || next.Occasion.Content != "00000000" {
		t.Errorf("the next occasion measures %s", next.Occasion.Content)
	}
}
