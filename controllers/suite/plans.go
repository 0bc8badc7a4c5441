package suite

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// plans keep what was compiled, since that takes a tenth of a second of a suite with two hundred variants, and a suite
// is looked at each time that a run of it ends. They hold nothing that could not be compiled anew. The zero value is
// empty.
type plans struct {
	lock sync.Mutex
	kept map[types.NamespacedName]compiled
}

// compiled is the plan of one generation of one suite. It is shared, and never changed.
type compiled struct {
	uid        types.UID
	generation int64
	plan       suite.Plan
	invalid    field.ErrorList
}

// of is the plan of a suite.
func (p *plans) of(of *benchv1alpha1.BenchmarkSuite) (suite.Plan, field.ErrorList) {
	name := types.NamespacedName{Namespace: of.Namespace, Name: of.Name}
	p.lock.Lock()
	found, ok := p.kept[name]
	p.lock.Unlock()
	if ok && found.uid == of.UID && found.generation == of.Generation {
		return found.plan, found.invalid
	}
	found = compiled{uid: of.UID, generation: of.Generation}
	found.plan, found.invalid = suite.Compile(of)
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.kept == nil {
		p.kept = map[types.NamespacedName]compiled{}
	}
	p.kept[name] = found
	return found.plan, found.invalid
}

// forget is for a suite that is gone.
func (p *plans) forget(name types.NamespacedName) {
	p.lock.Lock()
	defer p.lock.Unlock()
	delete(p.kept, name)
}
