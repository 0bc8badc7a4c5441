package suite

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

// ownerIndex finds the runs and targets that a suite controls, by its UID.
const ownerIndex = "metadata.controller"

// Setup adds the controller of BenchmarkSuites to a manager. The manager's cache should hold ConfigMaps through
// StripResults.
func Setup(mgr ctrl.Manager, settings settings.Settings) error {
	r := &Reconciler{Cluster: loop.Of(mgr, settings)}
	for _, kind := range []client.Object{&benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkTarget{}} {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), kind, ownerIndex, suiteOf); err != nil {
			return fmt.Errorf("indexing %T by its owner: %w", kind, err)
		}
	}
	none := func(event.UpdateEvent) bool { return false }
	return r.Start(metrics.KindSuite, ctrl.NewControllerManagedBy(mgr).
		For(&benchv1alpha1.BenchmarkSuite{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: suiteMatters})).
		Owns(&benchv1alpha1.BenchmarkRun{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: runMatters})).
		Owns(&benchv1alpha1.BenchmarkTarget{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: none})).
		Owns(&corev1.ConfigMap{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: none})), r)
}

// suiteOf is the UID of the suite that controls an object.
func suiteOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != "BenchmarkSuite" {
		return nil
	}
	return []string{string(owner.UID)}
}

func ownedBy(suite *benchv1alpha1.BenchmarkSuite) client.MatchingFields {
	return client.MatchingFields{ownerIndex: string(suite.UID)}
}

// suiteMatters keeps the suite's own status from waking the controller.
func suiteMatters(e event.UpdateEvent) bool {
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectNew.GetDeletionTimestamp() != nil
}

// runMatters keeps what a run does from waking the controller, until it has ended or is to be something else.
func runMatters(e event.UpdateEvent) bool {
	before, isBefore := e.ObjectOld.(*benchv1alpha1.BenchmarkRun)
	after, isAfter := e.ObjectNew.(*benchv1alpha1.BenchmarkRun)
	if !isBefore || !isAfter || before.Generation != after.Generation ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) {
		return true
	}
	for _, conditionType := range []string{
		benchv1alpha1.RunSucceeded, benchv1alpha1.RunProgressing, benchv1alpha1.RunTrusted,
	} {
		if statusOf(before, conditionType) != statusOf(after, conditionType) {
			return true
		}
	}
	return false
}

// statusOf is that of a condition; empty when it is not there.
func statusOf(run *benchv1alpha1.BenchmarkRun, conditionType string) metav1.ConditionStatus {
	if found := condition.Find(run.Status.Conditions, conditionType); found != nil {
		return found.Status
	}
	return ""
}
