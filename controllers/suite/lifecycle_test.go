package suite_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// fiveTimes compares two variants by five repetitions of each.
func fiveTimes(s *benchv1alpha1.BenchmarkSuite) {
	s.Spec.Repetitions = new(int32(5))
	s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("few")}
	s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricOperationsPerSecond}}
}

// manyThreads changes one variant.
func manyThreads(threads int) func(*benchv1alpha1.BenchmarkSuite) {
	return func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Matrix.Dimensions[0].Choices[1] = suitetest.Threads("many", threads)
	}
}

// TestSuiteFromAcceptedToItsVerdict goes all the way. Each reconcile is done by a reconciler of its own, as if the
// manager were restarted between any two.
func TestSuiteFromAcceptedToItsVerdict(t *testing.T) {
	t.Parallel()
	p := newPlay(t, fiveTimes)
	p.idle()
	p.want(benchv1alpha1.SuiteAccepted, "True Valid")
	p.want(benchv1alpha1.SuiteComplete, "False RunsPending")
	if len(p.writes.Asked) != 2 || len(p.created()) != 1 {
		t.Errorf("asked about %v, made %v", p.writes.Asked, p.created())
	}
	p.toEnd(slower)
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	p.want(benchv1alpha1.SuiteRegressed, "True MetricRegressed")
	p.checkResult()

	p.edit(manyThreads(9))
	p.settle()
	p.want(benchv1alpha1.SuiteComplete, "False RunsPending")
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteRegressed, "False NoRegression")
	made := p.created()
	if len(made) != 15 || len(slices.Compact(slices.Sorted(slices.Values(made)))) != 15 {
		t.Errorf("made %v", made)
	}
	for _, name := range made[10:] {
		if !strings.HasPrefix(name, "s-many-") {
			t.Errorf("the change of one variant made %s", name)
		}
	}
	if len(p.writes.Asked) != 3 {
		t.Errorf("asked about %v", p.writes.Asked)
	}
}

func (p *play) checkResult() {
	p.t.Helper()
	found := p.suite()
	lines := found.Status.Comparison
	if len(lines) != 1 || lines[0].Verdict != benchv1alpha1.VerdictRegressed || *lines[0].EffectBasisPoints > -4900 {
		p.t.Errorf("comparison %+v", lines)
	}
	if got := *found.Status.Variants[1].OperationsPerSecond; got < 5_000 || got > 5_006 {
		p.t.Errorf("variants %+v", found.Status.Variants)
	}
	stored := &corev1.ConfigMap{}
	p.must(environment.Client.Get(p.t.Context(),
		client.ObjectKey{Namespace: p.namespace, Name: found.Status.Result.ConfigMapName}, stored))
	result, err := comparison.DecodeResult(stored.BinaryData[comparison.ResultKey])
	p.must(err)
	if len(result.Sides) != 2 || len(result.Sides[0].Samples) != 5 || !metav1.IsControlledBy(stored, found) {
		p.t.Errorf("the result has %d sides; owners %v", len(result.Sides), stored.OwnerReferences)
	}
	if diff := cmp.Diff(lines, result.Lines); diff != "" {
		p.t.Errorf("lines of the status and the result differ:\n%s", diff)
	}
	for _, key := range []string{comparison.SamplesKey, comparison.ComparisonKey, comparison.BenchstatKey} {
		if stored.Data[key] == "" {
			p.t.Errorf("there is no %s", key)
		}
	}
}

