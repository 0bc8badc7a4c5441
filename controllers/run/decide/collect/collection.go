package collect

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
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
