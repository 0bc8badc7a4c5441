package target_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/target"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// unindexed is the API server without the index of a cache: no run uses a target.
type unindexed struct{ client.Client }

func (u unindexed) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if _, is := into.(*benchv1alpha1.BenchmarkRunList); is {
		return nil
	}
	return u.Client.List(ctx, into, options...)
}

// reconciler is one that no manager runs.
func reconciler(writes *testenv.Writes, live client.Reader) *target.Reconciler {
	return target.New(loop.Cluster{
		Client: unindexed{writes.Through(environment.Client)}, Live: live, Settings: operator,
		Recorder: events.NewFakeRecorder(10), Now: time.Now,
	}, &queue.Queue{})
}

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	w.stop()

	var writes testenv.Writes
	r := reconciler(&writes, environment.Client)
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.target)}
	reconcile := func() (ctrl.Result, error) { return r.Reconcile(t.Context(), request) }
	if result := writes.Settle(t, reconcile); result.RequeueAfter != 0 || len(writes.Done) > 0 {
		t.Fatalf("result %+v, written %v", result, writes.Done)
	}
	writes.Idle(t, reconcile)
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { delete(set.Labels, "app.kubernetes.io/name") })
	if _, err := reconcile(); err != nil || len(writes.Done) != 1 {
		t.Errorf("%d writes after one change, error %v", len(writes.Done), err)
	}
}
