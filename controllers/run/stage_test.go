package run_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// play is a run on a real API server, on which the test plays the target's controller, Kubernetes and the load pods,
// and reconciles by hand: nothing happens between two lines of a test.
type play struct {
	t         *testing.T
	namespace string
	name      types.NamespacedName
	now       time.Time
	recorder  *events.FakeRecorder
	// writes is what the controller wrote.
	writes testenv.Writes
	// behind are ConfigMaps that the cache shows as they once were.
	behind map[string]*corev1.ConfigMap
}

func newPlay(t *testing.T, change ...func(*benchv1alpha1.BenchmarkRun)) *play {
	t.Helper()
	p := &play{t: t, namespace: environment.Namespace(t), now: time.Now().Truncate(time.Second)}
	p.recorder = events.NewFakeRecorder(1000)
	p.name = types.NamespacedName{Namespace: p.namespace, Name: "r"}
	made := runtest.Run(p.namespace, "r")
	for _, c := range change {
		c(made)
	}
	p.must(environment.Client.Create(t.Context(), made))
	return p
}

func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// reconcile reconciles once, as a manager that has just been started.
func (p *play) reconcile() (ctrl.Result, error) {
	p.t.Helper()
	noted := p.writes.Through(environment.Client)
	reconciler := run.New(loop.Cluster{
		Client: interceptor.NewClient(noted, interceptor.Funcs{List: p.list}), Live: noted, Recorder: p.recorder,
		Settings: settings.Settings{LoadgenImage: "loadgen:test", Namespaces: []string{p.namespace}},
		Now:      func() time.Time { return p.now },
	}, &queue.Queue{})
	return reconciler.Reconcile(p.t.Context(), ctrl.Request{NamespacedName: p.name})
}

// list does what the cache does, which may be behind.
func (p *play) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	err := c.List(ctx, list, opts...)
	if found, is := list.(*corev1.ConfigMapList); is {
		for i := range found.Items {
			if once := p.behind[found.Items[i].Name]; once != nil {
				once.DeepCopyInto(&found.Items[i])
			}
		}
	}
	return err
}

// fallBehind has the cache hear no more of these ConfigMaps.
func (p *play) fallBehind(names ...string) {
	p.t.Helper()
	p.behind = map[string]*corev1.ConfigMap{}
	for _, name := range names {
		p.behind[name] = &corev1.ConfigMap{}
		p.get(name, p.behind[name])
	}
}

// settle reconciles until nothing is written any more.
func (p *play) settle() ctrl.Result {
	p.t.Helper()
	return p.writes.Settle(p.t, p.reconcile)
}

// idle settles, then wants many reconciles to write nothing.
func (p *play) idle() {
	p.t.Helper()
	p.writes.Idle(p.t, p.reconcile)
}

func (p *play) pass(d time.Duration) { p.now = p.now.Add(d) }

func (p *play) run() *benchv1alpha1.BenchmarkRun {
	p.t.Helper()
	found := &benchv1alpha1.BenchmarkRun{}
	p.must(environment.Client.Get(p.t.Context(), p.name, found))
	return found
}

// get reads an object of the run's namespace by its name.
func (p *play) get(name string, into client.Object) {
	p.t.Helper()
	p.must(environment.Client.Get(p.t.Context(), types.NamespacedName{Namespace: p.namespace, Name: name}, into))
}

// targetSays plays the target's controller.
func (p *play) targetSays(conditionType string, status metav1.ConditionStatus, reason, message string) {
	p.t.Helper()
	p.targetOfNameSays(p.targetName(), conditionType, status, reason, message)
}

func (p *play) targetOfNameSays(name, conditionType string, status metav1.ConditionStatus, reason, message string) {
	p.t.Helper()
	var target benchv1alpha1.BenchmarkTarget
	p.get(name, &target)
	c := condition.In(&target.Status.Conditions, target.Generation, p.now)
	c.Set(conditionType, status, reason, message)
	target.Status.Connection = runtest.Connection(target.Name)
	target.Status.Server = runtest.Server()
	p.must(environment.Client.Status().Update(p.t.Context(), &target))
}

func (p *play) targetName() string {
	if ref := p.run().Spec.TargetRef; ref != nil {
		return ref.Name
	}
	return naming.InlineTarget(p.name.Name)
}

func (p *play) targetReady() {
	p.t.Helper()
	p.targetSays(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady, "3 members")
}

func (p *play) job() *batchv1.Job {
	p.t.Helper()
	var job batchv1.Job
	p.get(naming.LoadJob(p.name.Name), &job)
	return &job
}

// startPods plays the Job controller and the kubelet: the pods of the Job run.
func (p *play) startPods(phase corev1.PodPhase, conditions ...corev1.PodCondition) {
	p.t.Helper()
	job := p.job()
	for i := range *job.Spec.Completions {
		template := job.Spec.Template.DeepCopy()
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: p.namespace, Name: fmt.Sprintf("%s-%d", job.Name, i), Labels: template.Labels,
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(int(i))},
			},
			Spec: template.Spec,
		}
		p.must(controllerutil.SetControllerReference(job, pod, environment.Scheme))
		p.must(environment.Client.Create(p.t.Context(), pod))
		pod.Status.Phase, pod.Status.Conditions = phase, conditions
		p.must(environment.Client.Status().Update(p.t.Context(), pod))
	}
}

// endPod plays the kubelet: a load pod's container ends with an error.
func (p *play) endPod(index int, ended corev1.ContainerStateTerminated) {
	p.t.Helper()
	var pod corev1.Pod
	p.get(fmt.Sprintf("%s-%d", naming.LoadJob(p.name.Name), index), &pod)
	ended.FinishedAt, ended.StartedAt = metav1.NewTime(p.now), metav1.NewTime(p.now)
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: naming.LoadContainer, State: corev1.ContainerState{Terminated: &ended}},
	}
	p.must(environment.Client.Status().Update(p.t.Context(), &pod))
}

