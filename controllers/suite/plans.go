package suite

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// plans keep what was compiled, by the names of the suites, since that takes a tenth of a second of a suite with two
// hundred variants, and a suite is looked at each time that a run of it ends. They hold nothing that could not be
// compiled again, and nothing of a suite that is complete, which is seldom looked at. The zero value is ready.
type plans struct{ all sync.Map }

// compiled is the plan of one generation of one suite on one occasion. It is shared, and never changed.
type compiled struct {
	uid        types.UID
	generation int64
	occasion   *benchv1alpha1.SuiteOccasion
	plan       suite.Plan
	invalid    field.ErrorList
}

// of is the plan of a suite. What is kept by its status does not change while its specification and the occasion stay.
func (p *plans) of(declared *benchv1alpha1.BenchmarkSuite) (suite.Plan, field.ErrorList) {
	name := client.ObjectKeyFromObject(declared)
	kept, _ := p.all.Load(name)
	found, ok := kept.(compiled)
	if !ok || found.uid != declared.UID || found.generation != declared.Generation ||
		!equality.Semantic.DeepEqual(found.occasion, declared.Status.Occasion) {
		found = compiled{uid: declared.UID, generation: declared.Generation, occasion: declared.Status.Occasion}
		found.plan, found.invalid = suite.Compile(declared)
		found.plan = found.plan.Current(declared)
		p.all.Store(name, found)
	}
	return found.plan, found.invalid
}

// keep forgets the plan of a suite that is complete.
func (p *plans) keep(declared *benchv1alpha1.BenchmarkSuite) {
	complete := condition.Find(declared.Status.Conditions, benchv1alpha1.SuiteComplete)
	if complete != nil && complete.Status == metav1.ConditionTrue && complete.ObservedGeneration == declared.Generation {
		p.forget(client.ObjectKeyFromObject(declared))
	}
}

// forget the plan of a suite that is gone.
func (p *plans) forget(name types.NamespacedName) { p.all.Delete(name) }
