package collect

import (
	"math"

	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// maxDuetLines is the most lines that a status holds.
const maxDuetLines = 48

// Duet is what is known of a duet: how its sides compare, and what the baseline was measured on; nil without one.
func Duet(
	told *reportv1alpha1.CollectedDuet, baseline string, other Scene, plan planv1alpha1.Plan, around Surroundings,
) *benchv1alpha1.DuetResult {
	if told == nil || plan.Duet == nil {
		return nil
	}
	r := &benchv1alpha1.DuetResult{
		Baseline: baseline, Windows: count(told.Windows), DisturbedWindows: count(told.Disturbed),
	}
	var elapsed int64
	for _, step := range told.Steps {
		elapsed += max(step.ElapsedMillis, 0)
		r.Comparison = append(r.Comparison, duet.Compared(plan, step.Name, step.Lines, baseline)...)
	}
	r.ElapsedMillis = &elapsed
	if omitted := len(r.Comparison) - maxDuetLines; omitted > 0 {
		r.Comparison, r.OmittedLines = r.Comparison[:maxDuetLines], new(int32(omitted))
	}
	if other.Target != nil && other.Target.Status.Server != nil {
		r.Server = other.Target.Status.Server.DeepCopy()
		ReadBack(r.Server, reportv1alpha1.Collected{
			StorageEngine: told.StorageEngine, Durability: told.Durability, SyncMicros: told.SyncMicros,
		})
	}
	r.Fingerprint = other.Fingerprint(plan.Duet.Baseline, around, told.Conditions)
	return r
}

// count is a number of windows that a load pod told.
func count(told int) *int32 { return new(int32(min(max(told, 0), math.MaxInt32))) }

// omitLast leaves out the last line, and counts it; false when it is the only one.
func omitLast(result *benchv1alpha1.DuetResult) bool {
	if len(result.Comparison) < 2 {
		return false
	}
	result.Comparison = result.Comparison[:len(result.Comparison)-1]
	result.OmittedLines = new(ptr.Deref(result.OmittedLines, 0) + 1)
	return true
}
