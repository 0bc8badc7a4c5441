package decide

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// world is a cluster of one suite, in which everything that is decided comes true at once.
type world struct {
	t *testing.T
	Observation
	// contents are the ConfigMaps with what they hold, those of other suites among them.
	contents map[string]*corev1.ConfigMap
	// made are the runs that were made, in their order, and removed the names of everything that was removed.
	made, removed []string
	// refuse, when set, is the API server's answer to a probe.
	refuse func(Probe) string
	// doubtful has the next run that succeeds be in doubt.
	doubtful bool
	// reportBytes is the size of the reports of runs that succeed; nil: it is not known.
	reportBytes *int64
	wait        time.Duration
	writes      int
}

func newWorld(t *testing.T, change ...func(*benchv1alpha1.BenchmarkSuite)) *world {
	t.Helper()
	w := &world{t: t, contents: map[string]*corev1.ConfigMap{}}
	w.Now = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
	w.Suite = suitetest.Suite("bench", "s")
	for _, c := range change {
		c(w.Suite)
	}
	w.Runs = map[string]*benchv1alpha1.BenchmarkRun{}
	w.Targets = map[string]*benchv1alpha1.BenchmarkTarget{}
	w.ConfigMaps = map[string]*corev1.ConfigMap{}
	return w
}

// edit changes the specification.
func (w *world) edit(change func(*benchv1alpha1.BenchmarkSuite)) {
	change(w.Suite)
	w.Suite.Generation++
}

// step decides once and makes it so.
func (w *world) step() {
	w.t.Helper()
	w.Plan, w.Invalid = suite.Compile(w.Suite)
	w.Plan = w.Plan.Current(w.Suite)
	w.Refusals = nil
	for _, probe := range Probes(&w.Observation) {
		if w.refuse != nil && w.refuse(probe) != "" {
			w.Refusals = append(w.Refusals, Refusal{Variant: probe.Variant, Message: w.refuse(probe)})
		}
	}
	w.Stored = map[string]*corev1.ConfigMap{}
	for names := Needed(&w.Observation); len(names) > 0; names = Needed(&w.Observation) {
		for _, name := range names {
			w.Stored[name] = w.contents[name]
		}
	}
	w.carryOut(Decide(w.Observation))
}

func (w *world) carryOut(decision Decision) {
	w.t.Helper()
	keep := map[string]bool{}
	for _, object := range decision.Desired {
		keep[object.GetName()] = true
		w.put(object)
	}
	for _, object := range decision.Observed {
		if !keep[object.GetName()] {
			w.remove(object)
		}
	}
	for _, change := range decision.Changes {
		w.change(change)
	}
	for _, run := range decision.Create {
		if w.Runs[run.Name] != nil {
			w.t.Errorf("run %s is made twice", run.Name)
		}
		run.CreationTimestamp = metav1.NewTime(w.Now)
		w.Runs[run.Name] = run
		w.made = append(w.made, run.Name)
		w.writes++
	}
	w.wait = decision.Wait
	if !equality.Semantic.DeepEqual(w.Suite.Status, decision.Status) {
		w.Suite.Status = decision.Status
		w.writes++
	}
}

func (w *world) put(object desired.Object) {
	switch object := object.(type) {
	case *corev1.ConfigMap:
		w.contents[object.Name] = object
		stripped := object.DeepCopy()
		stripped.Data, stripped.BinaryData = nil, nil
		w.ConfigMaps[object.Name] = stripped
		w.writes++
	case *benchv1alpha1.BenchmarkTarget:
		if w.Targets[object.Name] == nil {
			w.writes++
		}
		w.Targets[object.Name] = object
	default:
		w.t.Errorf("%T is desired", object)
	}
}

func (w *world) remove(object desired.Object) {
	w.removed = append(w.removed, object.GetName())
	w.writes++
	switch object.(type) {
	case *corev1.ConfigMap:
		delete(w.ConfigMaps, object.GetName())
		delete(w.contents, object.GetName())
	case *benchv1alpha1.BenchmarkTarget:
		delete(w.Targets, object.GetName())
	case *benchv1alpha1.BenchmarkRun:
		delete(w.Runs, object.GetName())
	}
}

