package load

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	// loadGrace is more than the load generator takes to hand in what it has measured after it was told to end.
	loadGrace = int64(30)
	// goMemoryPercent of the limit is where Go's collector begins to work harder. The rest is for what it does not
	// count: the stacks and buffers of the runtime and the kernel.
	goMemoryPercent = 90
	// metricsPort is where a load pod tells Prometheus how it is getting on. The chart's PodMonitor knows it by its name.
	metricsPort     = int32(8080)
	metricsPortName = "metrics"
)

// MaxReplacements is how often each load pod that is lost while loading is replaced.
const MaxReplacements int32 = 3

// killedCodes are the exit codes of a load pod that was killed or told to end: by SIGKILL, as for lack of memory, and
// by SIGTERM. Any other is its own error, which another pod would have as well.
var killedCodes = []int32{128 + 9, 128 + 15}

// Replaceable says whether the Job makes a pod that is gone again: while it has not given up, of one that did not end
// with an error of its own. A pod of which nothing is heard is one of these.
func Replaceable(job *batchv1.Job, pod *corev1.Pod) bool {
	if job == nil || job.Spec.BackoffLimitPerIndex == nil || condition.OfJob(job, batchv1.JobFailed) != nil ||
		condition.OfJob(job, batchv1.JobFailureTarget) != nil {
		return false
	}
	return !slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		ended := c.State.Terminated
		return ended != nil && ended.ExitCode != 0 && !slices.Contains(killedCodes, ended.ExitCode)
	})
}

// Current are the newest of the pods of each index, and replaced are the others.
func Current(pods []corev1.Pod) (current, replaced []corev1.Pod) {
	newest := map[string]int{}
	for i := range pods {
		index := indexOf(&pods[i])
		if at, known := newest[index]; !known || newer(&pods[i], &pods[at]) {
			newest[index] = i
		}
	}
	for i := range pods {
		if newest[indexOf(&pods[i])] == i {
			current = append(current, pods[i])
		} else {
			replaced = append(replaced, pods[i])
		}
	}
	return current, replaced
}

// newer says whether a pod was made after another one of its index, which by then has failed.
func newer(pod, other *corev1.Pod) bool {
	if pod.CreationTimestamp.Equal(&other.CreationTimestamp) {
		return other.Status.Phase == corev1.PodFailed
	}
	return other.CreationTimestamp.Before(&pod.CreationTimestamp)
}

// Pod is the load pod of an index; nil when it is not among them.
func Pod(pods []corev1.Pod, index int) *corev1.Pod {
	for i := range pods {
		if indexOf(&pods[i]) == strconv.Itoa(index) {
			return &pods[i]
		}
	}
	return nil
}

// indexOf is the index of a load pod as its Job writes it.
func indexOf(pod *corev1.Pod) string {
	if index, has := pod.Annotations[batchv1.JobCompletionIndexAnnotation]; has {
		return index
	}
	return pod.Name
}

// Predecessors is how many pods of its index were lost before a pod was made, as its Job writes it.
func Predecessors(pod *corev1.Pod) int {
	count, err := strconv.Atoi(pod.Annotations[batchv1.JobIndexFailureCountAnnotation])
	if err != nil {
		return 0
	}
	return count
}

// Pods are what the load pods are made of.
type Pods struct {
	Run    *benchv1alpha1.BenchmarkRun
	Target *benchv1alpha1.BenchmarkTarget
	// Baseline is the other target of a duet; nil: there is none.
	Baseline *benchv1alpha1.BenchmarkTarget
	// Plan that they carry out, and the hash by which its ConfigMap is named.
	Plan planv1alpha1.Plan
	Hash string
	// Image of the load generator, unless the run names one.
	Image string
	// Settings of the pods, with every default.
	Settings benchv1alpha1.PodSettings
	// Gateways are the addresses of those that the load goes through; none: it goes to the target.
	Gateways []string
	// Whole says that Kueue has room for the run as a whole: it is not to be asked for the Job once more.
	Whole bool
	// Time is more than all their stages may take together. It holds even when no operator runs.
	Time time.Duration
}

