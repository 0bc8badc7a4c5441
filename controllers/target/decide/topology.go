package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongodb"
)

// topologyPlan tells the topology Job what to make. Its name tells its content.
func topologyPlan(t *benchv1alpha1.BenchmarkTarget) (*corev1.ConfigMap, error) {
	topology := planv1alpha1.Topology{
		Version:         planv1alpha1.Version,
		Kind:            t.Spec.Topology(),
		ServerVersion:   t.Spec.Version(),
		DeadlineSeconds: int(*t.Spec.ProvisioningSeconds()),
	}
	if uriSecret(t) != nil {
		topology.Kind, topology.ServerVersion = benchv1alpha1.TopologyExternal, ""
	} else {
		topology.Databases = t.Spec.Deployment().Databases
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
	if s.Role == planv1alpha1.RoleArbiter {
		topology.Sets[len(topology.Sets)-1].Arbiters = s.Hosts(t)
		return
	}
	replicaSet := planv1alpha1.ReplicaSet{Name: s.Name, Role: s.Role, Members: s.Hosts(t)}
	if t.Spec.Topology() == benchv1alpha1.TopologyStandalone {
		replicaSet.Name = ""
	}
	if t.Spec.Topology() == benchv1alpha1.TopologyReplicaSet {
		replicaSet.Settings = mongodb.MemberSettings(t.Spec)
	}
	topology.Sets = append(topology.Sets, replicaSet)
}

// shareOut says how the documents may move between shards.
func shareOut(spec benchv1alpha1.BenchmarkTargetSpec, topology *planv1alpha1.Topology) {
	sharded := spec.MongoDB.Sharded
	topology.ChunkSizeMebibytes = int(ptr.Deref(sharded.ChunkSizeMebibytes, 0))
	balancer := sharded.Balancer
	topology.Balancer = planv1alpha1.Balancer{
		Mode:  *balancer.Mode,
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
func topologyJob(t *benchv1alpha1.BenchmarkTarget, given settings.Settings, plan string) *batchv1.Job {
	made := meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology)
	made.Labels = naming.Queued(made.Labels, t.Labels)
	job := &batchv1.Job{
		ObjectMeta: made,
		Spec: batchv1.JobSpec{
			BackoffLimit:          new(int32(topologyRetries)),
			ActiveDeadlineSeconds: new(int64(*t.Spec.ProvisioningSeconds()) + topologySlackSeconds),
			PodFailurePolicy:      failAtOnce(),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForTarget(t.Name, naming.ComponentTopology),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: topologyPod(t, given.Images(), plan),
			},
		},
	}
	maps.Copy(job.Spec.Template.Labels, clientsOf(t))
	podspec.Apply(given.Pods(t.Spec.Pods()), &job.Spec.Template,
		naming.SelectComponent(t.Name, naming.ComponentTopology))
	return job
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
	var files product.Files
	files.ConfigMap("topology", plan, naming.TopologyPlanPath, new(product.SecretMode))
	arguments := append([]string{"topology", "--topology", naming.TopologyPlanPath + "/" + naming.TopologyPlanKey},
		topologyAccess(t, &files)...)
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

// topologyAccess is what the topology Job needs to reach the servers: arguments, and Secrets as files.
func topologyAccess(t *benchv1alpha1.BenchmarkTarget, files *product.Files) (arguments []string) {
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
	tls := externalTLS(t.Spec)
	if product.Encrypted(t.Spec) {
		tls.CASecretRef = &benchv1alpha1.NameReference{Name: naming.TLSSecret(t.Name)}
	}
	if tls.CASecretRef != nil {
		files.Secret("authority", tls.CASecretRef.Name, naming.CAPath, naming.CAKey)
		arguments = append(arguments, "--tls-ca-file", naming.CAPath+"/"+naming.CAKey)
	}
	if tls.ClientCertificateSecretRef != nil {
		arguments = append(arguments, files.ClientCertificate(tls.ClientCertificateSecretRef.Name)...)
	}
	return arguments
}

// topologyAccount lets the topology Job write its answer.
func topologyAccount(t *benchv1alpha1.BenchmarkTarget) []desired.Object {
	return desired.Account(meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology),
		desired.ConfigMaps([]string{naming.TopologyResultConfigMap(t.Name)}, "get", "patch"))
}

// Limits of the fields of a ServerFingerprint. What a server says is cut to them: a status that the API server refuses
// would tell nothing at all.
const (
	maxName     = 64
	maxTopology = 32
	maxConcern  = 128
	maxWarnings = 16
	maxWarning  = 512
)

// topologyFailure says whether the topology Job gave up, and what it said last.
func topologyFailure(o Observation) (string, bool) {
	gaveUp := condition.OfJob(o.TopologyJob, batchv1.JobFailed)
	if gaveUp == nil {
		return "", false
	}
	for i := range o.TopologyPods {
		pod := &o.TopologyPods[i]
		if pod.Status.Phase != corev1.PodFailed {
			continue
		}
		if said := podfault.TerminationMessage(pod, naming.TopologyContainer); said != "" {
			return said, true
		}
	}
	return fmt.Sprintf("Job %s failed: %s: %s", o.TopologyJob.Name, gaveUp.Reason, gaveUp.Message), true
}

// topologyAnswer is what the topology Job found of the servers, or nil while it has not answered.
func topologyAnswer(o Observation) (*benchv1alpha1.ServerFingerprint, error) {
	if o.TopologyResult == nil {
		return nil, nil
	}
	encoded, ok := o.TopologyResult.Data[reportv1alpha1.TopologyKey]
	if !ok {
		return nil, nil
	}
	report, err := reportv1alpha1.DecodeTopology([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("the topology Job's answer, in ConfigMap %s, cannot be read: %w", o.TopologyResult.Name, err)
	}
	found := fingerprint(report.Server)
	if o.Target.Spec.External == nil {
		limits := catalogue.Of(o.Target.Spec).Sets(o.Target.Spec)[0].Resources.Limits
		found.CPULimitMillicores = new(limits.Cpu().MilliValue())
	}
	found.SyncP50Micros, found.SyncP99Micros = syncLatency(o)
	return found, nil
}

func fingerprint(server reportv1alpha1.Server) *benchv1alpha1.ServerFingerprint {
	found := &benchv1alpha1.ServerFingerprint{
		Product:              cut(server.Product, maxName),
		Version:              cut(server.Version, maxName),
		GitVersion:           cut(server.GitVersion, maxName),
		Topology:             cut(server.Topology, maxTopology),
		StorageEngine:        cut(server.StorageEngine, maxName),
		CacheMebibytes:       known(server.CacheMebibytes),
		MemoryLimitMebibytes: known(server.MemoryLimitMebibytes),
		CPUCores:             known(int32(server.CPUCores)),
		Members:              known(int32(server.Members)),
		Shards:               known(int32(server.Shards)),
		Router:               cut(server.Router, maxTopology),
		TLS:                  cut(server.TLS, maxTopology),
		Persistence:          cut(server.Persistence, maxTopology),
		DefaultWriteConcern:  cut(server.DefaultWriteConcern, maxConcern),
		Durability:           cut(server.Durability, maxName),
	}
	for _, warning := range server.StartupWarnings[:min(len(server.StartupWarnings), maxWarnings)] {
		found.StartupWarnings = append(found.StartupWarnings, cut(warning, maxWarning))
	}
	return found
}

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// known leaves out what a server did not say.
func known[N int32 | int64](number N) *N {
	if number <= 0 {
		return nil
	}
	return &number
}

// forgotten says which set has lost what the topology Job made, before the target was ever ready: each of its members
// started over with nothing, since their data goes with their pods. Empty is none. One member that is left is enough:
// the others get everything from it. In a server that prepares itself the Job makes nothing.
func forgotten(o Observation) string {
	began, ended := topologyTimes(o)
	if o.Target.Status.Connection != nil || ended.IsZero() || preparesItself(o.Target.Spec) {
		return ""
	}
	for _, s := range sets(o.Target.Spec) {
		if routes(s) || s.Role == planv1alpha1.RoleArbiter || keepsData(s) {
			continue
		}
		names := s.Pods(o.Target)
		lost := slices.DeleteFunc(slices.Clone(o.MemberPods), func(pod corev1.Pod) bool {
			return !slices.Contains(names, pod.Name) || !emptied(&pod, s, began, ended)
		})
		if len(lost) == len(names) {
			return lost[0].Name + " restarted without data after the topology Job had found it; the Job is created again"
		}
	}
	return ""
}

// keepsData says whether the data of a set's members outlives their pods.
func keepsData(s product.Set) bool {
	return s.Volume.Medium == product.MediumPersistentVolume && !s.Volatile
}

// emptied says whether a member is another one than the topology Job worked on: a pod that was made after the Job's had
// begun, or a process that was started after it had ended.
func emptied(pod *corev1.Pod, s product.Set, began, ended time.Time) bool {
	if pod.CreationTimestamp.After(began) {
		return true
	}
	for _, container := range pod.Status.ContainerStatuses {
		running := container.State.Running
		if container.Name != serverOf(pod) || running == nil {
			continue
		}
		if container.RestartCount == 0 {
			// Both are told in whole seconds: a Job is often done in the second in which the member began.
			return running.StartedAt.After(ended)
		}
		// A container that is started again in its pod finds the pod's disk as it was.
		return s.Volatile && !running.StartedAt.Time.Before(ended)
	}
	return false
}

// topologyTimes are when the pod of the topology Job that succeeded began and ended; zero while there is none.
func topologyTimes(o Observation) (began, ended time.Time) {
	if o.TopologyJob == nil || goes(o.TopologyJob) {
		return began, ended
	}
	for i := range o.TopologyPods {
		for _, container := range o.TopologyPods[i].Status.ContainerStatuses {
			done := container.State.Terminated
			if container.Name == naming.TopologyContainer && done != nil && done.ExitCode == 0 {
				began, ended = done.StartedAt.Time, done.FinishedAt.Time
			}
		}
	}
	return began, ended
}

// answerCounts says whether what the topology Job answered is so: it is not being removed, and nothing was forgotten.
func answerCounts(o Observation) bool { return !goes(o.TopologyJob) && forgotten(o) == "" }

// goes says whether a Job is being removed: what it answered counts no more.
func goes(job *batchv1.Job) bool { return job != nil && job.DeletionTimestamp != nil }
