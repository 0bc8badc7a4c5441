package decide

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
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