func TestNothingIsMadeTwiceWhenTheCacheIsBehind(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.hidden = map[string]bool{}
	for range 3 {
		_, err := p.reconcile()
		p.must(err)
		for name := range p.runs() {
			p.hidden[name] = true
		}
	}
	if got := len(p.runs()); got != 1 {
		t.Errorf("%d runs", got)
	}
	p.want(benchv1alpha1.SuiteAccepted, "True Valid")
	clear(p.hidden)
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestAForeignRunIsNotTaken(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	p.end(p.active()[0], 10_000)
	// The name of the second run is known once it was made.
	p.settle()
	taken := p.active()[0]
	p.remove(taken)
	foreign := &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: taken.Name}, Spec: taken.Spec,
	}
	p.must(environment.Client.Create(t.Context(), foreign))
	p.idle()
	p.want(benchv1alpha1.SuiteAccepted, "False VariantInvalid")
	if said := p.message(benchv1alpha1.SuiteAccepted); !strings.Contains(said, taken.Name+" exists already") {
		t.Errorf("Accepted says %q", said)
	}
	p.remove(foreign)
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestRunsOfAnEarlierSuiteOfTheSameNameAreWaitedFor(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	before := p.active()[0]
	p.remove(p.suite())
	made := suitetest.Suite(p.namespace, "s")
	made.UID, made.Generation = "", 0
	p.must(environment.Client.Create(t.Context(), made))
	result, err := p.reconcile()
	p.must(err)
	if result.RequeueAfter == 0 {
		t.Error("the suite is not looked at again")
	}
	p.want(benchv1alpha1.SuiteAccepted, "")
	p.remove(before) // The garbage collector.
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestTheAPIServersRefusalIsToldBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	// Only the schema of runs knows how many there may be; the load pods have memory for them.
	p := newPlay(t, manyThreads(5000), func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Template.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{
			Resources: targettest.Limits("", "1Gi"),
		}
	})
	p.idle()
	p.want(benchv1alpha1.SuiteAccepted, "False VariantInvalid")
	said := p.message(benchv1alpha1.SuiteAccepted)
	if !strings.Contains(said, `variant "many"`) || !strings.Contains(said, "spec.workload.steps[0].threads") {
		t.Errorf("Accepted says %q", said)
	}
	if len(p.runs()) > 0 {
		t.Error("runs were made")
	}
	p.edit(manyThreads(8))
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestStatusTellsWhatCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.writes.Refuse = func(write string) error {
		if strings.HasPrefix(write, "create ") {
			return apierrors.NewForbidden(benchv1alpha1.GroupVersion.WithResource("benchmarkruns").GroupResource(), "s",
				errors.New("exceeded quota"))
		}
		return nil
	}
	if _, err := p.reconcile(); err == nil {
		t.Error("the failure was not returned")
	}
	p.want(benchv1alpha1.SuiteAccepted, "True Valid")
	if said := p.message(benchv1alpha1.SuiteComplete); !strings.Contains(said, "exceeded quota") {
		t.Errorf("Complete says %q", said)
	}
	p.writes.Refuse = nil
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

// TestNothingIsCompleteThatIsNotStored: a manager that cannot store the result says so, and the next one does.
func TestNothingIsCompleteThatIsNotStored(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	for range 4 {
		p.settle()
		p.end(p.active()[0], 10_000)
	}
	p.writes.Refuse = func(write string) error {
		if strings.HasPrefix(write, "apply ConfigMap") {
			return errors.New("not now")
		}
		return nil
	}
	if _, err := p.reconcile(); err == nil {
		t.Error("the failure was not returned")
	}
	p.want(benchv1alpha1.SuiteComplete, "False RunsPending")
	if status := p.suite().Status; status.Result != nil || status.CompletionTime != nil {
		t.Errorf("status %+v", status)
	}
	p.writes.Refuse = nil
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

func TestSuspendedRunsAreResumed(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) })
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "False Suspended")
	if run := p.active()[0]; run.Spec.Suspend == nil || !*run.Spec.Suspend {
		t.Errorf("the run is not suspended: %+v", run.Annotations)
	}
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(false) })
	p.idle()
	if run := p.active()[0]; run.Spec.Suspend != nil && *run.Spec.Suspend || len(run.Annotations) != 1 {
		t.Errorf("the run is still suspended: %+v", run.Annotations)
	}
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	if len(p.created()) != 4 {
		t.Errorf("made %v", p.created())
	}
}

