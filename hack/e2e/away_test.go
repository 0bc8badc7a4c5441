//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// outageTime is how long what is done to a local cluster may take.
	outageTime = 5 * time.Minute
	// maxRestarts is how often the operator may be started again because the API server is away: once for its lease,
	// and once more when it comes back and is busy.
	maxRestarts = 2
)

// needLocalCluster skips a test that does to the cluster what only the program that makes local ones can.
func needLocalCluster(t *testing.T) {
	t.Helper()
	if os.Getenv("CLUSTER") != "local" {
		t.Skip("needs local: a cluster made by hack/cluster")
	}
}

// localCluster runs a command of the program that makes local clusters, also when the test is at its end.
func localCluster(t *testing.T, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), outageTime)
	defer cancel()
	command := exec.CommandContext(ctx, "go", append([]string{"-C", "../cluster", "run", "."}, arguments...)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("cluster %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
}

// TestKubernetesIsAwayWhileMeasuring has three load pods measure while the API server answers nobody for longer than
// the leases of nodes (50 s with their grace) and of the operator last. Nothing is made again, and the result is whole.
func TestKubernetesIsAwayWhileMeasuring(t *testing.T) {
	needLocalCluster(t)
	const away, measured = 75 * time.Second, int32(100)
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", measured)}
	run.Spec.Workload.Steps[0].Threads = new(int32(3))
	run.Spec.LoadGenerator.Pods = new(int32(3))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	kinds := []string{"BenchmarkTarget", "StatefulSet", "Job", "Pod", "Secret"}
	before := n.UIDs(t, kinds...)
	restarts := managerRestarts(t)
	withoutAPIServer(t, away)

	ended := n.WaitSuccess(t, run)
	after := n.UIDs(t, kinds...)
	for name, uid := range before {
		if after[name] != uid {
			t.Errorf("%s was UID %s before and is %q after", name, uid, after[name])
		}
	}
	if len(ended.Status.Attempts) > 0 {
		t.Errorf("the run started over: %+v", ended.Status.Attempts)
	}
	checkNothingRestarted(t, n)
	// It ends when it has lost its lease, and the next one waits: one that ends again and again is soon held back.
	if again := managerRestarts(t) - restarts; again > maxRestarts {
		t.Errorf("the operator was started again %d times, want %d at most", again, maxRestarts)
	}
	report := n.Report(t, ended)
	step := harness.StepOf(t, report, "mixed")
	if report.Pods != 3 || step.Duration() < time.Duration(measured-2)*time.Second {
		t.Errorf("the report is of %d pods and %s, want 3 and %d s", report.Pods, step.Duration(), measured)
	}
	checkObserved(t, report)
	trusted := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunTrusted)
	cluster.Summary.Figure("API server away for %s while measuring: Trusted is %s: %s", away, trusted.Status,
		trusted.Reason)
}

// withoutAPIServer has the API server stand still for a while.
func withoutAPIServer(t *testing.T, while time.Duration) {
	t.Helper()
	const process = "kube-apiserver"
	localCluster(t, "pause", process)
	defer localCluster(t, "resume", process)
	select { // The time is what is tested: nobody can be asked for a state.
	case <-time.After(while):
	case <-t.Context().Done():
	}
}

// managerRestarts is how often the operator was started again.
func managerRestarts(t *testing.T) int32 {
	t.Helper()
	manager, err := cluster.ManagerPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var restarts int32
	for _, container := range manager.Status.ContainerStatuses {
		restarts += container.RestartCount
	}
	return restarts
}

func checkNothingRestarted(t *testing.T, n *harness.Namespace) {
	t.Helper()
	pods := &corev1.PodList{}
	n.FetchAll(t, pods)
	for i := range pods.Items {
		for _, container := range pods.Items[i].Status.ContainerStatuses {
			if container.RestartCount > 0 {
				t.Errorf("container %s of pod %s was restarted", container.Name, pods.Items[i].Name)
			}
		}
	}
}
