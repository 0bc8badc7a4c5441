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

// MongoDB declares one mongod of a version.
func MongoDB(version string) benchv1alpha1.BenchmarkTargetSpec {
	return benchv1alpha1.BenchmarkTargetSpec{MongoDB: &benchv1alpha1.MongoDBTarget{
		Deployment: benchv1alpha1.Deployment{Version: version},
	}}
}

// Set declares a replica set of a version with a number of members.
func Set(version string, members int32) benchv1alpha1.BenchmarkTargetSpec {
	spec := MongoDB(version)
	spec.MongoDB.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{Members: &members}
	return spec
}

// Shards declares a sharded cluster of a version.
func Shards(version string, sharded benchv1alpha1.ShardedSpec) benchv1alpha1.BenchmarkTargetSpec {
	spec := MongoDB(version)
	spec.MongoDB.Sharded = &sharded
	return spec
}

// Limits are resources with these limits; an empty text is none.
func Limits(cpu, memory string) *corev1.ResourceRequirements {
	return &corev1.ResourceRequirements{Limits: amounts(cpu, memory)}
}

// Requests are resources with these requests; an empty text is none.
func Requests(cpu, memory string) *corev1.ResourceRequirements {
	return &corev1.ResourceRequirements{Requests: amounts(cpu, memory)}
}

func amounts(cpu, memory string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, text := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
		if text != "" {
			list[name] = resource.MustParse(text)
		}
	}
	return list
}

// Claim is storage on a persistent volume of a size and a class; an empty text leaves either out.
func Claim(size, class string) *benchv1alpha1.StorageSpec {
	claim := corev1.PersistentVolumeClaimSpec{}
	if size != "" {
		claim.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	}
	if class != "" {
		claim.StorageClassName = &class
	}
	return &benchv1alpha1.StorageSpec{VolumeClaimTemplate: &benchv1alpha1.VolumeClaimTemplate{Spec: claim}}
}

// Directory is storage on a node's disk, or in its memory, of a size; an empty text leaves it out.
func Directory(medium corev1.StorageMedium, size string) *benchv1alpha1.StorageSpec {
	directory := &corev1.EmptyDirVolumeSource{Medium: medium}
	if size != "" {
		directory.SizeLimit = new(resource.MustParse(size))
	}
	return &benchv1alpha1.StorageSpec{EmptyDir: directory}
}

// Standalone is a target of one server of a version.
func Standalone(namespace, name, version string) *benchv1alpha1.BenchmarkTarget {
	spec := MongoDB(version)
	spec.MongoDB.ProvisioningSeconds = new(int32(60))
	return &benchv1alpha1.BenchmarkTarget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec}
}

// ReplicaSet is a target of a set of 6.0.5.
func ReplicaSet(namespace, name string, members int32) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "6.0.5")
	target.Spec.MongoDB.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{Members: &members}
	target.Spec.MongoDB.Resources = Limits("2", "4Gi")
	target.Spec.MongoDB.Storage = Claim("100Gi", "fast")
	return target
}

// External is a target that exists already, its connection string in the key "uri" of the Secret "elsewhere".
func External(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: benchv1alpha1.BenchmarkTargetSpec{
			External: &benchv1alpha1.ExternalTarget{
				URISecretRef:        benchv1alpha1.SecretKeyReference{Name: "elsewhere", Key: "uri"},
				ProvisioningSeconds: new(int32(60)),
			},
		},
	}
}

// Sharded is a target of two shards of one member, one config server and one mongos, of 6.0.5.
func Sharded(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "6.0.5")
	target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{}
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
	target.Spec = benchv1alpha1.BenchmarkTargetSpec{
		MariaDB: &benchv1alpha1.MariaDBTarget{Deployment: target.Spec.MongoDB.Deployment},
	}
	return target
}

// FerretDB is a target of one FerretDB 1.24.0.
func FerretDB(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "1.24.0")
	target.Spec = benchv1alpha1.BenchmarkTargetSpec{
		FerretDB: &benchv1alpha1.FerretDBTarget{Deployment: target.Spec.MongoDB.Deployment},
	}
	return target
}

// HandlerSocket is a MariaDB that is spoken to without SQL as well.
func HandlerSocket(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := MariaDB(namespace, name)
	target.Spec.MariaDB.HandlerSocket = &benchv1alpha1.HandlerSocketSpec{}
	return target
}
