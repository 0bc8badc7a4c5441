package decide

import (
	"maps"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// shares says whether the runs of a variant share a target.
func (v *view) shares() bool {
	reuse := v.Suite.Spec.TargetReuse
	return reuse != nil && *reuse == benchv1alpha1.TargetReusePerVariant
}

// target is the one that all runs of a variant refer to.
func (v *view) target(variant int) *benchv1alpha1.BenchmarkTarget {
	return suite.Target(v.Suite, v.Plan, variant)
}

// placeTargets has the target of each variant stand from its first run on until its last has ended, and removes the
// targets that no run needs.
func (v *view) placeTargets(d *Decision) {
	needed := v.referred()
	for _, run := range d.Create {
		if run.Spec.TargetRef != nil {
			needed[run.Spec.TargetRef.Name] = true
		}
	}
	wanted := v.wantTargets(d, needed)
	for _, name := range slices.Sorted(maps.Keys(v.Targets)) {
		target := v.Targets[name]
		if !wanted[name] && !needed[name] && !v.tracked(target) {
			d.Observed = append(d.Observed, target)
		}
	}
}

// wantTargets desires the targets of variants whose runs have begun and not ended, and says which.
func (v *view) wantTargets(d *Decision, needed map[string]bool) map[string]bool {
	wanted := map[string]bool{}
	if !v.shares() || v.settled {
		return wanted
	}
	for variant, open := range v.open() {
		target := v.target(variant)
		observed, exists := v.Targets[target.Name]
		if open && exists || needed[target.Name] {
			wanted[target.Name] = true
			d.replace(target, observed, exists)
		}
	}
	return wanted
}

// referred are the names of the targets that runs use.
func (v *view) referred() map[string]bool {
	names := map[string]bool{}
	for _, run := range v.Runs {
		if run.Spec.TargetRef != nil && occupies(run) {
			names[run.Spec.TargetRef.Name] = true
		}
	}
	return names
}

// open says of each variant whether there are runs of it still to be made.
func (v *view) open() []bool {
	open := make([]bool, len(v.Plan.Variants))
	for _, s := range v.slots {
		if v.stopped == "" && !v.ended(s) {
			open[s.Variant] = true
		}
	}
	return open
}
