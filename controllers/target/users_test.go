package target_test

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// user makes a run of the target, which has conditions.
func (w *world) user(name string, conditions ...metav1.Condition) *benchv1alpha1.BenchmarkRun {
	w.Helper()
	run := runtest.Run(w.namespace, name)
	run.Spec.Target, run.Spec.TargetRef = nil, &benchv1alpha1.NameReference{Name: w.target.Name}
	w.create(run)
	w.says(run, conditions...)
	return run
}

// says plays the controller of runs.
func (w *world) says(run *benchv1alpha1.BenchmarkRun, conditions ...metav1.Condition) {
	w.Helper()
	for _, c := range conditions {
		told := condition.In(&run.Status.Conditions, run.Generation, time.Now())
		if c.Status == metav1.ConditionTrue {
			told.True(c.Type, c.Reason, "")
		} else {
			told.False(c.Type, c.Reason, "")
		}
	}
	if err := environment.Client.Status().Update(w.Context(), run); err != nil {
		w.Fatal(err)
	}
}

// usedBy waits until the target's status names these runs.
func (w *world) usedBy(want ...string) {
	w.Helper()
	w.g.Eventually(func() []string {
		w.get(w.target.Name, w.target)
		return w.target.Status.InUseBy
	}, patience, 20*time.Millisecond).Should(gomega.ConsistOf(want))
}

func TestATargetSaysWhoUsesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	admitted := metav1.Condition{
		Type: benchv1alpha1.RunAdmitted, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonAdmitted,
	}
	ended := metav1.Condition{
		Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonCompleted,
	}
	finished := metav1.Condition{
		Type: benchv1alpha1.RunProgressing, Status: metav1.ConditionFalse, Reason: benchv1alpha1.ReasonFinished,
	}
	queued := admitted
	queued.Status, queued.Reason = metav1.ConditionFalse, benchv1alpha1.ReasonQueued

	first, waiting := w.user("b", admitted), w.user("a", queued)
	w.usedBy("b")
	w.says(waiting, admitted)
	w.usedBy("a", "b")
	w.says(first, ended)
	w.says(first, finished)
	w.usedBy("a")

	w.stop() // A run that is deleted while no operator runs leaves no trace.
	if err := environment.Client.Delete(t.Context(), waiting, &client.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.usedBy()
}