// Job is the Job of the load pods. A pod that is lost is made again, for a load goes on from where it was. One that
// ends with an error is not; nor does the pod that is made in the place of one that was lost go on with a measurement:
// a measurement that was cut is no measurement.
func (p Pods) Job() *batchv1.Job {
	pods := int32(p.Plan.Pods)
	meta := loadMeta(p.Run)
	if !p.Whole {
		meta.Labels = naming.Queued(meta.Labels, p.Run.Labels)
	}
	job := &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           &pods,
			Parallelism:           &pods,
			PodReplacementPolicy:  new(batchv1.Failed),
			ActiveDeadlineSeconds: new(int64(p.Time.Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      p.labels(),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: p.loadPod(),
			},
		},
	}
	podspec.Apply(p.Settings, &job.Spec.Template, naming.SelectRun(p.Run.Name))
	if p.Plan.AfterLoading() == 0 {
		job.Spec.BackoffLimit = new(int32(0))
		return job
	}
	// Each pod by itself: of many pods several may be on a node that goes away.
	job.Spec.BackoffLimitPerIndex, job.Spec.MaxFailedIndexes = new(MaxReplacements), new(int32(0))
	job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: new(naming.LoadContainer), Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn,
			Values: killedCodes,
		},
	}}}
	return job
}

// labels let the load pods through the NetworkPolicies of their targets.
func (p Pods) labels() map[string]string {
	labels := naming.ForRun(p.Run.Name, naming.ComponentLoad)
	labels[naming.ClientLabel] = p.Target.Name
	if p.Baseline != nil {
		labels[naming.BaselineClientLabel] = p.Baseline.Name
	}
	return labels
}

func (p Pods) loadPod() corev1.PodSpec {
	arguments, files := p.access()
	return corev1.PodSpec{
		ServiceAccountName:            naming.LoadJob(p.Run.Name),
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(loadGrace),
		EnableServiceLinks:            new(false),
		SecurityContext:               podspec.PodSecurity(podspec.LoadgenUser),
		Affinity:                      p.affinity(),
		Containers:                    []corev1.Container{p.loadContainer(arguments, files.Mounts)},
		Volumes:                       files.Volumes,
	}
}

func (p Pods) loadContainer(access []string, mounts []corev1.VolumeMount) corev1.Container {
	resources, memory := resourcesOf(p.Run)
	return corev1.Container{
		Name:            naming.LoadContainer,
		Image:           imageOf(p.Run, p.Image),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args: slices.Concat([]string{"run"}, partOf(p.Run.Name, p.Time),
			[]string{
				"--run-uid", string(p.Run.UID), "--run-name", path.Join(p.Run.Namespace, p.Run.Name),
				"--metrics-bind-address", ":" + strconv.Itoa(int(metricsPort)),
			}, access),
		Ports: []corev1.ContainerPort{{
			Name: metricsPortName, ContainerPort: metricsPort, Protocol: corev1.ProtocolTCP,
		}},
		// The Job controller adds JOB_COMPLETION_INDEX, the pod's index, to every container of an Indexed Job.
		Env: []corev1.EnvVar{
			podspec.Namespace(naming.NamespaceEnv),
			podspec.Node(naming.NodeEnv),
			podspec.PodUID(naming.PodUIDEnv),
			podspec.Limit(naming.CPULimitEnv, corev1.ResourceCPU, "1m"),
			memory,
		},
		Resources:                resources,
		VolumeMounts:             mounts,
		SecurityContext:          podspec.ContainerSecurity(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// partOf is what the load generator is told in every pod of a run.
func partOf(run string, patience time.Duration) []string {
	return []string{
		"--plan", path.Join(naming.PlanPath, naming.PlanKey),
		"--gate-configmap", naming.GateConfigMap(run),
		"--pod-configmap-prefix", naming.PodConfigMapPrefix(run),
		"--report-configmap", naming.ReportConfigMap(run),
		"--collected-configmap", naming.CollectedConfigMap(run),
		// The deadlines end a wait for other pods, and name its cause; a pod by itself must not be faster.
		"--gate-timeout", patience.String(),
	}
}

// imageOf is the load generator's image: the run's own, or else the operator's.
func imageOf(run *benchv1alpha1.BenchmarkRun, otherwise string) string {
	if own := spec.LoadGenerator(run.Spec.LoadGenerator).Image; own != nil {
		return *own
	}
	return otherwise
}

// resourcesOf are those of a load pod, and the variable that tells Go how much memory it may take.
func resourcesOf(run *benchv1alpha1.BenchmarkRun) (corev1.ResourceRequirements, corev1.EnvVar) {
	return sized(*spec.LoadGenerator(run.Spec.LoadGenerator).Resources)
}

// sized are resources of a pod with the load generator's program, and the variable that tells Go of the memory.
func sized(declared corev1.ResourceRequirements) (corev1.ResourceRequirements, corev1.EnvVar) {
	resources := podspec.LoadResources(declared)
	memory := resources.Limits.Memory().Value() * goMemoryPercent / 100
	return resources, corev1.EnvVar{Name: naming.GoMemoryEnv, Value: strconv.FormatInt(memory, 10)}
}

// PlanConfigMap tells the load pods what to do. Its name holds a hash of the plan: another plan is another object.
func PlanConfigMap(run *benchv1alpha1.BenchmarkRun, plan []byte, hash string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.PlanConfigMap(run.Name, hash), naming.ComponentPlan),
		Data:       map[string]string{naming.PlanKey: string(plan)},
	}
}

// PodConfigMap is where one load pod writes its progress and its report. It is made empty, so that the pods need the
// right to change it and not the right to create.
func PodConfigMap(run *benchv1alpha1.BenchmarkRun, index int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.PodConfigMap(run.Name, index), naming.ComponentReport),
	}
}