// write plays a load pod: a merge patch of its own ConfigMap.
func (p *play) write(index int, change func(*corev1.ConfigMap)) {
	p.t.Helper()
	p.patch(naming.PodConfigMap(p.name.Name, index), change)
}

func (p *play) patch(name string, change func(*corev1.ConfigMap)) {
	p.t.Helper()
	var own corev1.ConfigMap
	p.get(name, &own)
	before := own.DeepCopy()
	change(&own)
	p.must(environment.Client.Patch(p.t.Context(), &own, client.MergeFrom(before), client.FieldOwner("loadgen")))
}

func (p *play) podSays(index int, progress reportv1alpha1.Progress) {
	p.t.Helper()
	encoded, err := reportv1alpha1.EncodeProgress(progress)
	p.must(err)
	p.write(index, func(own *corev1.ConfigMap) {
		own.Data = map[string]string{reportv1alpha1.ProgressKey: string(encoded)}
	})
}

func (p *play) allSay(step int, state reportv1alpha1.ProgressState, percent int) {
	p.t.Helper()
	for i := range 2 {
		p.podSays(i, runtest.Progress(step, state, percent))
	}
}

// reportAll has the load pods hand in their reports, and one of them collect these when the gate asks for it.
func (p *play) reportAll() {
	p.t.Helper()
	p.handIn()
	p.settle()
	p.collectAsked()
}

// collectAsked plays the collector if the gate asks for the reports.
func (p *play) collectAsked() {
	p.t.Helper()
	if slices.Contains(p.names(), "ConfigMap r-gate") && p.gate()[reportv1alpha1.CollectKey] != "" {
		p.collectReports()
	}
}

// handIn has each load pod leave its report.
func (p *play) handIn() {
	p.t.Helper()
	for i := range 2 {
		report, err := runtest.Report(p.run(), i, p.now)
		p.must(err)
		encoded, err := result.Encode(report)
		p.must(err)
		p.write(i, func(own *corev1.ConfigMap) {
			own.BinaryData = map[string][]byte{reportv1alpha1.ReportKey: encoded}
		})
	}
}

// collectReports plays load pod 0, or the pod of a Job in its place, when the gate asks for the reports.
func (p *play) collectReports() {
	p.t.Helper()
	reports := make([][]byte, *p.run().Spec.LoadGenerator.Pods)
	for i := range reports {
		var own corev1.ConfigMap
		p.get(naming.PodConfigMap(p.name.Name, i), &own)
		reports[i] = own.BinaryData[reportv1alpha1.ReportKey]
	}
	merged, told, err := runtest.Collect(
		p.name.Name, p.run().Status.PlanHash, p.gate()[reportv1alpha1.CollectKey], reports...)
	p.must(err)
	p.patch(naming.ReportConfigMap(p.name.Name), func(place *corev1.ConfigMap) {
		place.Data = map[string]string{reportv1alpha1.DigestKey: result.Digest(merged)}
		place.BinaryData = map[string][]byte{reportv1alpha1.ReportKey: merged}
	})
	p.patch(naming.CollectedConfigMap(p.name.Name), func(answer *corev1.ConfigMap) {
		answer.Data = map[string]string{reportv1alpha1.CollectedKey: told}
	})
}

// collectGarbage plays the garbage collector: load pods whose Job is gone go too.
func (p *play) collectGarbage() {
	p.t.Helper()
	p.must(environment.Client.DeleteAllOf(p.t.Context(), &corev1.Pod{}, client.InNamespace(p.namespace),
		client.GracePeriodSeconds(0)))
}

// condition is one as "Status Reason".
func (p *play) condition(conditionType string) string {
	p.t.Helper()
	c := condition.Find(p.run().Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

func (p *play) want(conditionType, want string) {
	p.t.Helper()
	if got := p.condition(conditionType); got != want {
		p.t.Errorf("%s is %q, want %q; all conditions:", conditionType, got, want)
		for _, c := range p.run().Status.Conditions {
			p.t.Logf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		}
	}
}

// objects lists what carries the run's label, by kind and name.
func (p *play) objects() map[string]client.Object {
	p.t.Helper()
	found := map[string]client.Object{}
	for _, list := range []client.ObjectList{
		&benchv1alpha1.BenchmarkTargetList{}, &corev1.ConfigMapList{}, &batchv1.JobList{},
		&corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
		&policyv1.PodDisruptionBudgetList{},
	} {
		p.must(environment.Client.List(p.t.Context(), list, client.InNamespace(p.namespace),
			client.MatchingLabels(naming.SelectRun(p.name.Name))))
		p.must(apimeta.EachListItem(list, func(item runtime.Object) error {
			object, ok := item.(client.Object)
			if !ok {
				return fmt.Errorf("%T is no object", item)
			}
			kind := fmt.Sprintf("%T", object)
			found[kind[strings.LastIndexByte(kind, '.')+1:]+" "+object.GetName()] = object
			return nil
		}))
	}
	return found
}

func (p *play) names() []string {
	p.t.Helper()
	return slices.Sorted(maps.Keys(p.objects()))
}

// The ways to the stages.

func (p *play) toJob() {
	p.t.Helper()
	p.settle()
	p.targetReady()
	p.settle()
}

func (p *play) toMeasuring() {
	p.t.Helper()
	p.toJob()
	p.startPods(corev1.PodRunning)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	p.settle()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
	p.settle()
}

// toCollecting has every load pod hand in its report and be done.
func (p *play) toCollecting() {
	p.t.Helper()
	p.toMeasuring()
	p.handIn()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.settle()
}
