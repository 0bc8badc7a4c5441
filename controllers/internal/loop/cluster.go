package loop

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// A failed reconcile is repeated after firstRetry, then after ever longer times up to lastRetry, which is short beside
// every deadline.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Cluster is what a controller reads, writes and knows.
type Cluster struct {
	// Client reads, from the manager's cache, and writes.
	Client client.Client
	// Live reads from the API server what the cache does not hold.
	Live client.Reader
	// Recorder tells people what changed.
	Recorder events.EventRecorder
	// Settings are what the operator was started with.
	Settings settings.Settings
	// Now is the clock.
	Now func() time.Time
}

// Of is the cluster as a manager sees it.
func Of(mgr ctrl.Manager, operator settings.Settings) Cluster {
	return Cluster{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder(naming.ManagedBy),
		Settings: operator,
		Now:      time.Now,
	}
}

// Write makes the cluster hold the desired objects of an owner of a kind, and removes what was observed, is controlled
// by the owner and is not desired.
func (c Cluster) Write(
	ctx context.Context, kind string, owner client.Object, wanted, observed []desired.Object,
) error {
	result, err := apply.Applier{Client: c.Client, Live: c.Live}.Apply(ctx, owner, wanted, observed)
	metrics.ObjectsWritten(kind, result.Written+result.Deleted)
	return err
}

// Start adds a controller of a kind, with what it watches, to the builder's manager.
func (c Cluster) Start(kind string, watches *builder.Builder, reconciler reconcile.Reconciler) error {
	err := watches.WithOptions(controller.Options{
		MaxConcurrentReconciles: c.Settings.Concurrency(),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			firstRetry, lastRetry),
	}).Complete(reconciler)
	if err != nil {
		return fmt.Errorf("setting up the controller of %ss: %w", kind, err)
	}
	return nil
}
