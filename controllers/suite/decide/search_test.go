package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// sized makes a suite a search for the smallest of eight CPU limits with a throughput of 5,000 operations a second.
func sized(s *benchv1alpha1.BenchmarkSuite) {
	dimension := benchv1alpha1.Dimension{Name: "cpu"}
	for cpu := 1; cpu <= 8; cpu++ {
		dimension.Choices = append(dimension.Choices, benchv1alpha1.Choice{
			Name: fmt.Sprintf("cpu%d", cpu), Patch: &runtime.RawExtension{Raw: fmt.Appendf(nil,
				`{"target": {"mongodb": {"resources": {"limits": {"cpu": %d, "memory": "1Gi"}}}}}`, cpu)},
		})
	}
	s.Spec.Matrix = &benchv1alpha1.Matrix{Dimensions: []benchv1alpha1.Dimension{dimension}}
	s.Spec.Repetitions, s.Spec.Order, s.Spec.Thresholds, s.Spec.Baseline = nil, nil, nil, nil
	s.Spec.FailOn, s.Spec.StopOnFailure = nil, nil
	s.Spec.Search = &benchv1alpha1.SuiteSearch{Constraints: []benchv1alpha1.SearchConstraint{
		{Metric: benchv1alpha1.MetricOperationsPerSecond, Min: new(int64(5000))},
	}}
}

// perCPU is so much throughput for each CPU of a variant.
func perCPU(rate int64) func(*benchv1alpha1.BenchmarkRun) int64 {
	return func(run *benchv1alpha1.BenchmarkRun) int64 { return rate * cpus(run) }
}

// cpus is how many the variant of a run has.
func cpus(run *benchv1alpha1.BenchmarkRun) int64 {
	number, _ := strconv.ParseInt(strings.TrimPrefix(variantOf(run), "cpu"), 10, 64)
	return number
}

func TestASearchFindsTheSmallestVariant(t *testing.T) {
	for name, tc := range map[string]struct {
		perCPU          int64
		variant, passed string
	}{
		"in the middle": {1100, "cpu5", "True Found"},
		"the smallest":  {6000, "cpu1", "True Found"},
		"the largest":   {700, "cpu8", "True Found"},
		"none":          {500, "", "False NothingKeeps"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sized)
			w.play(perCPU(tc.perCPU))
			w.want(benchv1alpha1.SuiteComplete, "True Searched")
			w.want(benchv1alpha1.SuitePassed, tc.passed)
			found := w.Suite.Status.Search
			if found == nil || found.Variant != tc.variant {
				t.Fatalf("found %+v, want %s", found, tc.variant)
			}
			if *found.MatrixRuns != 40 || int(*found.Runs) != len(w.made) || 3*len(w.made) > 40 {
				t.Errorf("%d runs were made; the status says %d of %d", len(w.made), *found.Runs, *found.MatrixRuns)
			}
			marked := slices.DeleteFunc(found.Tried, func(tried benchv1alpha1.SearchedVariant) bool {
				return (tried.Verdict == benchv1alpha1.SearchSmallest) == (tried.Variant == tc.variant)
			})
			if len(marked) > 0 {
				t.Errorf("the smallest is wrong in %+v", marked)
			}
		})
	}
}

func TestASearchSaysWhatItRestsOn(t *testing.T) {
	w := newWorld(t, sized)
	w.play(perCPU(1100))
	for _, tried := range w.Suite.Status.Search.Tried {
		checkTried(t, tried)
	}
	if got := w.message(benchv1alpha1.SuitePassed); !strings.HasPrefix(got, "cpu5 keeps the constraints, by ") ||
		!strings.Contains(got, "cpu4 does not keep throughput of at least 5,000/s") {
		t.Errorf("it says: %s", got)
	}
	result, err := comparison.DecodeResult(w.contents[w.resultName()].BinaryData[comparison.ResultKey])
	if err != nil || result.Search == nil || result.Search.Variant != "cpu5" {
		t.Errorf("the stored result has %+v (%v)", result.Search, err)
	}
}

