package target_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestDatasetsThatRunsNotedStayInTheStatus writes what the controller of runs does, and has this one write afterwards.
func TestDatasetsThatRunsNotedStayInTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	noted := []benchv1alpha1.DatasetStatus{{
		Database: "mongobench", Fingerprint: strings.Repeat("c", 64), State: benchv1alpha1.DatasetClean, RunName: "r",
	}}
	before := w.target.DeepCopy()
	w.target.Status.Datasets = noted
	if err := environment.Client.Status().Patch(t.Context(), w.target, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	w.changePod(naming.MemberPod("set", naming.ReplicaSet, 0), func(pod *corev1.Pod) {
		targettest.Restarted(pod, time.Now().Add(time.Minute), corev1.ContainerStateTerminated{ExitCode: 14})
	})
	w.expectStalled(benchv1alpha1.ReasonMemberRestarted)
	if diff := cmp.Diff(noted, w.target.Status.Datasets); diff != "" {
		t.Errorf("datasets (-noted +left):\n%s", diff)
	}
}
