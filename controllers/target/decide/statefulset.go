package decide

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
	"github.com/mongobench/mongobench-operator/controllers/internal/podspec"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

const (
	dataVolume    = "data"
	keyfileVolume = "keyfile"
	secretVolume  = "keyfile-secret"
	tmpVolume     = "tmp"

	// stopSeconds is more than a mongod needs to write its last checkpoint; 11 s was seen. It is less than the 30 s within
	// which a run must be gone, because a mongod that has just been started, as after a lack of memory, does not hear the
	// signal and is killed when the time is over. Its journal makes that harmless.
	stopSeconds = 20
	// secretMode lets the pod's group read what is mounted from a Secret or ConfigMap, and nobody write it.
	secretMode = int32(0o440)
)

// statefulSet deploys the members. Its pods are replaced only when somebody deletes them: an operator of a later
// version must not restart a member in the midst of a measurement because its template would be another one today.
func statefulSet(t *benchv1alpha1.BenchmarkTarget, operator settings.Settings) *appsv1.StatefulSet {
	selector := naming.SelectComponent(t.Name, naming.ComponentMongod)
	return &appsv1.StatefulSet{
		ObjectMeta: meta(t, naming.TargetStatefulSet(t.Name), naming.ComponentMongod),
		Spec: appsv1.StatefulSetSpec{
			Replicas:            new(int32(members(t.Spec))),
			ServiceName:         naming.MembersService(t.Name),
			Selector:            &metav1.LabelSelector{MatchLabels: selector},
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
				WhenScaled:  appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
			},
			VolumeClaimTemplates: volumeClaims(t),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForTarget(t.Name, naming.ComponentMongod),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: memberPod(t, operator),
			},
		},
	}
}

func memberPod(t *benchv1alpha1.BenchmarkTarget, operator settings.Settings) corev1.PodSpec {
	resources := podspec.Resources(t.Spec.Resources, benchv1alpha1.DefaultMemberResources)
	return corev1.PodSpec{
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(stopSeconds)),
		SecurityContext:               podspec.PodSecurity(podspec.MongodUser),
		Affinity:                      apart(t),
		InitContainers: []corev1.Container{{
			Name:            naming.KeyfileContainer,
			Image:           operator.LoadgenImage,
			Args:            keyfileArguments(),
			Resources:       resources,
			SecurityContext: podspec.ContainerSecurity(),
			VolumeMounts: []corev1.VolumeMount{
				{Name: secretVolume, MountPath: naming.KeyfileSecretPath, ReadOnly: true},
				{Name: keyfileVolume, MountPath: naming.MongodKeyfilePath},
			},
		}},
		Containers: []corev1.Container{{
			Name:            naming.MongodContainer,
			Image:           mongodImage(t.Spec, operator),
			Command:         []string{"mongod"},
			Args:            mongodFlags(t.Spec),
			Resources:       resources,
			SecurityContext: podspec.ContainerSecurity(),
			Ports: []corev1.ContainerPort{{
				Name: "mongodb", ContainerPort: naming.MongodPort, Protocol: corev1.ProtocolTCP,
			}},
			StartupProbe:   startupProbe(t),
			ReadinessProbe: readinessProbe(),
			VolumeMounts: []corev1.VolumeMount{
				{Name: dataVolume, MountPath: naming.DataPath},
				{Name: keyfileVolume, MountPath: naming.MongodKeyfilePath, ReadOnly: true},
				{Name: tmpVolume, MountPath: naming.TemporaryPath},
			},
		}},
		Volumes: memberVolumes(t),
	}
}

// keyfileArguments copy the key to where mongod takes it from. mongod refuses a file that its group can read, and a
// Secret's volume gives no other kind to a user that is not root.
func keyfileArguments() []string {
	return []string{
		"keyfile",
		"--from", naming.KeyfileSecretPath + "/" + naming.KeyfileKey,
		"--to", naming.MongodKeyfilePath + "/" + naming.KeyfileKey,
	}
}

// startupProbe asks every second, so that no second is lost, and gives up no sooner than the target does: a member
// that recovers its journal must not be restarted. There is no liveness probe, since a mongod that fails ends by
// itself.
func startupProbe(t *benchv1alpha1.BenchmarkTarget) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1,
		FailureThreshold: provisioningSeconds(t.Spec),
	}
}

// readinessProbe asks seldom: each time is a connection to the server that is being measured. The kubelet asks the
// first time as soon as the startup probe has succeeded.
func readinessProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 10, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// connectProbe opens a connection. A shell that speaks to the server would take half a core of the server's own CPU.
func connectProbe() corev1.ProbeHandler {
	return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(naming.MongodPort)}}
}

// apart asks for a node each, if there are enough: members that share a disk measure each other.
func apart(t *benchv1alpha1.BenchmarkTarget) *corev1.Affinity {
	if members(t.Spec) == 1 {
		return nil
	}
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100,
			PodAffinityTerm: corev1.PodAffinityTerm{
				TopologyKey: corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{
					MatchLabels: naming.SelectComponent(t.Name, naming.ComponentMongod),
				},
			},
		}},
	}}
}

func provisioningSeconds(spec benchv1alpha1.BenchmarkTargetSpec) int32 {
	return ptr.Deref(spec.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
}
