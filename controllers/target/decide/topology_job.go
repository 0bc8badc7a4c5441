package decide

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	// topologyRetries are new pods for those that were taken away; the program repeats everything else by itself.
	topologyRetries = 6
	// topologyGaveUp is how the program ends that says why. A pod that is deleted ends by a signal, which as a container's
	// first process shows as 128 and its number or, before it listens for any, as Go's 2.
	topologyGaveUp = 1
	// topologySlackSeconds is by how much the Job outlives the target's own deadline, which has the better message.
	topologySlackSeconds = 300
)

// topologyJob makes the topology, or looks at the one that exists. It is started together with the members and waits
// for them, so that its own start costs no time.
func topologyJob(t *benchv1alpha1.BenchmarkTarget, images product.Images, plan string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology),
		Spec: batchv1.JobSpec{
			BackoffLimit:          new(int32(topologyRetries)),
			ActiveDeadlineSeconds: new(int64(*t.Spec.ProvisioningSeconds) + topologySlackSeconds),
			PodFailurePolicy:      failAtOnce(),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForTarget(t.Name, naming.ComponentTopology),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: topologyPod(t, images, plan),
			},
		},
	}
}

// failAtOnce tells a program that gave up, which has tried for as long as there was time, from a pod that was taken
// away.
func failAtOnce() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
			},
		},
		{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{topologyGaveUp},
			},
		},
	}}
}

func topologyPod(t *benchv1alpha1.BenchmarkTarget, images product.Images, plan string) corev1.PodSpec {
	arguments := []string{"topology", "--topology", naming.TopologyPlanPath + "/" + naming.TopologyPlanKey}
	volumes := []corev1.Volume{{Name: "topology", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: plan}, DefaultMode: new(product.SecretMode),
		},
	}}}
	mounts := []corev1.VolumeMount{{Name: "topology", MountPath: naming.TopologyPlanPath, ReadOnly: true}}
	mount := func(volume, secret, path string) {
		volumes = append(volumes, product.SecretVolume(volume, secret))
		mounts = append(mounts, product.ReadOnly(volume, path))
	}
	if from := uriSecret(t); from != nil {
		mount("uri", from.Name, naming.URIPath)
		arguments = append(arguments, "--uri-file", naming.URIPath+"/"+from.Key)
	} else if !product.WithoutUsers(t.Spec) {
		mount("keyfile", naming.KeyfileSecret(t.Name), naming.TopologyKeyfilePath)
		mount("admin", naming.AdminSecret(t.Name), naming.AdminPath)
		mount("load", naming.LoadSecret(t.Name), naming.LoadPath)
		mount("observer", naming.ObserverSecret(t.Name), naming.ObserverPath)
		mount("action", naming.ActionSecret(t.Name), naming.ActionPath)
		arguments = append(arguments,
			"--keyfile", naming.TopologyKeyfilePath+"/"+naming.KeyfileKey,
			"--admin-credentials", naming.AdminPath, "--load-credentials", naming.LoadPath,
			"--observer-credentials", naming.ObserverPath, "--action-credentials", naming.ActionPath)
	}
	if product.Encrypted(t.Spec) {
		volumes = append(volumes, product.AuthorityVolume(t.Name))
		mounts = append(mounts, product.ReadOnly(product.AuthorityVolumeName, naming.CAPath))
		arguments = append(arguments, "--tls-ca-file", naming.CAPath+"/"+naming.CAKey)
	}
	return corev1.PodSpec{
		ServiceAccountName:           naming.TopologyJob(t.Name),
		AutomountServiceAccountToken: new(true),
		EnableServiceLinks:           new(false),
		RestartPolicy:                corev1.RestartPolicyNever,
		SecurityContext:              podspec.PodSecurity(podspec.LoadgenUser),
		Containers: []corev1.Container{{
			Name:            naming.TopologyContainer,
			Image:           images.Loadgen,
			Args:            append(arguments, "--result-configmap", naming.TopologyResultConfigMap(t.Name)),
			Env:             []corev1.EnvVar{podspec.Namespace(naming.NamespaceEnv)},
			Resources:       podspec.TopologyResources,
			SecurityContext: podspec.ContainerSecurity(),
			VolumeMounts:    mounts,
		}},
		Volumes: volumes,
	}
}
