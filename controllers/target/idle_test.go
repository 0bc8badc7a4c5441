package target_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/target"
)

// counting is a client that counts what is written through it.
func counting(writes *atomic.Int64) client.Client {
	type on = client.WithWatch
	return interceptor.NewClient(environment.Client, interceptor.Funcs{
		Create: func(ctx context.Context, c on, o client.Object, opts ...client.CreateOption) error {
			writes.Add(1)
			return c.Create(ctx, o, opts...)
		},
		Delete: func(ctx context.Context, c on, o client.Object, opts ...client.DeleteOption) error {
			writes.Add(1)
			return c.Delete(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c on, o client.Object, opts ...client.UpdateOption) error {
			writes.Add(1)
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c on, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			writes.Add(1)
			return c.Patch(ctx, o, p, opts...)
		},
		Apply: func(ctx context.Context, c on, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			writes.Add(1)
			return c.Apply(ctx, o, opts...)
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			writes.Add(1)
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	})
}

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	w.stop()

	var writes atomic.Int64
	r := &target.Reconciler{
		Client: counting(&writes), Live: environment.Client, Settings: operator,
		Recorder: events.NewFakeRecorder(10), Now: time.Now,
	}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.target)}
	for range 50 {
		result, err := r.Reconcile(t.Context(), request)
		if err != nil || result.RequeueAfter != 0 {
			t.Fatalf("result %+v, error %v", result, err)
		}
	}
	if n := writes.Load(); n > 0 {
		t.Errorf("%d writes in 50 idle reconciles", n)
	}
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { delete(set.Labels, "app.kubernetes.io/name") })
	if _, err := r.Reconcile(t.Context(), request); err != nil || writes.Load() != 1 {
		t.Errorf("%d writes after one change, error %v", writes.Load(), err)
	}
}