// checkTried wants a variant with 1,100 operations a second for each CPU to be judged by them.
func checkTried(t *testing.T, tried benchv1alpha1.SearchedVariant) {
	t.Helper()
	number, _ := strconv.ParseInt(tried.Variant[3:], 10, 64)
	want, value := benchv1alpha1.SearchBreaks, 1100*number*1000
	switch {
	case number == 5:
		want = benchv1alpha1.SearchSmallest
	case number > 5:
		want = benchv1alpha1.SearchKeeps
	}
	switch {
	case tried.Verdict != want, *tried.Objective != 1000*number, *tried.Constraint.Min != 5000:
		t.Errorf("%+v, want %s", tried, want)
	case *tried.ValueMillis < value || *tried.ValueMillis > value+10_000:
		t.Errorf("%s has %d, want %d", tried.Variant, *tried.ValueMillis, value)
	case *tried.LowMillis > *tried.ValueMillis || *tried.HighMillis < *tried.ValueMillis:
		t.Errorf("%s has %d, from %d to %d", tried.Variant, *tried.ValueMillis, *tried.LowMillis, *tried.HighMillis)
	}
}

func TestWhatATargetDoesNotSurviveIsTooSmall(t *testing.T) {
	w := newWorld(t, sized)
	w.play(func(run *benchv1alpha1.BenchmarkRun) int64 {
		if cpus(run) < 3 {
			return 0 // It is killed.
		}
		return 2000 * cpus(run)
	})
	w.want(benchv1alpha1.SuitePassed, "True Found")
	w.want(benchv1alpha1.SuiteComplete, "True Searched")
	if found := w.Suite.Status.Search; found.Variant != "cpu3" {
		t.Errorf("found %s; %+v", found.Variant, found.Tried)
	}
}

func TestARunInDoubtIsMadeAgain(t *testing.T) {
	w := newWorld(t, sized)
	w.doubtful = true
	w.play(perCPU(1100))
	w.want(benchv1alpha1.SuitePassed, "True Found")
	found := w.Suite.Status.Search
	told := slices.ContainsFunc(found.Tried, func(tried benchv1alpha1.SearchedVariant) bool {
		return strings.Contains(tried.Message, "is in doubt and says nothing: GeneratorLate")
	})
	if found.Variant != "cpu5" || !told {
		t.Errorf("found %s; %+v", found.Variant, found.Tried)
	}
}

func TestWhatCannotBeDecidedIsTold(t *testing.T) {
	w := newWorld(t, sized)
	flips := int64(0)
	w.play(func(run *benchv1alpha1.BenchmarkRun) int64 {
		if cpus(run) == 8 {
			return 50_000
		}
		flips++
		return 2000 + 6000*(flips%2)
	})
	found := w.Suite.Status.Search
	if found.Variant == "" || found.Variant == "cpu8" && len(found.Tried) < 2 {
		t.Errorf("found %+v", found)
	}
	if !strings.Contains(found.Message, "it is not known, and spec.repetitions are used up") {
		t.Errorf("it says: %s", found.Message)
	}
}

func TestAnotherLimitGoesOnFromWhatIsKnown(t *testing.T) {
	w := newWorld(t, sized)
	rate := perCPU(1100)
	w.play(rate)
	before, revision := len(w.made), w.Suite.Status.Revision
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Search.Constraints[0].Min = new(int64(2500)) })
	w.play(rate)
	w.want(benchv1alpha1.SuitePassed, "True Found")
	if found := w.Suite.Status.Search; found.Variant != "cpu3" || w.Suite.Status.Revision != revision {
		t.Errorf("found %s in revision %s", found.Variant, w.Suite.Status.Revision)
	}
	if made := len(w.made) - before; made > 6 {
		t.Errorf("%d more runs were made", made)
	}
	// And what is known already takes none.
	before = len(w.made)
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Search.Constraints[0].Min = new(int64(2600)) })
	w.play(rate)
	if found := w.Suite.Status.Search; found.Variant != "cpu3" || len(w.made) != before {
		t.Errorf("found %s, and %d more runs were made", found.Variant, len(w.made)-before)
	}
}

