package decide

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// side is a target that a run measures: its own or the one that it refers to, and of a duet also that of the baseline.
type side struct {
	name string
	// target is nil when it is not there.
	target *benchv1alpha1.BenchmarkTarget
}

// sides are the targets of a run.
func (o *Observation) sides() []side {
	all := []side{{TargetName(o.Run), o.Target}}
	if name := BaselineName(o.Run); name != "" {
		all = append(all, side{name, o.Baseline})
	}
	return all
}

// ready says whether load may be sent to the target.
func (s side) ready() bool {
	return s.target != nil && s.target.DeletionTimestamp == nil && s.target.Status.Connection != nil &&
		condition.IsTrue(s.target.Status.Conditions, benchv1alpha1.TargetReady)
}

// unready is the side whose state a run tells of: the first that is not ready, and else its own target.
func (o *Observation) unready() side {
	all := o.sides()
	for _, one := range all {
		if !one.ready() {
			return one
		}
	}
	return all[0]
}
