package target_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// server waits for the StatefulSet of a MariaDB.
func (w *world) server() *appsv1.StatefulSet {
	w.Helper()
	var set appsv1.StatefulSet
	w.get(naming.TargetStatefulSet(w.target.Name, naming.MariaDBSet), &set)
	return &set
}

// runServer makes the pod of a MariaDB, which runs, and then that of the topology Job, which is made for it.
func (w *world) runServer() {
	w.Helper()
	pod := targettest.MemberPod(w.target, naming.MariaDBSet, 0)
	targettest.Ready(&pod, time.Now())
	w.makePod(w.server(), &pod)
	topology := targettest.TopologyPod(w.target)
	targettest.Ready(&topology, time.Now())
	w.makePod(w.job(), &topology)
}

func TestMariaDBBecomesReadyThroughRestartsOfTheManager(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		return targettest.HandlerSocket(namespace, "rows")
	})
	w.expect(benchv1alpha1.TargetAccepted, metav1.ConditionTrue, benchv1alpha1.ReasonValid)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.server()
	_, secrets := w.owned()
	var jobs batchv1.JobList
	err := environment.Client.List(t.Context(), &jobs, client.InNamespace(w.namespace))
	if err != nil || len(jobs.Items) > 0 {
		t.Errorf("%d Jobs look at a server that does not work yet (%v)", len(jobs.Items), err)
	}
	w.restart()
	w.runServer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	w.restart()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)

	uids, sameSecrets := w.owned()
	if diff := cmp.Diff(secrets, sameSecrets); diff != "" {
		t.Error("a Secret was written again")
	}
	if len(uids) != 12 {
		t.Errorf("%d objects are owned, want 12: %v", len(uids), uids)
	}
	want := &benchv1alpha1.TargetConnection{
		URISecretRef:                  &benchv1alpha1.SecretKeyReference{Name: "rows-load", Key: "uri"},
		ObserverCredentialsSecretName: new("rows-observer"),
	}
	if diff := cmp.Diff(want, w.target.Status.Connection); diff != "" {
		t.Errorf("connection (-want +got):\n%s", diff)
	}
}

func TestMariaDBThatRestartsAfterItWasReadyIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		return targettest.MariaDB(namespace, "rows")
	})
	w.runServer()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	pod := naming.MemberPod(w.target.Name, naming.MariaDBSet, 0)
	w.changePod(pod, func(pod *corev1.Pod) {
		targettest.Restarted(pod, time.Now().Add(time.Minute), corev1.ContainerStateTerminated{ExitCode: 139})
	})
	w.expectStalled(benchv1alpha1.ReasonMemberRestarted)
}

func TestMariaDBThatCannotMakeItsDataIsGivenUpWithTheCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		return targettest.MariaDB(namespace, "rows")
	})
	pod := targettest.MemberPod(w.target, naming.MariaDBSet, 0)
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: []corev1.ContainerStatus{{
		Name: naming.BootstrapContainer, Image: "image",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Message: "loadgen: making the system tables: No space left on device",
		}},
	}}}
	w.makePod(w.server(), &pod)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonCrashed)
	w.g.Expect(w.target.Status.Conditions).To(gomega.ContainElement(gomega.HaveField("Message",
		gomega.ContainSubstring("No space left on device"))))
}
