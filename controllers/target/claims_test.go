package target_test

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/target"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// install starts an installation of the operator with an image of its own.
func (w *world) install(name string) (uninstall func()) {
	w.Helper()
	manager := environment.Manager(w.T, w.namespace)
	settings := operator
	settings.LoadgenImage = "example.com/" + name
	claims := &claim.Claims{
		Client: manager.GetClient(), Live: manager.GetAPIReader(), Installation: name, Now: w.now,
	}
	r := target.New(loop.Of(manager, metrics.KindTarget, settings, claims), &queue.Queue{})
	r.Now = w.now
	if err := r.SetupWithManager(manager); err != nil {
		w.Fatal(err)
	}
	return testenv.Start(w.T, manager)
}

func (w *world) holder() string {
	var lease coordinationv1.Lease
	w.get(naming.InstallationLease, &lease)
	return *lease.Spec.HolderIdentity
}

// TestTwoInstallationsDoNotFight has two of them, with different images, watch one namespace: the one that came first
// works there, and the other takes over when it is gone.
func TestTwoInstallationsDoNotFight(t *testing.T) {
	t.Parallel()
	w := &world{T: t, g: gomega.NewWithT(t), namespace: environment.Namespace(t)}
	uninstall := w.install("first")
	w.target = replicaSet(w.namespace)
	w.target.Spec.MongoDB.ProvisioningSeconds = new(int32(7200)) // Longer than the clock is moved.
	w.create(w.target)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	before := w.statefulSet().Generation
	w.install("second")
	w.expectEvent("OtherInstallation")
	w.skip(20 * time.Second)
	w.runMembers()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	if holder := w.holder(); holder != "first" {
		t.Errorf("%s works in the namespace", holder)
	}

	uninstall()
	w.g.Eventually(func() string { w.skip(time.Minute); return w.holder() }, patience, 100*time.Millisecond).
		Should(gomega.Equal("second"))
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	if after := w.statefulSet().Generation; after != before {
		t.Errorf("the StatefulSet is of generation %d, want %d", after, before)
	}
}