func (w *world) change(change Change) {
	run := change.Run
	w.writes++
	if run.Annotations == nil {
		run.Annotations = map[string]string{}
	}
	delete(run.Annotations, SuspendedAnnotation)
	delete(run.Annotations, CancelledAnnotation)
	run.Spec.Suspend = nil
	if change.Suspend {
		run.Spec.Suspend, run.Annotations[SuspendedAnnotation] = new(true), "true"
	}
	if change.Cancel {
		run.Spec.Cancel, run.Annotations[CancelledAnnotation] = new(true), "true"
	}
}

// settle goes on until nothing is written any more.
func (w *world) settle() {
	w.t.Helper()
	for range 20 {
		before := w.writes
		w.step()
		if w.writes == before {
			return
		}
	}
	w.t.Fatalf("it goes on writing; conditions:\n%s", w.describe())
}

// active are the runs that have not ended, by name.
func (w *world) active() []*benchv1alpha1.BenchmarkRun {
	var active []*benchv1alpha1.BenchmarkRun
	for _, name := range slices.Sorted(maps.Keys(w.Runs)) {
		if run := w.Runs[name]; !condition.Ended(run) {
			active = append(active, run)
		}
	}
	return active
}

// cancelEnds plays the controller of runs: what is cancelled ends.
func (w *world) cancelEnds() {
	for _, run := range w.active() {
		if ptr.Deref(run.Spec.Cancel, false) {
			run.Status = suitetest.Failed(w.Now, benchv1alpha1.ReasonCancelled)
		}
	}
}

// succeed ends a run with a throughput.
func (w *world) succeed(run *benchv1alpha1.BenchmarkRun, operationsPerSecond int64) {
	w.Now = w.Now.Add(time.Minute)
	run.Status = suitetest.Succeeded(run.Name, w.Now, operationsPerSecond)
	run.Status.Result.Report.Bytes = w.reportBytes
	if w.doubtful {
		w.doubtful = false
		run.Status.Doubts = []string{benchv1alpha1.ReasonGeneratorLate}
		condition.In(&run.Status.Conditions, run.Generation, w.Now).False(benchv1alpha1.RunTrusted,
			benchv1alpha1.ReasonGeneratorLate, "late")
	}
}

func (w *world) fail(run *benchv1alpha1.BenchmarkRun) {
	w.Now = w.Now.Add(time.Minute)
	run.Status = suitetest.Failed(w.Now, benchv1alpha1.ReasonOOMKilled)
}

// play goes on until no run is made any more. Each has the throughput of its variant, and a little of its own.
func (w *world) play(throughput func(run *benchv1alpha1.BenchmarkRun) int64) {
	w.t.Helper()
	for range 2000 {
		w.settle()
		active := w.active()
		if len(active) == 0 {
			return
		}
		for _, run := range active {
			switch rate := throughput(run); {
			case ptr.Deref(run.Spec.Cancel, false):
				w.cancelEnds()
			case rate == 0:
				w.fail(run)
			default:
				w.succeed(run, rate+int64(len(w.made)%7))
			}
		}
	}
	w.t.Fatal("the suite goes on for ever")
}

// steady is the same throughput for all.
func steady(*benchv1alpha1.BenchmarkRun) int64 { return 10_000 }

// variantOf is the variant that a run is of.
func variantOf(run *benchv1alpha1.BenchmarkRun) string {
	return run.Annotations[suite.VariantAnnotation]
}

func (w *world) status(conditionType string) string {
	c := condition.Find(w.Suite.Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

func (w *world) message(conditionType string) string {
	if c := condition.Find(w.Suite.Status.Conditions, conditionType); c != nil {
		return c.Message
	}
	return ""
}

func (w *world) want(conditionType, want string) {
	w.t.Helper()
	if got := w.status(conditionType); got != want {
		w.t.Errorf("%s is %q, want %q; all conditions:\n%s", conditionType, got, want, w.describe())
	}
}

func (w *world) describe() string {
	var text strings.Builder
	for _, c := range w.Suite.Status.Conditions {
		text.WriteString(c.Type + " " + string(c.Status) + " " + c.Reason + ": " + c.Message + "\n")
	}
	return text.String()
}
