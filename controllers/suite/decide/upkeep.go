package decide

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// shares says whether the runs of a variant share a target.
func (o *Observation) shares() bool {
	return *spec.NormaliseSuite(o.Suite.Spec).TargetReuse == benchv1alpha1.TargetReusePerVariant
}

// upkeep says which targets stand, and what is removed.
type upkeep struct{ *revision }

// placeTargets has the target of each variant stand from its first run on until its last has ended, and removes the
// targets that no run needs.
func (u upkeep) placeTargets(d *Decision) {
	needed := u.referred()
	for _, run := range d.Create {
		refer(needed, run)
	}
	wanted := u.wantTargets(d, needed)
	for _, name := range slices.Sorted(maps.Keys(u.Targets)) {
		target := u.Targets[name]
		if !wanted[name] && !needed[name] && !u.tracked(target) {
			d.Observed = append(d.Observed, target)
		}
	}
}

// wantTargets desires the targets of variants whose runs have begun and not ended, and says which.
func (u upkeep) wantTargets(d *Decision, needed map[string]bool) map[string]bool {
	wanted := map[string]bool{}
	if !u.shares() || u.settled {
		return wanted
	}
	for variant, open := range u.open() {
		target := suite.Target(u.Suite, u.Plan, variant)
		observed, exists := u.Targets[target.Name]
		if open && exists || needed[target.Name] {
			wanted[target.Name] = true
			d.replace(target, observed, exists)
		}
	}
	return wanted
}

// referred are the names of the targets that runs use.
func (o *Observation) referred() map[string]bool {
	names := map[string]bool{}
	for _, run := range o.Runs {
		if occupies(run) {
			refer(names, run)
		}
	}
	return names
}

// refer adds the names of the targets that a run refers to: one, or both of a duet.
func refer(names map[string]bool, run *benchv1alpha1.BenchmarkRun) {
	if run.Spec.TargetRef != nil {
		names[run.Spec.TargetRef.Name] = true
	}
	if run.Spec.Duet != nil {
		names[run.Spec.Duet.Baseline.TargetRef.Name] = true
	}
}

// open says of each variant whether there are runs of it still to be made.
func (u upkeep) open() []bool {
	open := make([]bool, len(u.Plan.Variants))
	for _, s := range u.slots {
		if u.stopped == "" && !u.ended(s) {
			open[s.Variant] = true
			if baseline := suite.BaselineOf(u.Suite, u.Plan.Variants); baseline >= 0 {
				open[baseline] = true
			}
		}
	}
	return open
}

// retain removes the runs and results of revisions that are too old. It takes nothing that the plan or a revision that
// is kept uses, nothing of a revision of which a run goes on, nothing that Git owns, and no run that is pinned. Then it
// removes the runs whose reports there is no room for.
func (u upkeep) retain(d *Decision) {
	revisions := map[string]bool{u.Plan.Revision: true}
	for _, kept := range d.Status.History {
		revisions[kept.Revision] = true
	}
	hashes := u.keptHashes(revisions)
	busy := u.busy()
	old := func(object desired.Object) bool {
		revision := object.GetLabels()[suite.RevisionLabel]
		return !revisions[revision] && !busy[revision] && !u.tracked(object)
	}
	for _, name := range slices.Sorted(maps.Keys(u.Runs)) {
		run := u.Runs[name]
		if !u.planned[name] && !pinned(run) && !hashes[run.Labels[suite.SpecHashLabel]] && old(run) {
			d.Observed = append(d.Observed, run)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.ConfigMaps)) {
		stored := u.ConfigMaps[name]
		isResult := stored.Labels[naming.ComponentLabel] == string(naming.ComponentSuiteResult)
		if isResult && old(stored) {
			d.Observed = append(d.Observed, stored)
		}
	}
	u.economise(d)
}

// busy are the revisions of which a run goes on.
func (o *Observation) busy() map[string]bool {
	busy := map[string]bool{}
	for _, run := range o.Runs {
		if occupies(run) {
			busy[run.Labels[suite.RevisionLabel]] = true
		}
	}
	return busy
}

// keptHashes are the hashes of the variants of the revisions that are kept.
func (o *Observation) keptHashes(revisions map[string]bool) map[string]bool {
	hashes := map[string]bool{}
	for _, run := range o.Runs {
		if revisions[run.Labels[suite.RevisionLabel]] {
			hashes[run.Labels[suite.SpecHashLabel]] = true
		}
	}
	for _, stored := range o.ConfigMaps {
		if revisions[stored.Labels[suite.RevisionLabel]] {
			for hash := range strings.SplitSeq(stored.Annotations[HashesAnnotation], ",") {
				hashes[hash] = true
			}
		}
	}
	return hashes
}

// discard removes runs that were cancelled when the suite had no use for them and that it wants again, and those that a
// user wants again. The status says first that the suite is not complete: without the run nothing else would.
func (u upkeep) discard(d *Decision) {
	switch {
	case u.settled || u.stopped != "":
		return
	case u.present() && u.Suite.Status.CompletionTime != nil:
		d.Wait = time.Millisecond
		return
	}
	for _, s := range u.slots {
		if s.run != nil && u.redone(s.run) && !occupies(s.run) {
			d.Observed = append(d.Observed, s.run)
		}
	}
}

// entered is a history with a revision as its latest.
func entered(history []benchv1alpha1.RevisionStatus, revision string, at metav1.Time) []benchv1alpha1.RevisionStatus {
	entry := benchv1alpha1.RevisionStatus{Revision: revision, StartTime: at}
	earlier := make([]benchv1alpha1.RevisionStatus, 0, len(history)+1)
	for _, one := range history {
		if one.Revision == revision {
			entry = one
			continue
		}
		earlier = append(earlier, one)
	}
	return append([]benchv1alpha1.RevisionStatus{entry}, earlier...)
}

// trimmed is a history without what is too old. What was never complete goes before what others may be compared with,
// and until the latest is done with, which is complete and will not be compared again by itself, there is one to
// compare it with, whatever the limit.
func (o *Observation) trimmed(history []benchv1alpha1.RevisionStatus, done bool) []benchv1alpha1.RevisionStatus {
	limit := int(*spec.NormaliseSuite(o.Suite.Spec).RevisionHistoryLimit)
	if !done {
		limit = max(limit, 1)
	}
	for len(history) > limit+1 {
		oldest := len(history) - 1
		for i := oldest; i > 0; i-- {
			if history[i].CompletionTime == nil {
				oldest = i
				break
			}
		}
		history = slices.Delete(history, oldest, oldest+1)
	}
	return history
}
