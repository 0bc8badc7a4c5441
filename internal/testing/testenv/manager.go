package testenv

import (
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Manager is a manager of one namespace that caches as the real one does: what carries the operator's label, and the
// kinds of this repository. It serves nothing, and elects nobody.
func (e *Environment) Manager(t *testing.T, namespace string) ctrl.Manager {
	t.Helper()
	everything := cache.ByObject{Label: labels.Everything()}
	manager, err := ctrl.NewManager(e.Config, ctrl.Options{
		Scheme:                 e.Scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		// Each test has a manager of its own in the same process.
		// Without the priority queue, as the real one.
		Controller: config.Controller{SkipNameValidation: new(true), UsePriorityQueue: new(false)},
		Cache: cache.Options{
			DefaultNamespaces:           map[string]cache.Config{namespace: {}},
			DefaultLabelSelector:        labels.SelectorFromSet(labels.Set{naming.ManagedByLabel: naming.ManagedBy}),
			DefaultTransform:            cache.TransformStripManagedFields(),
			ReaderFailOnMissingInformer: true,
			ByObject: map[client.Object]cache.ByObject{
				&benchv1alpha1.BenchmarkRun{}: everything, &benchv1alpha1.BenchmarkTarget{}: everything,
				&benchv1alpha1.BenchmarkSuite{}: everything,
			},
		},
	})
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	return manager
}
