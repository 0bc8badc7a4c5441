package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strconv"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/loadgen/collect"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
)

const (
	// managedByLabel and componentLabel are what the operator's Jobs are told from others and from one another by.
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "mongobench-operator"
	componentLabel = "app.kubernetes.io/component"
	// places is how many pods the node has room for. The others wait, as they would for a scheduler.
	places = 32
)

// node plays what is not there: the Job controller, the kubelet, the garbage collector, and what runs in the pods.
type node struct {
	server  *server
	client  client.Client
	configs *kube.ConfigMaps
	cancel  context.CancelFunc
	ended   sync.WaitGroup
	// hostile load pods answer with a bomb.
	hostile bool
	// pods does what load pods do, in place of what is played; nil: nothing.
	pods func(ctx context.Context, job *batchv1.Job, plan string) error

	mutex sync.Mutex
	// alive are the Jobs that have not ended, and most how many there were at once.
	alive map[client.ObjectKey]bool
	most  int
	// trouble is why the node cannot go on.
	trouble error
}

// startNode plays a node until it is stopped.
func startNode(ctx context.Context, s *server) (*node, error) {
	ctx, cancel := context.WithCancel(ctx)
	n := &node{server: s, cancel: cancel, alive: map[client.ObjectKey]bool{}}
	if err := n.start(ctx); err != nil {
		n.stop()
		return nil, fmt.Errorf("starting the node: %w", err)
	}
	return n, nil
}

// start makes every Job that comes or goes one of the node's tasks; what changes in one is the node's own doing.
func (n *node) start(ctx context.Context) error {
	var err error
	if n.client, err = client.New(n.server.config, client.Options{Scheme: n.server.scheme}); err != nil {
		return err
	}
	if n.configs, err = kube.For(n.server.config, namespace); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(n.server.config, ctrl.Options{
		Scheme:     n.server.scheme,
		Cache:      cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{MaxConcurrentReconciles: places, SkipNameValidation: new(true)},
	})
	if err != nil {
		return err
	}
	comesOrGoes := builder.WithPredicates(predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return n.note(e.Object, true) },
		UpdateFunc: func(event.UpdateEvent) bool { return false },
		DeleteFunc: func(e event.DeleteEvent) bool { return n.note(e.Object, false) },
	})
	if err := ctrl.NewControllerManagedBy(manager).For(&batchv1.Job{}, comesOrGoes).Complete(n); err != nil {
		return err
	}
	n.ended.Go(func() { n.fail(manager.Start(ctx)) })
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the Jobs could not be listed")
	}
	return nil
}

// note counts a Job that came or went, and says whether it is one of the operator's.
func (n *node) note(job client.Object, alive bool) bool {
	if job.GetLabels()[managedByLabel] != managedBy {
		return false
	}
	n.count(client.ObjectKeyFromObject(job), alive)
	return true
}

// stop ends everything that the node does.
func (n *node) stop() {
	n.cancel()
	n.ended.Wait()
}

// Reconcile plays a Job to its end. What goes wrong ends the measurement, so that nothing is tried again.
func (n *node) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	err := n.handle(ctx, request.NamespacedName)
	if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) { // A Job may be deleted at any time.
		n.fail(fmt.Errorf("playing Job %s: %w", request.Name, err))
	}
	return reconcile.Result{}, nil
}

func (n *node) fail(err error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.trouble = errors.Join(n.trouble, err)
}

func (n *node) failure() error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.trouble
}

// handle brings a Job to its end, or removes the pod of one that is gone.
func (n *node) handle(ctx context.Context, key client.ObjectKey) error {
	job := &batchv1.Job{}
	err := n.client.Get(ctx, key, job)
	if apierrors.IsNotFound(err) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: podName(key.Name, 0)}}
		return n.client.Delete(ctx, pod, client.GracePeriodSeconds(0))
	}
	if err != nil || job.Status.CompletionTime != nil {
		return err
	}
	defer n.count(key, false)
	pods, err := n.startPods(ctx, job)
	if err != nil {
		return err
	}
	play := n.load
	if job.Labels[componentLabel] == "topology" {
		play = n.topology
	}
	if err := play(ctx, job); err != nil {
		return err
	}
	return n.end(ctx, job, pods)
}

