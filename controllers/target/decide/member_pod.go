package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

const (
	// stopSeconds is more than a mongod needs to write its last checkpoint; 11 s was seen. It is less than the 30 s within
	// which a run must be gone, because a mongod that has just been started, as after a lack of memory, does not hear the
	// signal and is killed when the time is over. Its journal makes that harmless.
	stopSeconds = 20
	// secretMode lets the pod's group read what is mounted from a Secret or ConfigMap, and nobody write it.
	secretMode = int32(0o440)
)

// memberPod is the pod of each member of a set.
func memberPod(t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) corev1.PodSpec {
	placement := ptr.Deref(t.Spec.Placement, benchv1alpha1.PlacementSpec{})
	pod := corev1.PodSpec{
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(stopSeconds)),
		NodeSelector:                  placement.NodeSelector,
		Tolerations:                   placement.Tolerations,
		Affinity:                      affinity(t, s),
		TopologySpreadConstraints:     spreadConstraints(t, s),
	}
	if s.isMariaDB() {
		fillMariaDB(&pod, t, s, operator)
		return pod
	}
	pod.SecurityContext = podspec.PodSecurity(podspec.MongodUser)
	pod.InitContainers = slices.Concat(syncContainers(s, operator), securityContainers(t, s, operator))
	pod.Containers = []corev1.Container{memberContainer(t, s, operator)}
	pod.Volumes = slices.Concat(memberVolumes(t, s), securityVolumes(t))
	return pod
}

func memberContainer(t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) corev1.Container {
	container := corev1.Container{
		Name:            s.container(),
		Command:         []string{s.container()},
		Resources:       s.resources,
		SecurityContext: podspec.ContainerSecurity(),
		Ports: []corev1.ContainerPort{{
			Name: "mongodb", ContainerPort: naming.MongodPort, Protocol: corev1.ProtocolTCP,
		}},
		StartupProbe:   startupProbe(t),
		ReadinessProbe: readinessProbe(),
		VolumeMounts:   slices.Concat(memberMounts(s), securityMounts(t)),
	}
	if s.routes() {
		container.Image, container.Args = mongosImage(t.Spec, operator), mongosFlags(t)
	} else {
		container.Image, container.Args = mongodImage(t.Spec, operator), mongodFlags(t.Spec, s)
	}
	return container
}
