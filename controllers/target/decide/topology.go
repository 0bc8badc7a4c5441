package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

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
	if o.TopologyJob == nil {
		return "", false
	}
	for _, c := range o.TopologyJob.Status.Conditions {
		if c.Type != batchv1.JobFailed || c.Status != corev1.ConditionTrue {
			continue
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
		return fmt.Sprintf("Job %s failed: %s: %s", o.TopologyJob.Name, c.Reason, c.Message), true
	}
	return "", false
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
		found.CPULimitMillis = new(limits.Cpu().MilliValue())
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
// began anew with nothing, since their data goes with their pods. Empty is none. One member that is left is enough:
// the others get everything from it. In a server that prepares itself the Job makes nothing.
func forgotten(o Observation) string {
	began, ended := topologyTimes(o)
	if o.Target.Status.Connection != nil || ended.IsZero() || preparesItself(o.Target.Spec) {
		return ""
	}
	for _, s := range sets(o.Target.Spec) {
		if routes(s) || keepsData(s) {
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
	return s.Volume.Medium == benchv1alpha1.StorageMediumPersistentVolume && !s.Volatile
}

// emptied says whether a member is another one than the topology Job worked on: a pod that was made after the Job's had
// begun, or a process that was started after it had ended.
func emptied(pod *corev1.Pod, s product.Set, began, ended time.Time) bool {
	if pod.CreationTimestamp.After(began) {
		return true
	}
	for _, container := range pod.Status.ContainerStatuses {
		running := container.State.Running
		if container.Name != pod.Spec.Containers[0].Name || running == nil {
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

// answerCounts says whether what the topology Job answered is so: nobody removes it, and nothing was forgotten.
func answerCounts(o Observation) bool { return !goes(o.TopologyJob) && forgotten(o) == "" }

// goes says whether a Job is being removed: what it answered counts no more.
func goes(job *batchv1.Job) bool { return job != nil && job.DeletionTimestamp != nil }