func (n *node) count(key client.ObjectKey, alive bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if !alive {
		delete(n.alive, key)
		return
	}
	n.alive[key] = true
	n.most = max(n.most, len(n.alive))
}

// atOnce is how many Jobs ran at the same time, at most.
func (n *node) atOnce() int {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.most
}

func podName(job string, index int) string { return job + "-" + strconv.Itoa(index) }

// startPods starts all pods of a Job at once.
func (n *node) startPods(ctx context.Context, job *batchv1.Job) ([]*corev1.Pod, error) {
	now, pods := metav1.Now(), make([]*corev1.Pod, 1)
	if job.Spec.Completions != nil {
		pods = make([]*corev1.Pod, *job.Spec.Completions)
	}
	for index := range pods {
		pod, err := n.startPod(ctx, job, index, now)
		if err != nil {
			return nil, err
		}
		pods[index] = pod
	}
	before := job.DeepCopy()
	job.Status.StartTime, job.Status.Active = &now, int32(len(pods))
	return pods, n.client.Status().Patch(ctx, job, client.MergeFrom(before))
}

func (n *node) startPod(ctx context.Context, job *batchv1.Job, index int, now metav1.Time) (*corev1.Pod, error) {
	template := job.Spec.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name = job.Namespace, podName(job.Name, index)
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, strconv.Itoa(index))
	if err := controllerutil.SetControllerReference(job, pod, n.server.scheme); err != nil {
		return nil, err
	}
	if err := n.client.Create(ctx, pod); err != nil {
		return nil, err
	}
	return pod, n.changePod(ctx, pod, corev1.PodRunning, corev1.ContainerState{
		Running: &corev1.ContainerStateRunning{StartedAt: now},
	})
}

func (n *node) changePod(
	ctx context.Context, pod *corev1.Pod, phase corev1.PodPhase, state corev1.ContainerState,
) error {
	before := pod.DeepCopy()
	pod.Status.Phase = phase
	container := pod.Spec.Containers[0]
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: container.Name, Image: container.Image, Ready: state.Running != nil, State: state,
	}}
	return n.client.Status().Patch(ctx, pod, client.MergeFrom(before))
}

// end plays that the pods' programs have ended well.
func (n *node) end(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod) error {
	now := metav1.Now()
	for _, pod := range pods {
		err := n.changePod(ctx, pod, corev1.PodSucceeded, corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: now},
		})
		if err != nil {
			return err
		}
	}
	before := job.DeepCopy()
	job.Status.Active, job.Status.Succeeded, job.Status.CompletionTime = 0, int32(len(pods)), &now
	if job.Spec.CompletionMode != nil && *job.Spec.CompletionMode == batchv1.IndexedCompletion {
		job.Status.CompletedIndexes = "0"
		if last := len(pods) - 1; last > 0 {
			job.Status.CompletedIndexes = "0-" + strconv.Itoa(last)
		}
	}
	for _, reached := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: reached, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now,
			Reason: batchv1.JobReasonCompletionsReached,
		})
	}
	return n.client.Status().Patch(ctx, job, client.MergeFrom(before))
}

const (
	// pace is the time between two things that a pod says: long enough for the manager to see each.
	pace = 200 * time.Millisecond
	// operations of a second, as far as the progress tells.
	operations = 500
)

// argument is what follows a flag among a Job's.
func argument(job *batchv1.Job, flag string) string {
	arguments := job.Spec.Template.Spec.Containers[0].Args
	for i := range len(arguments) - 1 {
		if arguments[i] == flag {
			return arguments[i+1]
		}
	}
	return ""
}

// topology is what a topology Job does: it answers who the server is.
func (n *node) topology(ctx context.Context, job *batchv1.Job) error {
	if err := process.Sleep(ctx, pace); err != nil {
		return err
	}
	return n.configs.Topology(ctx, argument(job, "--result-configmap"), reportv1.TopologyReport{
		Version: reportv1.Version,
		Server: reportv1.Server{
			Version: "6.0.5", Topology: "Standalone", StorageEngine: "wiredTiger", CacheMebibytes: 256, CPUCores: 2,
			Members: 1, DefaultWriteConcern: "w: 1",
		},
	})
}

