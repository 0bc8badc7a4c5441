package load

import (
	"path"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	// loadGrace is more than the five seconds within which the load generator stops by itself.
	loadGrace = int64(10)
	// goMemoryPercent of the limit is where Go's collector begins to work harder. The rest is for what it does not
	// count: the stacks and buffers of the runtime and the kernel.
	goMemoryPercent = 90
	// metricsPort is where a load pod tells Prometheus how it is getting on. The chart's PodMonitor knows it by its name.
	metricsPort     = int32(8080)
	metricsPortName = "metrics"
)

// Pods are what the load pods are made of.
type Pods struct {
	Run    *benchv1alpha1.BenchmarkRun
	Target *benchv1alpha1.BenchmarkTarget
	// Plan that they carry out, and how it is encoded for them.
	Plan    planv1alpha1.Plan
	Encoded []byte
	// Image of the load generator, unless the run names one.
	Image string
	// Time is more than all their stages may take together. It holds even when no operator runs.
	Time time.Duration
}

// Job is the Job of the load pods. It never tries again: a measurement that was cut is no measurement.
func (p Pods) Job() *batchv1.Job {
	pods := int32(p.Plan.Pods)
	meta := loadMeta(p.Run)
	meta.Labels = queueLabels(p.Run, meta.Labels)
	return &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           &pods,
			Parallelism:           &pods,
			BackoffLimit:          new(int32(0)),
			PodReplacementPolicy:  new(batchv1.Failed),
			ActiveDeadlineSeconds: new(int64(p.Time.Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      loadLabels(p.Run.Name, p.Target.Name),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: p.loadPod(),
			},
		},
	}
}

// loadLabels let the load pods through the NetworkPolicy of their target.
func loadLabels(run, target string) map[string]string {
	labels := naming.ForRun(run, naming.ComponentLoad)
	labels[naming.ClientLabel] = target
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
		Affinity:                      loadAffinity(p.Target.Name, p.Run.Name),
		Containers:                    []corev1.Container{p.loadContainer(arguments, files.Mounts)},
		Volumes:                       files.Volumes,
	}
}

func (p Pods) loadContainer(access []string, mounts []corev1.VolumeMount) corev1.Container {
	generator, image := spec.Normalise(p.Run.Spec).LoadGenerator, p.Image
	if generator.Image != nil {
		image = *generator.Image
	}
	resources := podspec.Resources(generator.Resources)
	memory := resources.Limits.Memory().Value() * goMemoryPercent / 100
	return corev1.Container{
		Name:            naming.LoadContainer,
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args: append([]string{
			"run",
			"--plan", path.Join(naming.PlanPath, naming.PlanKey),
			"--gate-configmap", naming.GateConfigMap(p.Run.Name),
			"--pod-configmap-prefix", naming.PodConfigMapPrefix(p.Run.Name),
			// The deadlines end a wait for other pods, and name its cause; a pod by itself must not be faster.
			"--gate-timeout", p.Time.String(),
			"--metrics-bind-address", ":" + strconv.Itoa(int(metricsPort)),
		}, access...),
		Ports: []corev1.ContainerPort{{
			Name: metricsPortName, ContainerPort: metricsPort, Protocol: corev1.ProtocolTCP,
		}},
		// The Job controller adds JOB_COMPLETION_INDEX, the pod's index, to every container of an Indexed Job.
		Env: []corev1.EnvVar{
			podspec.Namespace(naming.NamespaceEnv),
			podspec.Node(naming.NodeEnv),
			podspec.Limit(naming.CPULimitEnv, corev1.ResourceCPU, "1m"),
			{Name: naming.GoMemoryEnv, Value: strconv.FormatInt(memory, 10)},
		},
		Resources:                resources,
		VolumeMounts:             mounts,
		SecurityContext:          podspec.ContainerSecurity(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// loadAffinity prefers nodes without a member of the target, so that the two do not fight for the CPU; then nodes
// without another pod of the load.
func loadAffinity(target, run string) *corev1.Affinity {
	apart := func(weight int32, labels map[string]string) corev1.WeightedPodAffinityTerm {
		return corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
			TopologyKey:   corev1.LabelHostname,
		}}
	}
	// The scheduler counts the wish to be apart from each other once for the new pod and once for every one that is
	// there, and adds them up: half the weight for each would drive the second load pod to the members.
	const fromMembers, fromEachOther = 100, 1
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			apart(fromMembers, naming.SelectMembers(target)),
			apart(fromEachOther, naming.SelectRun(run)),
		},
	}}
}

// PlanConfigMap tells the load pods what to do. Its name holds a hash of the plan: another plan is another object.
func PlanConfigMap(run *benchv1alpha1.BenchmarkRun, plan []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.PlanConfigMap(run.Name, plan), naming.ComponentPlan),
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

// Account lets the load pods read the gate, and write into the ConfigMaps that were made for them, by name.
func Account(run *benchv1alpha1.BenchmarkRun, pods int) []desired.Object {
	own := make([]string, 0, pods)
	for i := range pods {
		own = append(own, naming.PodConfigMap(run.Name, i))
	}
	return desired.Account(loadMeta(run),
		desired.ConfigMaps([]string{naming.GateConfigMap(run.Name)}, "get"), desired.ConfigMaps(own, "get", "patch"))
}

func loadMeta(run *benchv1alpha1.BenchmarkRun) metav1.ObjectMeta {
	return desired.OfRun(run, naming.LoadJob(run.Name), naming.ComponentLoad)
}
