package decide

import (
	"path"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
	"github.com/mongobench/mongobench-operator/controllers/internal/podspec"
)

const (
	// loadGrace is more than the five seconds within which the load generator stops by itself.
	loadGrace = int64(10)
	// secretMode lets the pod's group, which the load generator runs as, read the credentials, and nobody else.
	secretMode = int32(0o440)
	// goMemoryPercent of the limit is where Go's collector begins to work harder. The rest is for what it does not
	// count: the stacks and buffers of the runtime and the kernel.
	goMemoryPercent = 90
)

const (
	planVolume        = "plan"
	credentialsVolume = "credentials"
)

// loadJob is the Job of the load pods. It never tries again: a measurement that was cut is no measurement.
func (v *view) loadJob() *batchv1.Job {
	pods := int32(v.plan.Pods)
	return &batchv1.Job{
		ObjectMeta: loadMeta(v.Run),
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           &pods,
			Parallelism:           &pods,
			BackoffLimit:          new(int32(0)),
			PodReplacementPolicy:  new(batchv1.Failed),
			ActiveDeadlineSeconds: new(int64(v.jobTime().Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForRun(v.Run.Name, naming.ComponentLoad),
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

func (v *view) loadPod() corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            naming.LoadJob(v.Run.Name),
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(loadGrace),
		EnableServiceLinks:            new(false),
		SecurityContext:               podspec.PodSecurity(podspec.LoadgenUser),
		Affinity:                      loadAffinity(targetName(v.Run), v.Run.Name),
		Containers:                    []corev1.Container{v.loadContainer()},
		Volumes: []corev1.Volume{
			{Name: planVolume, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: naming.PlanConfigMap(v.Run.Name, v.encoded)},
			}}},
			{Name: credentialsVolume, VolumeSource: corev1.VolumeSource{Secret: secretVolume(v.Target.Status.Connection)}},
		},
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
	connection, credentials := connect(v.Target.Status.Connection)
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
		}, connection...),
		// The Job controller adds JOB_COMPLETION_INDEX, the pod's index, to every container of an Indexed Job.
		Env: []corev1.EnvVar{
			podspec.Namespace(naming.NamespaceEnv),
			podspec.Limit(naming.CPULimitEnv, corev1.ResourceCPU, "1m"),
			{Name: naming.GoMemoryEnv, Value: strconv.FormatInt(memory, 10)},
		},
		Resources: resources,
		VolumeMounts: []corev1.VolumeMount{
			{Name: planVolume, MountPath: naming.PlanPath, ReadOnly: true},
			{Name: credentialsVolume, MountPath: credentials, ReadOnly: true},
		},
		SecurityContext:          podspec.ContainerSecurity(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// connect is how the load generator is told where the target is, and the folder that its credentials are mounted into.
func connect(connection *benchv1alpha1.TargetConnection) (args []string, credentials string) {
	if from := connection.URISecretRef; from != nil {
		return []string{"--uri-file", path.Join(naming.URIPath, from.Key)}, naming.URIPath
	}
	args = []string{"--credentials", naming.CredentialsPath}
	if connection.URI != nil {
		args = append(args, "--uri", *connection.URI)
	}
	return args, naming.CredentialsPath
}

func secretVolume(connection *benchv1alpha1.TargetConnection) *corev1.SecretVolumeSource {
	volume := &corev1.SecretVolumeSource{DefaultMode: new(secretMode)}
	switch {
	case connection.URISecretRef != nil:
		volume.SecretName = connection.URISecretRef.Name
		volume.Items = []corev1.KeyToPath{{Key: connection.URISecretRef.Key, Path: connection.URISecretRef.Key}}
	case connection.CredentialsSecretName != nil:
		volume.SecretName = *connection.CredentialsSecretName
	}
	return volume
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
			apart(fromMembers, naming.SelectComponent(target, naming.ComponentMongod)),
			apart(fromEachOther, naming.SelectRun(run)),
		},
	}}
}
