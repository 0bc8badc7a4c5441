package target_test

import (
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// pastDeadline is more than the provisioningSeconds of every target in these tests.
const pastDeadline = 61 * time.Second

func TestFaultThatMayMendIsWaitedForUntilTheDeadline(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, message string
		fault           func(pod *corev1.Pod)
	}{
		"a pod that no node takes": {
			benchv1alpha1.ReasonUnschedulable, "Insufficient memory", targettest.Unschedulable,
		},
		"an image that cannot be pulled": {
			benchv1alpha1.ReasonImagePull, "not found", func(pod *corev1.Pod) {
				targettest.Waiting(pod, "ImagePullBackOff", "example.com/mongo:6.0.5: not found")
			},
		},
		"a Secret that a pod mounts is gone": {
			benchv1alpha1.ReasonConfigError, "secret not found", func(pod *corev1.Pod) {
				targettest.Waiting(pod, "CreateContainerConfigError", "secret not found")
			},
		},
		"a node that does not answer": {benchv1alpha1.ReasonNodeLost, "node-1", targettest.NodeLost},
		"a mongod that ends over and over": {
			benchv1alpha1.ReasonCrashed, "exit code 100", func(pod *corev1.Pod) {
				targettest.Waiting(pod, "CrashLoopBackOff", "back-off")
				pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 100}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, replicaSet)
			w.makePods(func(members []corev1.Pod, _ *corev1.Pod) { tc.fault(&members[1]) })
			waiting := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, tc.reason)
			w.expect(benchv1alpha1.TargetStalled, metav1.ConditionFalse, benchv1alpha1.ReasonNotStalled)
			if !strings.Contains(waiting.Message, tc.message) || !strings.Contains(waiting.Message, "pod set-mongod-1") {
				t.Errorf("message %q", waiting.Message)
			}
			w.skip(pastDeadline)
			if stalled := w.expectStalled(tc.reason); !strings.Contains(stalled.Message, "within 60 s") {
				t.Errorf("message %q", stalled.Message)
			}
		})
	}
}

func TestFaultThatStaysEndsTheWaitAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.makePods(func(members []corev1.Pod, _ *corev1.Pod) {
		targettest.Restarted(&members[2], time.Now(), corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137})
	})
	w.expectStalled(benchv1alpha1.ReasonOOMKilled)
	w.expectEvent(benchv1alpha1.ReasonOOMKilled)
}

func TestNothingHappensUntilTheDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standalone)
	w.makePods(func([]corev1.Pod, *corev1.Pod) {})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.skip(pastDeadline)
	w.expectStalled(benchv1alpha1.ReasonDeadlineExceeded)
}

func TestPodsThatAreRefusedAreExplainedByEvents(t *testing.T) {
	for name, tc := range map[string]struct{ cause, reason string }{
		"by a quota": {
			`pods "set-mongod-0" is forbidden: exceeded quota: small, requested: pods=1`, benchv1alpha1.ReasonQuotaExceeded,
		},
		"by Pod Security": {
			`pods "set-mongod-0" is forbidden: violates PodSecurity "restricted:latest"`, benchv1alpha1.ReasonForbidden,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, replicaSet)
			set := w.statefulSet()
			refused := targettest.FailedCreate(w.namespace, tc.cause)
			refused.InvolvedObject = corev1.ObjectReference{
				APIVersion: "apps/v1", Kind: "StatefulSet", Namespace: w.namespace, Name: set.Name, UID: set.UID,
			}
			w.create(&refused)
			found := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, tc.reason)
			if found.Message != tc.cause {
				t.Errorf("message %q", found.Message)
			}
		})
	}
}

func TestTopologyJobThatGaveUpIsQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.makePods(func(members []corev1.Pod, topology *corev1.Pod) {
		for i := range members {
			targettest.Ready(&members[i], time.Now())
		}
		targettest.Failed(topology, "loadgen: no primary was elected within 60 s")
	})
	w.endJob(targettest.JobFailed())
	failed := w.expectStalled(benchv1alpha1.ReasonTopologyFailed)
	if failed.Message != "loadgen: no primary was elected within 60 s" {
		t.Errorf("message %q", failed.Message)
	}
}

func TestMemberThatRestartsEndsAReadyTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	w.changePod(naming.MemberPod("set", naming.ReplicaSet, 0), func(pod *corev1.Pod) {
		targettest.Restarted(pod, time.Now().Add(time.Minute), corev1.ContainerStateTerminated{ExitCode: 14})
	})
	restarted := w.expectStalled(benchv1alpha1.ReasonMemberRestarted)
	if !strings.Contains(restarted.Message, "pod set-mongod-0") || !strings.Contains(restarted.Message, "exit code 14") {
		t.Errorf("message %q", restarted.Message)
	}
}

func TestForeignObjectIsLeftAlone(t *testing.T) {
	t.Parallel()
	theirs := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "set-members"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		theirs.Namespace = namespace
		if err := environment.Client.Create(t.Context(), theirs); err != nil {
			t.Fatal(err)
		}
		return replicaSet(namespace)
	})
	found := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonConfigError)
	if !strings.Contains(found.Message, "Service set-members") {
		t.Errorf("message %q", found.Message)
	}
	if w.get(theirs.Name, theirs); len(theirs.OwnerReferences) > 0 || theirs.Spec.Ports[0].Port != 80 {
		t.Errorf("the Service was changed: %+v", theirs)
	}
	if err := environment.Client.Delete(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.get(naming.MembersService("set"), theirs)
}

func TestDeletedTargetIsLeftToTheGarbageCollector(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.made()
	if err := environment.Client.Delete(t.Context(), w.target); err != nil {
		t.Fatal(err)
	}
	// Without a garbage collector the objects stay; a controller that did not notice would make this one again.
	if err := environment.Client.Delete(t.Context(), w.statefulSet()); err != nil {
		t.Fatal(err)
	}
	w.g.Consistently(func() int {
		uids, _ := w.owned()
		return len(uids)
	}, "500ms").Should(gomega.Equal(14))
}
