package decide

import (
	"maps"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// shares says whether the runs of a variant share a target.
func (o *Observation) shares() bool {
	reuse := o.Suite.Spec.TargetReuse
	return reuse != nil && *reuse == benchv1alpha1.TargetReusePerVariant
}

// target is the one that all runs of a variant refer to.
func (o *Observation) target(variant int) *benchv1alpha1.BenchmarkTarget {
	return suite.Target(o.Suite, o.Plan, variant)
}

// upkeep says which targets stand, and what is removed.
type upkeep struct{ *revision }

// placeTargets has the target of each variant stand from its first run on until its last has ended, and removes the
// targets that no run needs.
func (u upkeep) placeTargets(d *Decision) {
	needed := u.referred()
	for _, run := range d.Create {
		if run.Spec.TargetRef != nil {
			needed[run.Spec.TargetRef.Name] = true
		}
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
		target := u.target(variant)
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
		if run.Spec.TargetRef != nil && occupies(run) {
			names[run.Spec.TargetRef.Name] = true
		}
	}
	return names
}

// open says of each variant whether there are runs of it still to be made.
func (u upkeep) open() []bool {
	open := make([]bool, len(u.Plan.Variants))
	for _, s := range u.slots {
		if u.stopped == "" && !u.ended(s) {
			open[s.Variant] = true
		}
	}
	return open
}
