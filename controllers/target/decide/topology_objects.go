package decide

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// topologyPlan tells the topology Job what to make. Its name tells its content.
func topologyPlan(t *benchv1alpha1.BenchmarkTarget) (*corev1.ConfigMap, error) {
	topology := planv1alpha1.Topology{
		Version:         planv1alpha1.Version,
		Kind:            planv1alpha1.TopologyKind(t.Spec.Topology),
		ServerVersion:   ptr.Deref(t.Spec.Version, ""),
		DeadlineSeconds: int(*t.Spec.ProvisioningSeconds),
	}
	if uriSecret(t) != nil {
		topology.Kind, topology.ServerVersion = planv1alpha1.TopologyExternal, ""
	} else {
		topology.Databases = t.Spec.Databases
		topology.WithoutUsers = product.WithoutUsers(t.Spec)
		for _, s := range sets(t.Spec) {
			addSet(t, s, &topology)
		}
	}
	if len(topology.Mongos) > 0 {
		shareOut(t.Spec, &topology)
	}
	encoded, err := planv1alpha1.EncodeTopology(topology)
	if err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{
		ObjectMeta: meta(t, naming.TopologyPlanConfigMap(t.Name, encoded), naming.ComponentTopology),
		Immutable:  new(true),
		Data:       map[string]string{naming.TopologyPlanKey: string(encoded)},
	}, nil
}

func addSet(t *benchv1alpha1.BenchmarkTarget, s product.Set, topology *planv1alpha1.Topology) {
	if routes(s) {
		topology.Mongos = s.Hosts(t)
		return
	}
	replicaSet := planv1alpha1.ReplicaSet{Name: s.Name, Role: s.Role, Members: s.Hosts(t)}
	if t.Spec.Topology == benchv1alpha1.TopologyStandalone {
		replicaSet.Name = ""
	}
	topology.Sets = append(topology.Sets, replicaSet)
}

// shareOut says how the documents may move between shards.
func shareOut(spec benchv1alpha1.BenchmarkTargetSpec, topology *planv1alpha1.Topology) {
	sharded := spec.Sharded
	topology.ChunkSizeMebibytes = int(ptr.Deref(sharded.ChunkSizeMebibytes, 0))
	balancer := sharded.Balancer
	topology.Balancer = planv1alpha1.Balancer{
		Mode:  string(*balancer.Mode),
		Start: ptr.Deref(balancer.WindowStart, ""),
		Stop:  ptr.Deref(balancer.WindowStop, ""),
	}
}

// topologyResult is what the topology Job answers in. It is made without content, because the Job may write only what
// exists, and what the Job writes is left alone.
func topologyResult(t *benchv1alpha1.BenchmarkTarget) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: meta(t, naming.TopologyResultConfigMap(t.Name), naming.ComponentTopology),
	}
}

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
	var files product.Files
	files.ConfigMap("topology", plan, naming.TopologyPlanPath, new(product.SecretMode))
	if from := uriSecret(t); from != nil {
		files.Secret("uri", from.Name, naming.URIPath)
		arguments = append(arguments, "--uri-file", naming.URIPath+"/"+from.Key)
	} else if !product.WithoutUsers(t.Spec) {
		files.Secret("keyfile", naming.KeyfileSecret(t.Name), naming.TopologyKeyfilePath)
		files.Secret("admin", naming.AdminSecret(t.Name), naming.AdminPath)
		files.Secret("load", naming.LoadSecret(t.Name), naming.LoadPath)
		files.Secret("observer", naming.ObserverSecret(t.Name), naming.ObserverPath)
		files.Secret("action", naming.ActionSecret(t.Name), naming.ActionPath)
		arguments = append(arguments,
			"--keyfile", naming.TopologyKeyfilePath+"/"+naming.KeyfileKey,
			"--admin-credentials", naming.AdminPath, "--load-credentials", naming.LoadPath,
			"--observer-credentials", naming.ObserverPath, "--action-credentials", naming.ActionPath)
	}
	if product.Encrypted(t.Spec) {
		files.Authority(t.Name)
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
			VolumeMounts:    files.Mounts,
		}},
		Volumes: files.Volumes,
	}
}

// topologyAccount lets the topology Job write its answer.
func topologyAccount(t *benchv1alpha1.BenchmarkTarget) []desired.Object {
	return desired.Account(meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology),
		desired.ConfigMaps([]string{naming.TopologyResultConfigMap(t.Name)}, "get", "patch"))
}
