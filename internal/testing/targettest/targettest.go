package targettest

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Standalone is a target of one server of a version.
func Standalone(namespace, name, version string) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: benchv1alpha1.BenchmarkTargetSpec{
			Topology: benchv1alpha1.TopologyStandalone, Version: new(version), ProvisioningSeconds: new(int32(60)),
		},
	}
}

// ReplicaSet is a target of a set of 6.0.5.
func ReplicaSet(namespace, name string, members int32) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "6.0.5")
	target.Spec.Topology = benchv1alpha1.TopologyReplicaSet
	target.Spec.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{Members: &members}
	target.Spec.Resources = &benchv1alpha1.PodResources{
		CPU: new(resource.MustParse("2")), Memory: new(resource.MustParse("4Gi")),
	}
	target.Spec.Storage = &benchv1alpha1.StorageSpec{
		Size: new(resource.MustParse("100Gi")), StorageClassName: new("fast"),
	}
	return target
}

// External is a target that exists already, its connection string in the key "uri" of the Secret "elsewhere".
func External(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: benchv1alpha1.BenchmarkTargetSpec{
			Topology:            benchv1alpha1.TopologyExternal,
			ProvisioningSeconds: new(int32(60)),
			External: &benchv1alpha1.ExternalSpec{
				URISecretRef: benchv1alpha1.SecretKeyReference{Name: "elsewhere", Key: "uri"},
			},
		},
	}
}

// Sharded is a target of two shards of one member, one config server and one mongos, of 6.0.5.
func Sharded(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "6.0.5")
	target.Spec.Topology = benchv1alpha1.TopologySharded
	return target
}

// MemberPod is the pod of one member of a set, as its StatefulSet would create it; nothing has happened to it yet.
func MemberPod(target *benchv1alpha1.BenchmarkTarget, set string, index int) corev1.Pod {
	component, container := naming.ComponentMongod, naming.MongodContainer
	switch set {
	case naming.ConfigSet:
		component = naming.ComponentConfig
	case naming.MongosSet:
		component, container = naming.ComponentMongos, naming.MongosContainer
	case naming.MariaDBSet:
		component, container = naming.ComponentMariaDB, naming.MariaDBContainer
	}
	made := pod(target, naming.MemberPod(target.Name, set, index), component, container)
	made.Labels = naming.ForMember(target.Name, set, component)
	return made
}

// TopologyPod is the pod of the topology Job.
func TopologyPod(target *benchv1alpha1.BenchmarkTarget) corev1.Pod {
	name := naming.TopologyJob(target.Name) + "-abcde"
	return pod(target, name, naming.ComponentTopology, naming.TopologyContainer)
}

func pod(target *benchv1alpha1.BenchmarkTarget, name string, component naming.Component, container string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: target.Namespace, Name: name, Labels: naming.ForTarget(target.Name, component),
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: container, Image: "image",
			Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
			},
		}}},
	}
}

// Ready makes a pod run since a time.
func Ready(pod *corev1.Pod, since time.Time) {
	pod.Status = corev1.PodStatus{
		Phase:      corev1.PodRunning,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Ready: true, Image: "image",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(since)}},
		}},
	}
}

// Unschedulable makes a pod wait for a node.
func Unschedulable(pod *corev1.Pod) {
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
		Message: "0/3 nodes are available: 3 Insufficient memory.",
	}}}
}

// Waiting makes a pod's container wait for a reason.
func Waiting(pod *corev1.Pod, reason, message string) {
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Image: "image",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}}
}

// Restarted makes a pod's container run again after it ended.
func Restarted(pod *corev1.Pod, at time.Time, ended corev1.ContainerStateTerminated) {
	Ready(pod, at)
	ended.FinishedAt = metav1.NewTime(at)
	pod.Status.ContainerStatuses[0].RestartCount = 1
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &ended
}

// Failed makes a pod end with an error, saying something.
func Failed(pod *corev1.Pod, said string) {
	pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Image: "image",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Reason: "Error", Message: said,
		}},
	}}}
}

// NodeLost makes a pod's node fall silent: the node controller takes back that the pod is ready, without a reason, and
// what the kubelet said of its containers stays.
func NodeLost(pod *corev1.Pod) {
	pod.Spec.NodeName = "node-1"
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse},
		{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
	}
}

// JobFailed is the status of a Job that gave up.
func JobFailed() batchv1.JobStatus {
	return batchv1.JobStatus{Failed: 1, Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: "PodFailurePolicy"},
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "PodFailurePolicy", Message: "container failed"},
	}}
}

// JobComplete is the status of a Job that succeeded.
func JobComplete(started, ended time.Time) batchv1.JobStatus {
	start, end := metav1.NewTime(started), metav1.NewTime(ended)
	return batchv1.JobStatus{
		StartTime: &start, CompletionTime: &end, Succeeded: 1,
		Conditions: []batchv1.JobCondition{
			{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue},
			{Type: batchv1.JobComplete, Status: corev1.ConditionTrue},
		},
	}
}

// FailedCreate is the event of a StatefulSet or Job that could not create a pod.
func FailedCreate(namespace, cause string) corev1.Event {
	return corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "create-"},
		Type:       corev1.EventTypeWarning, Reason: "FailedCreate", Message: cause,
		LastTimestamp: metav1.NewTime(time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC)),
	}
}

// Answer is what a topology Job writes into its ConfigMap.
func Answer() map[string]string {
	encoded, err := reportv1alpha1.EncodeTopology(reportv1alpha1.TopologyReport{
		Version: reportv1alpha1.Version,
		Server: reportv1alpha1.Server{
			Version: "6.0.5", GitVersion: "c9a99c120371d4d4c52cbb15dac34a36ce8d3b1d", Topology: "ReplicaSet",
			StorageEngine: "wiredTiger", CacheMebibytes: 256, MemoryLimitMebibytes: 1024, CPUCores: 2, Members: 3,
			DefaultWriteConcern: "w: majority", StartupWarnings: []string{"Using the XFS filesystem is strongly recommended"},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("encoding a topology report: %v", err))
	}
	return map[string]string{reportv1alpha1.TopologyKey: string(encoded)}
}

// Quantity reads a quantity that is known to be one.
func Quantity(text string) resource.Quantity { return resource.MustParse(text) }

// MariaDB is a target of one MariaDB 10.11, with InnoDB.
func MariaDB(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "10.11")
	target.Spec.Kind = new(benchv1alpha1.TargetMariaDB)
	return target
}

// FerretDB is a target of one FerretDB 1.24.0.
func FerretDB(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "1.24.0")
	target.Spec.Kind = new(benchv1alpha1.TargetFerretDB)
	target.Spec.Security = &benchv1alpha1.SecuritySpec{Authentication: new(benchv1alpha1.Disabled)}
	return target
}

// HandlerSocket is a MariaDB that is spoken to without SQL as well.
func HandlerSocket(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := MariaDB(namespace, name)
	target.Spec.MariaDB = &benchv1alpha1.MariaDBSpec{HandlerSocket: &benchv1alpha1.HandlerSocketSpec{}}
	return target
}
