package decide

import (
	"fmt"
	"maps"
	"slices"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// reportBytes is what the report of a run takes as it is stored. One whose size nobody recorded counts as the largest
// there can be.
func reportBytes(run *benchv1alpha1.BenchmarkRun) int64 {
	switch result := run.Status.Result; {
	case result == nil:
		return 0
	case result.Report.Bytes == nil:
		return reportv1alpha1.MaxReportBytes
	default:
		return *result.Report.Bytes
	}
}

// pinned says whether a user keeps a run.
func pinned(run *benchv1alpha1.BenchmarkRun) bool {
	return run.Annotations[benchv1alpha1.PinAnnotation] == "true"
}

// economise removes runs whose reports have no room in spec.historySizeLimit: those of the oldest revision first, and
// of a revision all or none. What stays although there is no room is said. The results of revisions stay, so that there
// is something to compare with, and a revision that comes back needs no run.
func (u upkeep) economise(d *Decision) {
	limit := spec.NormaliseSuite(u.Suite.Spec).HistorySizeLimit.Value()
	staying := u.staying(d.Observed)
	taken := total(staying)
	if taken <= limit {
		return
	}
	for _, runs := range u.spare(d.Status.History, staying) {
		freed := total(runs)
		if taken <= limit || freed == 0 {
			continue
		}
		taken -= freed
		for _, run := range runs {
			d.Observed = append(d.Observed, run)
		}
	}
	if taken > limit {
		u.overflows(d, taken, limit)
	}
}

// staying are the runs, by name, that are neither being removed nor to be.
func (o *Observation) staying(removed []desired.Object) []*benchv1alpha1.BenchmarkRun {
	going := map[desired.Object]bool{}
	for _, object := range removed {
		going[object] = true
	}
	var staying []*benchv1alpha1.BenchmarkRun
	for _, name := range slices.Sorted(maps.Keys(o.Runs)) {
		if run := o.Runs[name]; !going[run] && run.DeletionTimestamp == nil {
			staying = append(staying, run)
		}
	}
	return staying
}

func total(runs []*benchv1alpha1.BenchmarkRun) (bytes int64) {
	for _, run := range runs {
		bytes += reportBytes(run)
	}
	return bytes
}

// spare are the runs that may be removed, by the revision that used them last; the oldest revision comes first. They
// are neither the present revision's nor those of the one that it is compared with.
func (u upkeep) spare(
	history []benchv1alpha1.RevisionStatus, staying []*benchv1alpha1.BenchmarkRun,
) [][]*benchv1alpha1.BenchmarkRun {
	oldestFirst := slices.Clone(history)
	slices.Reverse(oldestFirst)
	last := map[string]int{} // By the hash of a variant.
	for i, one := range oldestFirst {
		for hash := range u.keptHashes(map[string]bool{one.Revision: true}) {
			last[hash] = i
		}
	}
	needed := map[string]bool{u.Plan.Revision: true}
	if result := u.ConfigMaps[baselines{u.Observation}.name()]; result != nil {
		needed[result.Labels[suite.RevisionLabel]] = true
	}
	held, busy := u.keptHashes(needed), u.busy()
	spare := make([][]*benchv1alpha1.BenchmarkRun, len(oldestFirst))
	for _, run := range staying {
		hash := run.Labels[suite.SpecHashLabel]
		at, known := last[hash]
		stays := u.planned[run.Name] || held[hash] || busy[run.Labels[suite.RevisionLabel]] || pinned(run) || u.tracked(run)
		if known && !stays {
			spare[at] = append(spare[at], run)
		}
	}
	return spare
}

// overflows says that the reports of runs that are not to be removed take more than they may.
func (u upkeep) overflows(d *Decision, taken, limit int64) {
	var own int64
	for _, s := range u.slots {
		if s.run != nil {
			own += reportBytes(s.run)
		}
	}
	c := condition.In(&d.Status.Conditions, u.Suite.Generation, u.Now)
	before := c.Find(accepted)
	c.True(accepted, before.Reason, condition.Short(before.Message+fmt.Sprintf(
		"; the stored reports take %s, more than spec.historySizeLimit, %s, and stay: %s are of this revision, the others "+
			"of runs that it is compared with, that are pinned or in use, or that Git owns; have fewer variants or "+
			"repetitions, or raise spec.historySizeLimit if etcd has room",
		present.Bytes(taken), present.Bytes(limit), present.Bytes(own))))
}
