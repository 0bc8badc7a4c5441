package decide

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

var birth = time.Date(2026, time.November, 21, 3, 0, 0, 0, time.UTC)

// world is a cluster in memory, as far as decisions can see one: what is desired comes into being, and time passes
// when a test says so.
type world struct {
	t *testing.T
	Observation
	// says is what load pods wrote of their progress, and reports what they measured, by the names of their ConfigMaps.
	says    map[string]string
	reports map[string][]byte
	// neighbours are on the nodes of members, and otherNodes would take a load pod; nil: nodes may not be read.
	neighbours int32
	otherNodes *int32
	// refusals are read when decisions ask for them.
	refusals []corev1.Event
	// stored is the merged report, once it is; trouble keeps it from being stored, and with collectorFails nobody
	// collects.
	stored         []byte
	trouble        string
	collectorFails bool
	// places is how often the place of the report was made.
	places int
	// partial makes the report of a pod that is told to end; nil: it leaves none.
	partial func(pod int) []byte
}

func newWorld(t *testing.T) *world {
	t.Helper()
	run := runtest.Run("bench", "r")
	run.UID, run.Generation, run.CreationTimestamp = "run-1", 1, metav1.NewTime(birth)
	return &world{
		t: t,
		Observation: Observation{
			Now: birth, Settings: settings.Settings{LoadgenImage: "loadgen:1"}, Run: run,
			Turn: queue.Turn{Admitted: true, Group: "group \"a\""},
		},
		says:    map[string]string{},
		reports: map[string][]byte{},
	}
}

// settle decides, and does what was decided, until there is nothing more to do without time or others doing something.
func (w *world) settle() Decision {
	w.t.Helper()
	for range 10 {
		w.observe()
		decision := Decide(w.Observation)
		changed := !reflect.DeepEqual(w.Run.Status, decision.Status)
		before := w.Run.Status
		w.Run.Status = decision.Status
		w.checkComplete(before)
		if !decision.Leave && w.apply(decision) {
			changed = true
		}
		if decision.Leave && w.drop(decision.Drop) {
			changed = true
		}
		if w.deletePods(decision.Deletions) {
			changed = true
		}
		if !changed {
			return decision
		}
	}
	w.t.Fatalf("decisions do not settle:\n%s", w.describe())
	return Decision{}
}

// observe fills in what is read from the API server only when decisions ask for it, and has the collector work.
func (w *world) observe() {
	w.FailedCreates = nil
	if PodsMissing(&w.Observation) != nil {
		w.FailedCreates = w.refusals
	}
	w.Vicinity = nil
	if nodes, beside := VicinityOf(&w.Observation); len(nodes) > 0 {
		seen := collect.Vicinity{Neighbours: w.neighbours}
		if beside != nil {
			seen.OtherNodes = w.otherNodes
		}
		w.Vicinity = &seen
	}
	w.collect()
}

