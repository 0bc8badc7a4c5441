package suite

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
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