// load is what a load pod does: it goes through the steps of its plan, says where it is, and reports.
func (n *node) load(ctx context.Context, job *batchv1.Job) error {
	encoded, err := n.plan(ctx, job)
	if err != nil {
		return err
	}
	if n.pods != nil {
		return n.pods(ctx, job, encoded)
	}
	plan, err := planv1.Decode([]byte(encoded))
	if err != nil {
		return err
	}
	reporter := &kube.Reporter{ConfigMaps: n.configs, Name: argument(job, "--pod-configmap-prefix") + "0"}
	began := time.Now()
	for index, step := range plan.Steps {
		if err := n.step(ctx, reporter, plan, index); err != nil {
			return fmt.Errorf("saying that it is in step %s: %w", step.Name, err)
		}
	}
	report, err := runtest.ReportOf(plan, 0, began)
	if err != nil {
		return err
	}
	if err := reporter.Report(ctx, report); err != nil {
		return err
	}
	last := len(plan.Steps) - 1
	done := reportv1.Progress{
		Step: last, State: reportv1.ProgressDone, Percent: 100, Dataset: mark(plan, plan.Steps[last].Kind),
	}
	if err := say(ctx, reporter, done); err != nil {
		return err
	}
	return n.collect(ctx, job, plan, planv1.Hash([]byte(encoded)))
}

// collect is what load pod 0 does with the reports of all of them.
func (n *node) collect(ctx context.Context, job *batchv1.Job, plan planv1.Plan, hash string) error {
	gate := &kube.Gate{ConfigMaps: n.configs, Name: argument(job, "--gate-configmap"), Patience: time.Hour}
	order, err := gate.Order(ctx)
	if err != nil {
		return err
	}
	reports := &kube.Reports{
		ConfigMaps: n.configs, PodPrefix: argument(job, "--pod-configmap-prefix"),
		Merged: argument(job, "--report-configmap"), Collected: argument(job, "--collected-configmap"),
		Log: slog.New(slog.DiscardHandler),
	}
	if n.hostile {
		return reports.Tell(ctx, []byte(bomb()))
	}
	return collect.Collector{
		Source: reports, Store: reports, Teller: reports, Pods: plan.Pods, PlanHash: hash,
	}.Collect(ctx, order)
}

// plan is the one that a Job's pods are given.
func (n *node) plan(ctx context.Context, job *batchv1.Job) (string, error) {
	for _, volume := range job.Spec.Template.Spec.Volumes {
		if volume.Name != "plan" || volume.ConfigMap == nil {
			continue
		}
		var config corev1.ConfigMap
		key := client.ObjectKey{Namespace: job.Namespace, Name: volume.ConfigMap.Name}
		err := n.client.Get(ctx, key, &config)
		return config.Data[path.Base(argument(job, "--plan"))], err
	}
	return "", fmt.Errorf("job %s has no volume with a plan", job.Name)
}

// step says that a step begins, and of one that is measured how it goes on.
func (n *node) step(ctx context.Context, reporter *kube.Reporter, plan planv1.Plan, index int) error {
	step := plan.Steps[index]
	at := reportv1.Progress{
		Step: index, State: reportv1.ProgressRunning, WarmingUp: step.WarmupSeconds > 0, Dataset: mark(plan, step.Kind),
	}
	if err := say(ctx, reporter, at); err != nil || step.Kind != planv1.StepMeasure {
		return err
	}
	at.WarmingUp, at.Percent, at.OperationsPerSecond = false, 50, operations
	return say(ctx, reporter, at)
}

// mark is what the database says of its dataset in a step: the run before has changed documents, and so does this one.
func mark(plan planv1.Plan, kind planv1.StepKind) *reportv1.DatasetMark {
	state := reportv1.DatasetLoading
	switch kind {
	case planv1.StepVerify:
		state = reportv1.DatasetClean
	case planv1.StepMeasure:
		state = reportv1.DatasetDirty
	default:
	}
	return &reportv1.DatasetMark{Fingerprint: plan.Dataset, State: state}
}

// say writes where a pod is, and gives the manager the time to read it.
func say(ctx context.Context, reporter *kube.Reporter, at reportv1.Progress) error {
	if err := reporter.Progress(ctx, at); err != nil {
		return err
	}
	return process.Sleep(ctx, pace)
}
