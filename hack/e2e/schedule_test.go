//go:build e2e

package e2e

import (
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// scheduled is how many operations a second are due in the test below.
const scheduled = int64(100)

// TestTwoLoadPodsShareASchedule has two load pods keep one schedule: every operation that is due is one pod's, and the
// status tells the rate that was asked for.
func TestTwoLoadPodsShareASchedule(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.LoadGenerator.Pods = new(int32(2))
	step := &run.Spec.Workload.Steps[0]
	step.Threads = new(int32(8))
	step.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(scheduled)}
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	report := n.Report(t, ended)
	arrivals := harness.StepOf(t, report, "mixed").Arrivals
	if arrivals == nil {
		t.Fatal("the report does not tell of a schedule")
	}
	if want := scheduled * int64(harness.Seconds); arrivals.Due != want {
		t.Errorf("%d operations were due, want %d", arrivals.Due, want)
	}
	var sent int64
	for _, operation := range harness.StepOf(t, report, "mixed").Operations {
		sent += operation.Count + operation.Errors
	}
	if sent+arrivals.Dropped != arrivals.Due {
		t.Errorf("%d operations were sent and %d dropped of %d that were due", sent, arrivals.Dropped, arrivals.Due)
	}
	if got := ptr.Deref(ended.Status.Result.Steps[0].RequestedOperationsPerSecond, 0); got != scheduled {
		t.Errorf("the status tells of %d operations a second asked for, want %d", got, scheduled)
	}
}
