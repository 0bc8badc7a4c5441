package target_test

import (
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/target"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// patience is how long a state is waited for: long, since the machines of tests are shared.
const patience = 30 * time.Second

var operator = settings.Settings{
	LoadgenImage: "example.com/loadgen:1",
	ImageRepositories: map[benchv1alpha1.Product]string{
		benchv1alpha1.ProductMongoDB: "example.com/mongo", benchv1alpha1.ProductMariaDB: "example.com/mariadb",
	},
}

// world is a namespace with a target in it, a controller, and a clock that the test moves. The test plays the
// controllers of Kubernetes, the kubelet and the topology Job.
type world struct {
	*testing.T
	g         *gomega.WithT
	namespace string
	target    *benchv1alpha1.BenchmarkTarget
	stop      func()

	mutex   sync.Mutex
	skipped time.Duration
}

// newWorld starts a controller and creates the target that is declared.
func newWorld(t *testing.T, declare func(namespace string) *benchv1alpha1.BenchmarkTarget) *world {
	t.Helper()
	w := &world{T: t, g: gomega.NewWithT(t), namespace: environment.Namespace(t)}
	w.start()
	w.target = declare(w.namespace)
	w.create(w.target)
	return w
}

func (w *world) start() {
	w.Helper()
	manager := environment.Manager(w.T, w.namespace)
	r := target.New(loop.Of(manager, metrics.KindTarget, operator, nil), &queue.Queue{})
	r.Now = w.now
	if err := r.SetupWithManager(manager); err != nil {
		w.Fatal(err)
	}
	w.stop = testenv.Start(w.T, manager)
}

func (w *world) restart() {
	w.Helper()
	w.stop()
	w.start()
}

func (w *world) now() time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return time.Now().Add(w.skipped)
}

// skip moves the clock of the controller, and wakes it.
func (w *world) skip(by time.Duration) {
	w.Helper()
	w.mutex.Lock()
	w.skipped += by
	w.mutex.Unlock()
	w.changeStatefulSet(func(set *appsv1.StatefulSet) {
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, "test/clock", w.now().Format(time.RFC3339Nano))
	})
}

