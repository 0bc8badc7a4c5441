package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// fourRevisions plays a suite of two runs, of which one changes, through four revisions, in which every report has a
// size and 1 MiB is for all. The first change is made of the suite before, the second of the first revision's own run.
func fourRevisions(
	t *testing.T, bytes *int64, suite func(*benchv1alpha1.BenchmarkSuite), first func(*world, *benchv1alpha1.BenchmarkRun),
) *world {
	t.Helper()
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Repetitions, s.Spec.HistorySizeLimit = new(int32(1)), new(resource.MustParse("1Mi"))
	})
	if suite != nil {
		suite(w.Suite)
	}
	w.reportBytes = bytes
	w.play(steady)
	for _, run := range w.Runs {
		if variantOf(run) == "many" && first != nil {
			first(w, run)
		}
	}
	for threads := 9; threads < 12; threads++ {
		w.edit(manyThreads(threads))
		w.play(steady)
	}
	return w
}

func TestReportsHaveABudget(t *testing.T) {
	pin := func(_ *world, run *benchv1alpha1.BenchmarkRun) {
		run.Annotations[benchv1alpha1.PinAnnotation] = "true"
	}
	track := func(_ *world, run *benchv1alpha1.BenchmarkRun) {
		run.Annotations["argocd.argoproj.io/tracking-id"] = "app:mongobench.dev/BenchmarkRun:bench/x"
	}
	use := func(w *world, run *benchv1alpha1.BenchmarkRun) {
		condition.In(&run.Status.Conditions, run.Generation, w.Now).True(benchv1alpha1.RunProgressing,
			benchv1alpha1.StageCleaningUp, "what it made is being removed")
	}
	wide := func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(2)) }
	byVariant := func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("few")}
	}
	kib := func(n int64) *int64 { return new(n << 10) }
	tests := map[string]struct {
		bytes *int64
		suite func(*benchv1alpha1.BenchmarkSuite)
		first func(*world, *benchv1alpha1.BenchmarkRun)
		left  string
		says  string
	}{
		"all have room":                   {bytes: kib(200), left: "few1 many8 many9 many10 many11"},
		"the oldest revision goes":        {bytes: kib(210), left: "few1 many9 many10 many11"},
		"two revisions go":                {bytes: kib(300), left: "few1 many10 many11"},
		"the next one goes for a pinned":  {bytes: kib(210), first: pin, left: "few1 many8 many10 many11"},
		"the next one goes for one used":  {bytes: kib(210), suite: wide, first: use, left: "few1 many8 many10 many11"},
		"the next one goes for Git's own": {bytes: kib(210), first: track, left: "few1 many8 many10 many11"},
		"the one that is compared with stays": {
			bytes: kib(400), left: "few1 many10 many11",
			says: "take 1.17 MiB, more than spec.historySizeLimit, 1 MiB, and stay: 800 KiB are of this revision",
		},
		"it goes when something else is compared with": {bytes: kib(400), suite: byVariant, left: "few1 many11"},
		"the present one stays": {
			bytes: kib(600), suite: byVariant, left: "few1 many11", says: "and stay: 1.17 MiB are of this revision",
		},
		"an unknown size is the largest there can be": {left: "few1 many10 many11", says: "take 2.64 MiB"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := fourRevisions(t, tc.bytes, tc.suite, tc.first)
			var left []string
			for _, run := range w.Runs {
				left = append(left, fmt.Sprintf("%s%d", variantOf(run), *run.Spec.Workload.Steps[0].Threads))
			}
			slices.SortFunc(left, func(a, b string) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
			})
			if got := strings.Join(left, " "); got != tc.left {
				t.Errorf("left are %s, want %s", got, tc.left)
			}
			w.want(accepted, "True Valid")
			w.want(complete, "True AllSucceeded")
			says := w.message(accepted)
			if !strings.Contains(says, tc.says) || strings.Contains(says, "spec.historySizeLimit") != (tc.says != "") {
				t.Errorf("it says %q, want %q", says, tc.says)
			}
			if len(w.Suite.Status.History) != 4 {
				t.Errorf("the history has %d revisions", len(w.Suite.Status.History))
			}
		})
	}
}

// TestARevisionWithoutRunsComesBack has the result of a revision outlive its runs.
func TestARevisionWithoutRunsComesBack(t *testing.T) {
	w := fourRevisions(t, new(int64(300<<10)), nil, nil)
	made := len(w.made)
	w.edit(manyThreads(8))
	w.settle()
	w.want(complete, "True AllSucceeded")
	if len(w.made) != made {
		t.Errorf("made again were %v", w.made[made:])
	}
}
