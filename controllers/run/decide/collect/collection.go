package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collection is what the load pods' reports come to. They are added one after the other, so that no more than two are
// held in memory at a time.
type Collection struct {
	merged *reportv1alpha1.Report
	// faults say which reports are missing, or cannot be read or merged.
	faults []string
}

// Add merges one load pod's report into the collection. None is nil.
func (c *Collection) Add(name string, encoded []byte) {
	if len(encoded) == 0 {
		c.faults = append(c.faults, fmt.Sprintf("ConfigMap %s holds no report", name))
		return
	}
	one, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		c.faults = append(c.faults, fmt.Sprintf("ConfigMap %s: %v", name, err))
		return
	}
	if c.merged == nil {
		c.merged = &one
		return
	}
	merged, err := result.Merge([]reportv1alpha1.Report{*c.merged, one})
	if err != nil {
		c.faults = append(c.faults, fmt.Sprintf("ConfigMap %s: %v", name, err))
		return
	}
	c.merged = &merged
}

// Reports is what there is of the reports of a run.
type Reports struct {
	Run *benchv1alpha1.BenchmarkRun
	// PlanHash is that of the plan which they must be of.
	PlanHash string
	// Stored is the ConfigMap of the merged report, or nil; Collection is what was read of it otherwise.
	Stored     *corev1.ConfigMap
	Collection *Collection
	// Actions may have failed without the load pods knowing.
	Actions *act.Actions
}

// Outcome is how far the reports of a run have come.
type Outcome struct {
	// Store is the ConfigMap to be written; nil when it is there or cannot be made yet.
	Store *corev1.ConfigMap
	// Report is what was read back from it, and Digest its SHA-256.
	Report *reportv1alpha1.Report
	Digest string
	// Faults say why there is no complete report.
	Faults []string
}

// Outcome takes the reports to the stored one. The result is read from what was stored and not from what was merged,
// so that a restarted manager, which finds the stored report alone, comes to the same.
func (r Reports) Outcome() Outcome {
	if r.Stored != nil {
		stored, digest, err := readReport(r.Stored, r.PlanHash)
		if err != nil {
			return Outcome{Faults: []string{err.Error()}}
		}
		return Outcome{Report: stored, Digest: digest}
	}
	if r.Collection == nil {
		return Outcome{Faults: []string{"the reports have not been read"}}
	}
	if len(r.Collection.faults) > 0 {
		return Outcome{Faults: r.Collection.faults}
	}
	if r.Collection.merged == nil {
		return Outcome{Faults: []string{"there is no report"}}
	}
	if r.Collection.merged.PlanHash != r.PlanHash {
		return Outcome{Faults: []string{"the reports are of another plan, " + r.Collection.merged.PlanHash}}
	}
	merged := *r.Collection.merged
	if server := r.Run.Status.Server; server != nil {
		merged.Server.CPULimitMillis = ptr.Deref(server.CPULimitMillis, 0)
	}
	r.Actions.Fail(&merged)
	store, err := reportConfigMap(r.Run, merged)
	if err != nil {
		return Outcome{Faults: []string{err.Error()}}
	}
	return Outcome{Store: store}
}

// reportConfigMap is the whole result of a run, which stays when everything else goes.
func reportConfigMap(run *benchv1alpha1.BenchmarkRun, merged reportv1alpha1.Report) (*corev1.ConfigMap, error) {
	encoded, err := result.Encode(merged)
	if err != nil {
		return nil, fmt.Errorf("encoding the merged report: %w", err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.ReportConfigMap(run.Name), naming.ComponentReport),
		Data:       map[string]string{naming.ReportDigestKey: digest(encoded)},
		BinaryData: map[string][]byte{reportv1alpha1.ReportKey: encoded},
	}, nil
}

// readReport reads a stored report back, and refuses one that is not what was written, or of another plan.
func readReport(configMap *corev1.ConfigMap, planHash string) (*reportv1alpha1.Report, string, error) {
	encoded := configMap.BinaryData[reportv1alpha1.ReportKey]
	sum := digest(encoded)
	if sum != configMap.Data[naming.ReportDigestKey] {
		return nil, "", fmt.Errorf("ConfigMap %s does not hold what its %s says", configMap.Name, naming.ReportDigestKey)
	}
	stored, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		return nil, "", fmt.Errorf("ConfigMap %s: %w", configMap.Name, err)
	}
	if stored.PlanHash != planHash {
		return nil, "", fmt.Errorf("ConfigMap %s holds the report of another plan, %s", configMap.Name, stored.PlanHash)
	}
	return &stored, sum, nil
}

func digest(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}
