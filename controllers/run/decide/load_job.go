package decide

import (
	"path"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
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

// loadJob is the Job of the load pods. It never tries again: a measurement that was cut is no measurement.
func (v *view) loadJob() *batchv1.Job {
	pods := int32(v.plan.Pods)
	meta := loadMeta(v.Run)
	meta.Labels = queueLabels(v.Run, meta.Labels)
	return &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           &pods,
			Parallelism:           &pods,
			BackoffLimit:          new(int32(0)),
			PodReplacementPolicy:  new(batchv1.Failed),
			ActiveDeadlineSeconds: new(int64(v.jobTime().Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      loadLabels(v.Run.Name, v.Target.Name),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: v.loadPod(),
			},
		},
	}
}

// jobTime is more than all stages of the load pods may take together. It holds even when no operator runs.
func (v *view) jobTime() time.Duration {
	return v.schedulingTime() + v.loadingTime() + v.measuringTime() + jobSlack
}

// loadLabels let the load pods through the NetworkPolicy of their target.
func loadLabels(run, target string) map[string]string {
	labels := naming.ForRun(run, naming.ComponentLoad)
	labels[naming.ClientLabel] = target
	return labels
}

func (v *view) loadPod() corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            naming.LoadJob(v.Run.Name),
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(loadGrace),
		EnableServiceLinks:            new(false),
		SecurityContext:               podspec.PodSecurity(podspec.LoadgenUser),
		Affinity:                      loadAffinity(targetName(v.Run), v.Run.Name),
		Containers:                    []corev1.Container{v.loadContainer()},
		Volumes:                       v.loadVolumes(),
	}
}

func (v *view) loadContainer() corev1.Container {
	generator := benchv1alpha1.LoadGenerator{}
	if v.Run.Spec.LoadGenerator != nil {
		generator = *v.Run.Spec.LoadGenerator
	}
	image := v.LoadgenImage
	if generator.Image != nil {
		image = *generator.Image
	}
	resources := podspec.Resources(generator.Resources, benchv1alpha1.DefaultLoadResources)
	memory := resources.Limits.Memory().Value() * goMemoryPercent / 100
	return corev1.Container{
		Name:            naming.LoadContainer,
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args: append([]string{
			"run",
			"--plan", path.Join(naming.PlanPath, naming.PlanKey),
			"--gate-configmap", naming.GateConfigMap(v.Run.Name),
			"--pod-configmap-prefix", naming.PodConfigMapPrefix(v.Run.Name),
			// The deadlines end a wait for other pods, and name its cause; a pod by itself must not be faster.
			"--gate-timeout", v.jobTime().String(),
			"--metrics-bind-address", ":" + strconv.Itoa(int(metricsPort)),
		}, v.connectionArguments()...),
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
		VolumeMounts:             v.loadMounts(),
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
