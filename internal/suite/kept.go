package suite

import (
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// KeptBy is the plan with the revision and the hashes that the suite's status has, if that speaks of the specification
// as it is. Only another release of the operator, with another default, can have worked out others from the same: what
// was measured for them stays measured. With the next change of the specification the plan is that of this release.
func (p Plan) KeptBy(suite *benchv1alpha1.BenchmarkSuite) Plan {
	status := &suite.Status
	accepted := apimeta.FindStatusCondition(status.Conditions, benchv1alpha1.SuiteAccepted)
	if status.Revision == "" || status.Revision == p.Revision || accepted == nil ||
		accepted.Status != metav1.ConditionTrue || accepted.ObservedGeneration != suite.Generation {
		return p
	}
	kept := Plan{
		Revision: status.Revision, Kept: true, Variants: slices.Clone(p.Variants),
		Occasion: status.Occasion, Content: new(p.content()),
	}
	for i := range kept.Variants {
		for j := range status.Variants {
			if hash := status.Variants[j].SpecHash; status.Variants[j].Name == kept.Variants[i].Name && hash != "" {
				kept.Variants[i].Hash = hash
			}
		}
	}
	kept.Slots = slots(suite, kept.Variants)
	return kept
}