// collect plays load pod 0 or the pod of the Job in its place: it merges and stores the reports, unless it cannot.
func (w *world) collect() {
	order, answer := w.gate()[reportv1alpha1.CollectKey], w.ConfigMaps[naming.CollectedConfigMap(w.Run.Name)]
	first := load.Pod(w.Pods, 0)
	waits := first != nil && first.Status.Phase == corev1.PodRunning && ends(w.Run) == nil
	if order == "" || answer == nil || answer.Data != nil || !waits && w.CollectJob == nil || w.collectorFails {
		return
	}
	if w.trouble != "" {
		answer.Data = map[string]string{reportv1alpha1.TroubleKey: w.trouble}
		return
	}
	pods := int(*w.Run.Spec.LoadGenerator.Pods)
	reports := make([][]byte, pods)
	for i := range reports {
		reports[i] = w.reports[naming.PodConfigMap(w.Run.Name, i)]
	}
	stored, told, err := runtest.Collect(w.Run.Name, w.Run.Status.PlanHash, order, reports...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.stored, answer.Data = stored, map[string]string{reportv1alpha1.CollectedKey: told}
}

// apply makes what is desired and not there, and removes what is there and not desired.
func (w *world) apply(decision Decision) bool {
	changed := false
	if decision.Place != nil {
		w.places++
	}
	before, gate, job := w.Owned, w.gate(), w.Job
	w.Owned = nil
	for _, wanted := range decision.Desired {
		object := existing(before, wanted)
		if object.GetCreationTimestamp().Time.IsZero() {
			changed = true
			object.SetCreationTimestamp(metav1.NewTime(w.Now))
			object.SetUID(types.UID(kindOf(object) + "-" + object.GetName()))
		}
		object.SetOwnerReferences([]metav1.OwnerReference{
			{Kind: "BenchmarkRun", Name: w.Run.Name, UID: w.Run.UID, Controller: new(true)},
		})
		w.Owned = append(w.Owned, object)
	}
	w.assign()
	if job != nil && w.Job == nil && ends(w.Run) != nil {
		w.handIn()
	}
	return changed || len(before) != len(w.Owned) || !maps.Equal(gate, w.gate())
}

// drop removes some of what is there.
func (w *world) drop(objects []desired.Object) bool {
	before := len(w.Owned)
	w.Owned = slices.DeleteFunc(w.Owned, func(object desired.Object) bool { return slices.Contains(objects, object) })
	w.assign()
	return len(w.Owned) < before
}

// handIn has the load pods end, which their Job no longer holds: each leaves a partial report, if it is to.
func (w *world) handIn() {
	for i := range w.Pods {
		if partial := w.partial; partial != nil && w.Pods[i].Status.Phase == corev1.PodRunning {
			w.reports[naming.PodConfigMap(w.Run.Name, i)] = partial(i)
		}
	}
	w.Pods = nil
	w.assign()
}

// gate is what the gate holds.
func (w *world) gate() map[string]string {
	if gate := w.ConfigMaps[naming.GateConfigMap(w.Run.Name)]; gate != nil {
		return maps.Clone(gate.Data)
	}
	return nil
}

// existing is the object of this kind and name that is there, or else the wanted one. Of what is there only the gate
// changes.
func existing(there []desired.Object, wanted desired.Object) desired.Object {
	for _, object := range there {
		if kindOf(object) != kindOf(wanted) || object.GetName() != wanted.GetName() {
			continue
		}
		gate, isConfigMap := object.(*corev1.ConfigMap)
		if update, ok := wanted.(*corev1.ConfigMap); ok && isConfigMap && strings.HasSuffix(gate.Name, "-gate") {
			gate.Data = update.Data
		}
		return object
	}
	return wanted
}

// assign puts what the run owns where observations have it.
func (w *world) assign() {
	w.ConfigMaps, w.Job, w.CollectJob, w.GatewayJob = map[string]*corev1.ConfigMap{}, nil, nil, nil
	if w.inline() {
		w.Target = nil
	}
	for _, object := range w.Owned {
		switch object := object.(type) {
		case *benchv1alpha1.BenchmarkTarget:
			w.Target = object
		case *corev1.ConfigMap:
			w.ConfigMaps[object.Name] = object
			if said, ok := w.says[object.Name]; ok {
				object.Data = map[string]string{reportv1alpha1.ProgressKey: said}
			}
			if _, has := w.reports[object.Name]; has { // The cache leaves the content out.
				object.BinaryData = map[string][]byte{reportv1alpha1.ReportKey: {}}
			}
		case *batchv1.Job:
			AssignJob(&w.Observation, object)
		}
	}
}

// lose takes an owned object away.
func (w *world) lose(kind string) {
	left := w.Owned[:0:0]
	for _, object := range w.Owned {
		if kindOf(object) != kind {
			left = append(left, object)
		}
	}
	w.Owned = left
	w.assign()
}

func (w *world) pass(d time.Duration) { w.Now = w.Now.Add(d) }

// targetSays sets one condition of the target.
func (w *world) targetSays(conditionType string, status metav1.ConditionStatus, reason, message string) {
	c := condition.In(&w.Target.Status.Conditions, 1, w.Now)
	c.Set(conditionType, status, reason, message)
}

func (w *world) targetReady() {
	w.targetSays(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady, "3 members")
	w.Target.Status.Connection = runtest.Connection(w.Target.Name)
	w.Target.Status.Server = runtest.Server()
}

// startPods makes the load pods and has them run.
func (w *world) startPods() {
	w.Pods = nil
	for i := range load.Wanted(w.Job) {
		w.Pods = append(w.Pods, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name:        fmt.Sprintf("r-load-%d", i),
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(i)},
			},
			Status: corev1.PodStatus{Phase: corev1.PodRunning},
		})
	}
}

// podSays is what one load pod writes of where it is.
func (w *world) podSays(pod int, progress reportv1alpha1.Progress) {
	encoded, err := reportv1alpha1.EncodeProgress(progress)
	if err != nil {
		w.t.Fatal(err)
	}
	w.says[naming.PodConfigMap(w.Run.Name, pod)] = string(encoded)
	w.assign()
}

// allSay has every load pod write the same.
func (w *world) allSay(step int, state reportv1alpha1.ProgressState, percent int) {
	for i := range load.Wanted(w.Job) {
		w.podSays(i, runtest.Progress(step, state, percent))
	}
}

// reportAll leaves the report of every load pod.
func (w *world) reportAll() {
	for i := range load.Wanted(w.Job) {
		w.reports[naming.PodConfigMap(w.Run.Name, i)] = w.encodedReport(i)
	}
	w.assign()
}

func (w *world) encodedReport(pod int) []byte {
	report, err := runtest.Report(w.Run, pod, w.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	encoded, err := result.Encode(report)
	if err != nil {
		w.t.Fatal(err)
	}
	return encoded
}

// endPod ends the only container of a load pod.
func (w *world) endPod(pod int, phase corev1.PodPhase, ended corev1.ContainerStateTerminated) {
	ended.FinishedAt = metav1.NewTime(w.Now)
	w.Pods[pod].Status.Phase = phase
	w.Pods[pod].Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: naming.LoadContainer, State: corev1.ContainerState{Terminated: &ended}},
	}
}

// jobSays sets a condition of the load Job.
func (w *world) jobSays(conditionType batchv1.JobConditionType, reason, message string) {
	w.Job.Status.Conditions = append(w.Job.Status.Conditions, batchv1.JobCondition{
		Type: conditionType, Status: corev1.ConditionTrue, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(w.Now),
	})
}

// The ways to the stages. Each begins where the one before it ends.

func (w *world) toJob() {
	w.settle()
	w.targetReady()
	w.settle()
}

func (w *world) toLoading() {
	w.toJob()
	w.startPods()
	w.settle()
	w.pass(3 * time.Second)
	w.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	w.settle()
}

func (w *world) toMeasuring() {
	w.toLoading()
	w.pass(10 * time.Second)
	w.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
	w.settle()
}

func (w *world) toCollecting() {
	w.toMeasuring()
	w.pass(10 * time.Second)
	w.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
}

func (w *world) toVerdict() {
	w.toCollecting()
	w.reportAll()
	w.settle()
}

// status is a condition as "Status Reason".
func (w *world) status(conditionType string) string {
	c := condition.Find(w.Run.Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

func (w *world) describe() string {
	var text strings.Builder
	for _, c := range w.Run.Status.Conditions {
		fmt.Fprintf(&text, "%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	return text.String()
}