func TestASearchThatIsCompleteStaysSo(t *testing.T) {
	w := newWorld(t, sized)
	w.play(perCPU(1100))
	before, made := w.Suite.Status.DeepCopy(), len(w.made)
	for name, run := range w.Runs {
		if condition.Ended(run) {
			delete(w.Runs, name)
		}
	}
	w.settle()
	if len(w.made) != made || w.Suite.Status.Search.Variant != before.Search.Variant {
		t.Errorf("%d more runs are made once the runs are gone, and found is %s", len(w.made)-made,
			w.Suite.Status.Search.Variant)
	}
}

func TestASearchIsStopped(t *testing.T) {
	w := newWorld(t, sized, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.TimeoutSeconds = new(int32(150)) })
	for range 40 {
		w.settle()
		w.cancelEnds()
		for _, run := range w.active() {
			w.succeed(run, 1100*cpus(run))
		}
	}
	w.want(benchv1alpha1.SuiteComplete, "True TimedOut")
	w.want(benchv1alpha1.SuitePassed, "False TimedOut")
	if found := w.Suite.Status.Search; found.Outcome != benchv1alpha1.SearchNotKnown || found.Variant != "" {
		t.Errorf("found %+v", found)
	}
}

func TestRunsOfASearchAreMadeTogether(t *testing.T) {
	w := newWorld(t, sized, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(4)) })
	w.settle()
	active := w.active()
	if len(active) != 2 || variantOf(active[0]) != variantOf(active[1]) {
		t.Errorf("the runs %v are active, want two of one variant", w.made)
	}
	if probes := Probes(&w.Observation); len(probes) != 0 {
		t.Errorf("%d probes once the first run is made", len(probes))
	}
}

func TestEveryVariantOfASearchIsProbed(t *testing.T) {
	w := newWorld(t, sized)
	asked := map[string]bool{}
	w.refuse = func(probe Probe) string {
		asked[probe.Variant] = true
		if probe.Variant == "cpu8" {
			return "no"
		}
		return ""
	}
	w.step()
	w.want(benchv1alpha1.SuiteAccepted, "False VariantInvalid")
	if len(asked) != 8 {
		t.Errorf("asked about %v", asked)
	}
}

// TestTheCheapestOfTheSmallestIsTaken has two dimensions, of which either alone is enough, at another price.
func TestTheCheapestOfTheSmallestIsTaken(t *testing.T) {
	w := newWorld(t, sized, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Search.Minimise = new(benchv1alpha1.MinimiseCost)
		cpu := &s.Spec.Matrix.Dimensions[0]
		cpu.Choices = cpu.Choices[:2]
		s.Spec.Matrix.Dimensions = append(s.Spec.Matrix.Dimensions, benchv1alpha1.Dimension{
			Name: "cache", Choices: []benchv1alpha1.Choice{{Name: "little"}, {Name: "much"}},
		})
	})
	prices := map[string]int64{"cpu1-little": 10, "cpu2-little": 40, "cpu1-much": 30, "cpu2-much": 60}
	for range 20 {
		w.settle()
		for _, run := range w.active() {
			rate := int64(9000)
			if variantOf(run) == "cpu1-little" {
				rate = 2000
			}
			w.succeed(run, rate)
			run.Status.Result.Steps[0].CostPerMonthAtRateMicros = new(prices[variantOf(run)])
		}
	}
	w.want(benchv1alpha1.SuitePassed, "True Found")
	found := w.Suite.Status.Search
	if found.Variant != "cpu1-much" || !strings.Contains(found.Message, "so do cpu2-little") {
		t.Errorf("found %s: %s", found.Variant, found.Message)
	}
	for _, tried := range found.Tried {
		if *tried.Objective != prices[tried.Variant] {
			t.Errorf("%s costs %d", tried.Variant, *tried.Objective)
		}
	}
}
