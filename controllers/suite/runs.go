package suite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// holdOwner is the field manager of what a suite does to a run once it is made, and of nothing else: what it applies
// without a field takes that field away.
const holdOwner = client.FieldOwner("mongobench-operator-suite")

// create makes a run. One that exists already is as good when it is the suite's own: the cache is behind, or another
// manager was faster.
func (r *Reconciler) create(
	ctx context.Context, owner *benchv1alpha1.BenchmarkSuite, run *benchv1alpha1.BenchmarkRun,
) error {
	if err := r.own(owner, run); err != nil {
		return err
	}
	err := r.Client.Create(ctx, run, apply.FieldOwner)
	switch {
	case err == nil:
		metrics.ObjectsWritten(metrics.KindSuite, 1)
		return nil
	case apierrors.IsAlreadyExists(err):
		return r.ours(ctx, owner, run)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: %w", errRefused, err)
	default:
		return err
	}
}

// errRefused is wrapped when the API server does not take a run as it is. Other refusals, such as that of a quota,
// pass.
var errRefused = errors.New("refused")

// change suspends, resumes or cancels the very run that was observed.
func (r *Reconciler) change(ctx context.Context, change decide.Change) error {
	spec, annotations := map[string]any{}, map[string]string{}
	if change.Suspend {
		spec["suspend"] = true
		annotations[decide.SuspendedAnnotation] = "true"
	}
	if change.Cancel {
		spec["cancel"] = true
		annotations[decide.CancelledAnnotation] = "true"
	}
	run := &unstructured.Unstructured{Object: map[string]any{}}
	run.SetGroupVersionKind(benchv1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	run.SetNamespace(change.Run.Namespace)
	run.SetName(change.Run.Name)
	run.SetUID(change.Run.UID)
	if len(spec) > 0 {
		run.SetAnnotations(annotations)
		run.Object["spec"] = spec
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(run), holdOwner, client.ForceOwnership)
}

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
