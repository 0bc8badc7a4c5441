package run_test

import (
	"testing"

	"github.com/onsi/gomega"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// cutting is the policy of a run that is gone, which is still said to be the run's: the garbage collector, of which
// there is none here, has not come to it.
func cutting(t *testing.T, namespace string) *networkingv1.NetworkPolicy {
	t.Helper()
	run := runtest.Run(namespace, "gone")
	run.UID = "0b83009c-0000-4000-8000-000000000001"
	policy := partition.Policy(run, "shared", []string{"shared-mongod-0"})
	if err := controllerutil.SetControllerReference(run, policy, environment.Scheme); err != nil {
		t.Fatal(err)
	}
	if err := environment.Client.Create(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	return policy
}

// goes waits until a policy is gone.
func goes(t *testing.T, policy *networkingv1.NetworkPolicy) {
	t.Helper()
	gomega.NewWithT(t).Eventually(func() bool {
		found := &networkingv1.NetworkPolicy{}
		return apierrors.IsNotFound(environment.Client.Get(t.Context(), client.ObjectKeyFromObject(policy), found))
	}, wakeTime, "50ms").Should(gomega.BeTrue())
}

// TestWhatARunCutOffIsHealedWhenTheManagerStarts: the run was deleted while none ran.
func TestWhatARunCutOffIsHealedWhenTheManagerStarts(t *testing.T) {
	t.Parallel()
	namespace := environment.Namespace(t)
	policy := cutting(t, namespace)
	startManager(t, namespace)
	goes(t, policy)
}

// TestWhatARunLeftOnPurposeCutsNobodyOff: whoever deletes a run may ask that what it made stays, which then has no
// owner, and which the manager holds by its name alone.
func TestWhatARunLeftOnPurposeCutsNobodyOff(t *testing.T) {
	t.Parallel()
	namespace := environment.Namespace(t)
	run := runtest.Run(namespace, "gone")
	if err := environment.Client.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	policy := partition.Policy(run, "shared", []string{"shared-mongod-0"})
	other := policy.DeepCopy() // Of somebody who chose the name, and not the labels.
	other.Name, other.Labels = naming.PartitionNetworkPolicy("other"), map[string]string{naming.RunLabel: "other"}
	for _, made := range []*networkingv1.NetworkPolicy{policy, other} {
		if err := environment.Client.Create(t.Context(), made); err != nil {
			t.Fatal(err)
		}
	}
	startManager(t, namespace)
	if err := environment.Client.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	goes(t, policy)
	if err := environment.Client.Get(t.Context(), client.ObjectKeyFromObject(other), other); err != nil {
		t.Errorf("the policy of somebody else: %v", err)
	}
}
