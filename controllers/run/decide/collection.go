package decide

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collecting says whether the reports are to be read: every load pod is done and there is no verdict yet. It returns
// the names of the ConfigMaps of the load pods in their order.
func Collecting(o *Observation) ([]string, bool) {
	if o.Run.DeletionTimestamp != nil || verdictWritten(o.Run) {
		return nil, false
	}
	v, err := look(o)
	if err != nil || v.stage != benchv1alpha1.StageCollecting {
		return nil, false
	}
	names := make([]string, 0, v.plan.Pods)
	for i := range v.plan.Pods {
		names = append(names, naming.PodConfigMap(o.Run.Name, i))
	}
	return names, true
}

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

// collected is how far a run in Collecting has come.
type collected struct {
	// store is the ConfigMap to be written; nil when it is there or cannot be made yet.
	store *corev1.ConfigMap
	// stored is what was read back from it, and digest its SHA-256.
	stored *reportv1alpha1.Report
	digest string
	// faults say why there is no complete report.
	faults []string
}

// collect takes the reports to the stored one. The result is read from what was stored and not from what was merged,
// so that a restarted manager, which finds the stored report alone, comes to the same.
func (v *view) collect() collected {
	if v.Report != nil {
		stored, digest, err := readReport(v.Report, v.hash)
		if err != nil {
			return collected{faults: []string{err.Error()}}
		}
		return collected{stored: stored, digest: digest}
	}
	if v.Collection == nil {
		return collected{faults: []string{"the reports have not been read"}}
	}
	if len(v.Collection.faults) > 0 {
		return collected{faults: v.Collection.faults}
	}
	if v.Collection.merged == nil {
		return collected{faults: []string{"there is no report"}}
	}
	if v.Collection.merged.PlanHash != v.hash {
		return collected{faults: []string{"the reports are of another plan, " + v.Collection.merged.PlanHash}}
	}
	merged := *v.Collection.merged
	if server := v.Run.Status.Server; server != nil {
		merged.Server.CPULimitMillis = ptr.Deref(server.CPULimitMillis, 0)
	}
	v.failActions(&merged)
	store, err := reportConfigMap(v.Run, merged)
	if err != nil {
		return collected{faults: []string{err.Error()}}
	}
	return collected{store: store}
}

// reportMissing is the verdict on a run whose reports do not come any more: the pods have ended, or had time enough.
func (v *view) reportMissing(c collected) *finding {
	due, _ := v.due()
	over := !due.IsZero() && !v.Now.Before(due)
	if over && c.store != nil {
		return &finding{
			reason:  benchv1alpha1.ReasonReportMissing,
			message: v.withTrouble("the merged report could not be stored"),
		}
	}
	if len(c.faults) == 0 || (!over && !v.jobCompleted()) {
		return nil
	}
	return &finding{
		reason:  benchv1alpha1.ReasonReportMissing,
		message: "the load pods ended, and their reports cannot be read: " + strings.Join(c.faults, "; "),
	}
}