func TestASuiteThatIsStoppedCancelsItsRuns(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.BenchmarkSuite)
		stop   func(*play)
		want   string
	}{
		"by the first failure": {
			func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.StopOnFailure = new(true) },
			func(p *play) { p.end(p.active()[0], 0) }, "True StoppedOnFailure",
		},
		"by its timeout": {
			func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.TimeoutSeconds = new(int32(60)) },
			func(p *play) { p.now = p.now.Add(p.settle().RequeueAfter) }, "True TimedOut",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, tc.change, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(2)) })
			p.settle()
			tc.stop(p)
			p.idle()
			p.want(benchv1alpha1.SuiteComplete, "False RunsPending")
			for _, run := range p.active() {
				if run.Spec.Cancel == nil || !*run.Spec.Cancel {
					t.Errorf("%s is not cancelled", run.Name)
				}
				p.end(run, 10_000)
			}
			p.idle()
			p.want(benchv1alpha1.SuiteComplete, tc.want)
			if len(p.created()) != 2 {
				t.Errorf("made %v", p.created())
			}
			// What the suite itself cancelled is made again when it goes on.
			p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.StopOnFailure, s.Spec.TimeoutSeconds = nil, nil })
			p.toEnd(steady)
			if got := p.suite().Status.Runs; *got.Succeeded+*got.Failed != 4 {
				t.Errorf("counts %+v", got)
			}
		})
	}
}

func TestSharedTargetsStandForTheirRunsAlone(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
	})
	targets := func() []benchv1alpha1.BenchmarkTarget {
		var list benchv1alpha1.BenchmarkTargetList
		p.must(environment.Client.List(t.Context(), &list, client.InNamespace(p.namespace)))
		return list.Items
	}
	p.idle()
	if found := targets(); len(found) != 1 || found[0].Name != p.active()[0].Spec.TargetRef.Name {
		t.Errorf("targets %v", found)
	}
	p.remove(&targets()[0])
	p.settle()
	if len(targets()) != 1 {
		t.Error("a target that was removed is not made again")
	}
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	if found := targets(); len(found) > 0 {
		t.Errorf("left are %v", found)
	}
}

func TestWhatASuiteMadeGoesWithItAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toEnd(steady)
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.namespace, Name: "other", Labels: naming.ForSuite("s", naming.ComponentSuiteResult),
	}}
	p.must(environment.Client.Create(t.Context(), other))
	found := p.suite()
	for _, run := range p.runs() {
		if !metav1.IsControlledBy(run, found) {
			t.Errorf("%s would stay", run.Name)
		}
	}
	controllerutil.AddFinalizer(found, "example.com/wait")
	p.must(environment.Client.Update(t.Context(), found))
	p.remove(found)
	before := len(p.writes.Done)
	p.idle() // While it is being deleted.
	found = p.suite()
	found.Finalizers = nil
	p.must(environment.Client.Update(t.Context(), found))
	result, err := p.reconcile() // When it is gone.
	if err != nil || !result.IsZero() || len(p.writes.Done) != before {
		t.Errorf("a suite that is gone: %v, %v, writes %v", result, err, p.writes.Done[before:])
	}
	p.must(environment.Client.Get(t.Context(), client.ObjectKeyFromObject(other), other))
}

func TestAnotherSuitesResultIsFoundWhenItIsThere(t *testing.T) {
	t.Parallel()
	p := newPlay(t, fiveTimes, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Baseline = &benchv1alpha1.Baseline{Suite: &benchv1alpha1.SuiteReference{Name: "nightly"}}
	})
	p.toEnd(slower)
	p.want(benchv1alpha1.SuiteRegressed, "Unknown NoBaseline")
	if result := p.settle(); result.RequeueAfter != time.Minute {
		t.Errorf("the suite is looked at again after %s", result.RequeueAfter)
	}
	nightly := suitetest.Suite(p.namespace, "nightly")
	fiveTimes(nightly)
	nightly.UID, nightly.Generation = "", 0
	p.must(environment.Client.Create(t.Context(), nightly))
	name := p.name
	p.name.Name = "nightly"
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	p.name = name
	p.idle()
	p.want(benchv1alpha1.SuiteRegressed, "True MetricRegressed")
	if said := p.message(benchv1alpha1.SuiteRegressed); !strings.Contains(said, "against nightly@") {
		t.Errorf("Regressed says %q", said)
	}
}