// Account lets the load pods read and watch the gate, and write into the ConfigMaps that were made for them, by name.
// Those that search together watch each other's.
func Account(run *benchv1alpha1.BenchmarkRun, plan planv1alpha1.Plan) []desired.Object {
	pods := make([]string, 0, plan.Pods)
	for i := range plan.Pods {
		pods = append(pods, naming.PodConfigMap(run.Name, i))
	}
	own := slices.Concat(pods, []string{naming.ReportConfigMap(run.Name), naming.CollectedConfigMap(run.Name)})
	rules := []rbacv1.PolicyRule{
		desired.ConfigMaps([]string{naming.GateConfigMap(run.Name)}, "get", "watch"), desired.ConfigMaps(own, "get", "patch"),
	}
	if plan.SearchesTogether() {
		rules = append(rules, desired.ConfigMaps(pods, "watch"))
	}
	return desired.Account(loadMeta(run), rules...)
}

func loadMeta(run *benchv1alpha1.BenchmarkRun) metav1.ObjectMeta {
	return desired.OfRun(run, naming.LoadJob(run.Name), naming.ComponentLoad)
}

// Suspended says whether the load Job may not make its pods.
func Suspended(job *batchv1.Job) bool {
	return job != nil && ptr.Deref(job.Spec.Suspend, false)
}

// Started is when the load Job could make its pods; zero when it cannot, or when its controller has not said since
// when. The Job of a queue may have been suspended for days, which is no fault of the pods.
func Started(job *batchv1.Job) time.Time {
	_, queued := job.Labels[naming.QueueLabel]
	switch {
	case Suspended(job):
		return time.Time{}
	case job.Status.StartTime != nil:
		return job.Status.StartTime.Time
	case queued || condition.OfJob(job, batchv1.JobSuspended) != nil:
		return time.Time{}
	default:
		return job.CreationTimestamp.Time
	}
}

// HeldSince is when the load Job was held back: when it was made, or suspended again.
func HeldSince(job *batchv1.Job) time.Time {
	since := job.CreationTimestamp.Time
	if held := condition.OfJob(job, batchv1.JobSuspended); held != nil && held.LastTransitionTime.After(since) {
		since = held.LastTransitionTime.Time
	}
	return since
}

// WaitsFor is what a run with a suspended Job waits for.
func WaitsFor(job *batchv1.Job) string {
	what := "the load Job"
	if job.Labels[naming.ComponentLabel] == string(naming.ComponentGateway) {
		what = "the Job of the gateway"
	}
	if name, queued := job.Labels[naming.QueueLabel]; queued {
		return fmt.Sprintf("%s is suspended; Kueue admits it from queue %q", what, name)
	}
	return what + " is suspended, and not by this operator"
}

// Wanted is how many pods the load Job is to have.
func Wanted(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}
