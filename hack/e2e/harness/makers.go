package harness

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// What the runs of the tests are made of, unless a test says otherwise: little enough for three members and a load pod
// on a node of two cores.
const (
	Documents   = int64(5000)
	Seconds     = int32(4)
	podCPU      = "1"
	podRequest  = "100m"
	memory      = "512Mi"
	loadMemory  = "192Mi"
	stepThreads = int32(2)
	mixedRate   = int64(100)
)

// Standalone is a small mongod on the disk of its node.
func Standalone(version string) *benchv1alpha1.BenchmarkTargetSpec {
	return &benchv1alpha1.BenchmarkTargetSpec{MongoDB: &benchv1alpha1.MongoDBTarget{Deployment: Small(version)}}
}

// Small is a deployment of any product on the disk of its node.
func Small(version string) benchv1alpha1.Deployment {
	return benchv1alpha1.Deployment{
		Version:             version,
		Resources:           resources(memory),
		Storage:             Directory(""),
		ProvisioningSeconds: new(int32(180)),
	}
}

// Throttled lets the server of a target use so little of a core that it takes some time to load, on a fast machine too.
func Throttled(target *benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.BenchmarkTargetSpec {
	target.MongoDB.Resources.Limits[corev1.ResourceCPU] = *Quantity("300m")
	return target
}

// ReplicaSet is three small members with a volume each.
func ReplicaSet(version string) *benchv1alpha1.BenchmarkTargetSpec {
	spec := Standalone(version)
	spec.MongoDB.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{Members: new(int32(3))}
	spec.MongoDB.Storage = Claim()
	return spec
}

// Sharded is shards of one small member each, which the load generator routes to by itself.
func Sharded(version string, shards int32) *benchv1alpha1.BenchmarkTargetSpec {
	spec := Standalone(version)
	spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{Shards: &shards, Router: new(benchv1alpha1.RouterClient)}
	return spec
}

// External is a database whose connection string a Secret holds.
func External(secret, key string) *benchv1alpha1.BenchmarkTargetSpec {
	return &benchv1alpha1.BenchmarkTargetSpec{
		External: &benchv1alpha1.ExternalTarget{URISecretRef: benchv1alpha1.SecretKeyReference{Name: secret, Key: key}},
	}
}

// Target is a target that several runs may share.
func Target(name string, spec *benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: *spec}
}

// Run is a small run against a target of its own: a few thousand documents, then reads and updates for a few seconds.
func Run(name string, target *benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.BenchmarkRun {
	return &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			Target:        target,
			Dataset:       Dataset(Documents),
			Workload:      benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{Mixed("mixed", Seconds)}},
			LoadGenerator: &benchv1alpha1.LoadGenerator{Resources: resources(loadMemory)},
			Deadlines: &benchv1alpha1.Deadlines{
				SchedulingSeconds: new(int32(300)), LoadingSeconds: new(int32(300)), MeasuringSeconds: new(int32(300)),
			},
		},
	}
}

// RunOn is the same run against a target that exists.
func RunOn(name, target string) *benchv1alpha1.BenchmarkRun {
	run := Run(name, nil)
	run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: target}
	return run
}

// Dataset is one collection of small documents with a number, a name and a date.
func Dataset(documents int64) benchv1alpha1.Dataset {
	return benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{{
		Name:          "people",
		DocumentCount: &documents,
		Fields: []benchv1alpha1.Field{
			field("_id", benchv1alpha1.GeneratorSequence),
			field("name", benchv1alpha1.GeneratorString),
			field("age", benchv1alpha1.GeneratorInt),
			field("born", benchv1alpha1.GeneratorDate),
		},
	}}}
}

// Bulky is a dataset of documents that hold a kibibyte each that no compression makes smaller.
func Bulky(documents int64) benchv1alpha1.Dataset {
	dataset := Dataset(documents)
	payload := field("payload", benchv1alpha1.GeneratorBinary)
	payload.Bytes = &benchv1alpha1.BytesSettings{MinLength: new(int32(1 << 10)), MaxLength: new(int32(1 << 10))}
	dataset.Collections[0].Fields = append(dataset.Collections[0].Fields, payload)
	return dataset
}

func field(name string, kind benchv1alpha1.GeneratorType) benchv1alpha1.Field {
	return benchv1alpha1.Field{Name: name, Generator: benchv1alpha1.Generator{Type: kind}}
}

// Mixed is a step that reads and updates documents by their _id, by a schedule that leaves the machine to the scenarios
// beside it: most look at what becomes of a run, not at how fast it is. FlatOut is for the others.
func Mixed(name string, seconds int32) benchv1alpha1.Step {
	step := Reads(name, seconds)
	step.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(mixedRate)}
	step.Operations = append(step.Operations, benchv1alpha1.Operation{
		Name: "update", Parameters: byKey(),
		Request: benchv1alpha1.Request{
			Kind: benchv1alpha1.OperationUpdateOne, Filter: filterByID, Update: `{"$inc": {"age": 1}}`,
		},
	})
	return step
}

// FlatOut has the steps of a run send each operation as soon as the one before is answered.
func FlatOut(run *benchv1alpha1.BenchmarkRun) {
	for i := range run.Spec.Workload.Steps {
		run.Spec.Workload.Steps[i].Arrival = nil
	}
}

// Reads is a step that changes nothing, flat out.
func Reads(name string, seconds int32) benchv1alpha1.Step {
	return benchv1alpha1.Step{
		Name: name, DurationSeconds: &seconds, WarmupSeconds: new(int32(1)), Threads: new(stepThreads),
		Operations: []benchv1alpha1.Operation{{
			Name: "read", Parameters: byKey(),
			Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne, Filter: filterByID},
		}},
	}
}

const filterByID = `{"_id": {"$param": "id"}}`

func byKey() []benchv1alpha1.Parameter {
	return []benchv1alpha1.Parameter{{Name: "id", Type: benchv1alpha1.ParameterKey}}
}

// resources let a pod use a core when it is free, and reserve little.
func resources(memory string) *corev1.ResourceRequirements {
	return &corev1.ResourceRequirements{
		Limits: corev1.ResourceList{
			corev1.ResourceCPU: *Quantity(podCPU), corev1.ResourceMemory: *Quantity(memory),
		},
		Requests: corev1.ResourceList{corev1.ResourceCPU: *Quantity(podRequest)},
	}
}

// Directory is storage on the disk of a node, or in its memory.
func Directory(medium corev1.StorageMedium) *benchv1alpha1.StorageSpec {
	return &benchv1alpha1.StorageSpec{
		EmptyDir: &corev1.EmptyDirVolumeSource{Medium: medium, SizeLimit: Quantity("2Gi")},
	}
}

// Claim is storage on a small persistent volume.
func Claim() *benchv1alpha1.StorageSpec {
	claim := &benchv1alpha1.VolumeClaimTemplate{}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: *Quantity("2Gi")}
	return &benchv1alpha1.StorageSpec{VolumeClaimTemplate: claim}
}

// Quantity reads what is the form of a quantity.
func Quantity(text string) *resource.Quantity {
	return new(resource.MustParse(text))
}

// unprivileged is a user without rights, of MongoDB's own images.
const unprivileged = int64(999)

// Pod is a pod of one container, as a restricted namespace takes it, that runs a command once.
func Pod(name, image string, command ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy:                corev1.RestartPolicyNever,
			AutomountServiceAccountToken: new(false),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(unprivileged),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: name, Image: image, Command: command,
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
}

// PodIsReady says whether all containers of a pod are.
func PodIsReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}
