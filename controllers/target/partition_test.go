package target_test

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// speaksFor waits until a policy of the target speaks for a member, or does not.
func (w *world) speaksFor(policy, member string, want bool) {
	w.Helper()
	pod := targettest.MemberPod(w.target, naming.ReplicaSet, 0)
	pod.Labels["statefulset.kubernetes.io/pod-name"] = member
	w.g.Eventually(func() bool {
		var found networkingv1.NetworkPolicy
		w.get(policy, &found)
		selector, err := metav1.LabelSelectorAsSelector(&found.Spec.PodSelector)
		return err == nil && selector.Matches(labels.Set(pod.Labels))
	}, patience, 20*time.Millisecond).Should(gomega.Equal(want), "policy %s, member %s", policy, member)
}

// TestAMemberIsOpenToClientsUnlessARunCutsItOff: what says so is the policy of that run alone. Nothing else lets
// anybody reach it meanwhile.
func TestAMemberIsOpenToClientsUnlessARunCutsItOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.made()
	w.speaksFor("set-members", "set-mongod-1", true)

	run := runtest.Run(w.namespace, "r")
	run.UID = "0b83009c-0000-4000-8000-000000000001"
	policy := partition.Policy(run, "set", []string{"set-mongod-1"})
	if err := controllerutil.SetControllerReference(run, policy, environment.Scheme); err != nil {
		t.Fatal(err)
	}
	w.create(policy)
	w.speaksFor("set-members", "set-mongod-1", false)
	w.speaksFor("set-members", "set-mongod-0", true)
	w.speaksFor("set-closed", "set-mongod-1", true)

	w.stop() // The run and its policy go while no operator runs.
	if err := environment.Client.Delete(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.speaksFor("set-members", "set-mongod-1", true)
}

// TestAPolicyOfOthersCutsNobodyOff: what looks like one of a run, and is not controlled by any, is not believed.
func TestAPolicyOfOthersCutsNobodyOff(t *testing.T) {
	policy := partition.Policy(runtest.Run("bench", "r"), "set", []string{"set-mongod-1"})
	if cut := partition.Members(policy); len(cut) > 0 {
		t.Errorf("cut off are %v", cut)
	}
	if cut := partition.Members(nil); len(cut) > 0 {
		t.Errorf("no policy cuts off %v", cut)
	}
}