func (w *world) create(object client.Object) {
	w.Helper()
	if err := environment.Client.Create(w.Context(), object); err != nil {
		w.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// get reads an object of the namespace, which must exist in the end.
func (w *world) get(name string, into client.Object) {
	w.Helper()
	w.g.Eventually(func() error {
		return environment.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into)
	}, patience, 20*time.Millisecond).Should(gomega.Succeed())
}

func (w *world) statefulSet() *appsv1.StatefulSet {
	w.Helper()
	var set appsv1.StatefulSet
	w.get(naming.TargetStatefulSet(w.target.Name, naming.ReplicaSet), &set)
	return &set
}

func (w *world) job() *batchv1.Job {
	w.Helper()
	var job batchv1.Job
	w.get(naming.TopologyJob(w.target.Name), &job)
	return &job
}

func (w *world) changeStatefulSet(change func(*appsv1.StatefulSet)) {
	w.Helper()
	set := &w.statefulSets()[0]
	before := set.DeepCopy()
	change(set)
	if err := environment.Client.Patch(w.Context(), set, client.MergeFrom(before)); err != nil {
		w.Fatal(err)
	}
}

// made waits until the target's objects were written, which are written side by side: what became of them is reported
// after the last.
func (w *world) made() {
	w.Helper()
	w.g.Eventually(func() string {
		w.get(w.target.Name, w.target)
		return condition.Reason(w.target.Status.Conditions, benchv1alpha1.TargetReady)
	}, patience, 20*time.Millisecond).ShouldNot(gomega.BeEmpty())
}

// statefulSets are those of all of the target's sets.
func (w *world) statefulSets() []appsv1.StatefulSet {
	w.Helper()
	w.made()
	var all appsv1.StatefulSetList
	err := environment.Client.List(w.Context(), &all,
		client.InNamespace(w.namespace), client.MatchingLabels(naming.SelectTarget(w.target.Name)))
	if err != nil {
		w.Fatal(err)
	}
	return all.Items
}

// makePods creates the pods of the StatefulSets and the Job, as their controllers do, changed before their status is
// written.
func (w *world) makePods(change func(members []corev1.Pod, topology *corev1.Pod)) {
	w.Helper()
	var pods []corev1.Pod
	var owners []client.Object
	for _, set := range w.statefulSets() {
		for i := range int(*set.Spec.Replicas) {
			pods = append(pods, targettest.MemberPod(w.target, set.Spec.Template.Labels[naming.SetLabel], i))
			owners = append(owners, &set)
		}
	}
	topology := targettest.TopologyPod(w.target)
	change(pods, &topology)
	for i := range pods {
		w.makePod(owners[i], &pods[i])
	}
	w.makePod(w.job(), &topology)
}

func (w *world) makePod(owner client.Object, pod *corev1.Pod) {
	w.Helper()
	status := pod.Status
	if err := controllerutil.SetControllerReference(owner, pod, environment.Scheme); err != nil {
		w.Fatal(err)
	}
	w.create(pod)
	pod.Status = status
	if err := environment.Client.Status().Update(w.Context(), pod); err != nil {
		w.Fatalf("writing the status of pod %s: %v", pod.Name, err)
	}
}

func (w *world) changePod(name string, change func(*corev1.Pod)) {
	w.Helper()
	var pod corev1.Pod
	w.get(name, &pod)
	change(&pod)
	if err := environment.Client.Status().Update(w.Context(), &pod); err != nil {
		w.Fatalf("writing the status of pod %s: %v", name, err)
	}
}

// runMembers makes the pods of the members ready, and the topology Job's run.
func (w *world) runMembers() {
	w.Helper()
	w.makePods(func(members []corev1.Pod, topology *corev1.Pod) {
		for i := range members {
			targettest.Ready(&members[i], time.Now())
		}
		targettest.Ready(topology, time.Now())
	})
}

// answer plays the topology Job's success.
func (w *world) answer() {
	w.Helper()
	var result corev1.ConfigMap
	w.get(naming.TopologyResultConfigMap(w.target.Name), &result)
	result.Data = targettest.Answer()
	if err := environment.Client.Update(w.Context(), &result); err != nil {
		w.Fatal(err)
	}
	w.endJob(targettest.JobComplete(time.Now().Add(-time.Second), time.Now()))
}

func (w *world) endJob(status batchv1.JobStatus) {
	w.Helper()
	job := w.job()
	if status.StartTime == nil {
		status.StartTime = new(metav1.Now())
	}
	job.Status = status
	if err := environment.Client.Status().Update(w.Context(), job); err != nil {
		w.Fatalf("writing the status of the Job: %v", err)
	}
}

// expect waits until a condition of the target has a status and reason, and returns it.
func (w *world) expect(conditionType string, status metav1.ConditionStatus, reason string) metav1.Condition {
	w.Helper()
	var found metav1.Condition
	w.g.Eventually(func() string {
		key := client.ObjectKeyFromObject(w.target)
		if err := environment.Client.Get(w.Context(), key, w.target); err != nil {
			return err.Error()
		}
		if c := condition.Find(w.target.Status.Conditions, conditionType); c != nil {
			found = *c
		}
		return string(found.Status) + " " + found.Reason
	}, patience, 20*time.Millisecond).Should(gomega.Equal(string(status)+" "+reason), "condition %s", conditionType)
	return found
}

// expectStalled waits until the target was given up for a reason.
func (w *world) expectStalled(reason string) metav1.Condition {
	w.Helper()
	w.expect(benchv1alpha1.TargetStalled, metav1.ConditionTrue, reason)
	return w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, reason)
}
