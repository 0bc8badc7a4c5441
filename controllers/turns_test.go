package controllers_test

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// made counts the StatefulSets of a target.
func (n *tenant) made(target *benchv1alpha1.BenchmarkTarget) int {
	n.t.Helper()
	var sets appsv1.StatefulSetList
	err := environment.Client.List(n.t.Context(), &sets, client.InNamespace(target.Namespace),
		client.MatchingLabels{"mongobench.dev/target": target.Name})
	if err != nil {
		n.t.Fatal(err)
	}
	return len(sets.Items)
}

func (n *tenant) patch(object client.Object, change string) {
	n.t.Helper()
	err := environment.Client.Patch(n.t.Context(), object, client.RawPatch(types.MergePatchType, []byte(change)))
	if err != nil {
		n.t.Fatal(err)
	}
}

// TestTargetsWaitForRunsThatAreMeasured has somebody make a target while a run of another namespace is measured, and
// look at it once it is its turn, or that of a run which refers to it.
func TestTargetsWaitForRunsThatAreMeasured(t *testing.T) {
	n := newTenant(t)
	n.patch(n.ownRun, `{"spec":{"suspend":true}}`) // It would be next.
	n.eventually(n.ownRun, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonSuspended)
	first, second := targettest.Standalone(n.own, "first", "6.0.5"), targettest.Standalone(n.own, "second", "6.0.5")
	for _, target := range []*benchv1alpha1.BenchmarkTarget{first, second} {
		n.make(n.client, target)
		said := n.eventually(target, benchv1alpha1.TargetReady, benchv1alpha1.ReasonQueued)
		if strings.Contains(said, n.theirs) || strings.Contains(said, "theirs") || !strings.Contains(said, "in line for") {
			t.Errorf("a waiting target is told %q", said)
		}
		if n.made(target) > 0 || target.Status.ProvisioningStartTime != nil {
			t.Errorf("%s is deployed, since %v, while another is measured", target.Name, target.Status.ProvisioningStartTime)
		}
	}

	n.patch(n.theirRun, `{"spec":{"cancel":true}}`)
	n.eventually(first, benchv1alpha1.TargetReady, benchv1alpha1.ReasonPodsStarting)
	n.eventually(second, benchv1alpha1.TargetReady, benchv1alpha1.ReasonQueued)

	// A run that waits for a target has its place with it; so both go on beside a target that nobody waits for when
	// that is gone.
	run := n.run(n.own, "user")
	run.Spec.TargetRef.Name = second.Name
	n.make(n.client, run)
	n.eventually(run, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonQueued)
	if err := environment.Client.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	n.eventually(run, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted)
	n.eventually(second, benchv1alpha1.TargetReady, benchv1alpha1.ReasonPodsStarting)
}

// TestTheTargetOfARunThatIsAdmittedIsDeployedAtOnce, whoever else waits.
func TestTheTargetOfARunThatIsAdmittedIsDeployedAtOnce(t *testing.T) {
	n := newTenant(t)
	other := targettest.Standalone(n.theirs, "other", "6.0.5")
	n.make(environment.Client, other)
	n.eventually(other, benchv1alpha1.TargetReady, benchv1alpha1.ReasonQueued)
	wanted := targettest.Standalone(n.theirs, "shared", "6.0.5") // The run that is admitted refers to it.
	n.make(environment.Client, wanted)
	n.eventually(wanted, benchv1alpha1.TargetReady, benchv1alpha1.ReasonPodsStarting)
	if n.eventually(other, benchv1alpha1.TargetReady, benchv1alpha1.ReasonQueued); n.made(other) > 0 {
		t.Error("a target that nobody is measured on is deployed meanwhile")
	}
	n.eventually(n.theirRun, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted)
}

// TestNamespacesTakeTurns has one namespace make many runs before another makes its first.
func TestNamespacesTakeTurns(t *testing.T) {
	n := newTenant(t) // One run of theirs is admitted, and one of ours waits.
	many := []*benchv1alpha1.BenchmarkRun{n.run(n.theirs, "a"), n.run(n.theirs, "b"), n.run(n.theirs, "c")}
	for _, run := range many {
		n.make(environment.Client, run)
		n.eventually(run, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonQueued)
	}
	late := n.run(n.own, "z") // Of two of one second the lesser name comes first.
	n.make(n.client, late)
	n.eventually(late, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonQueued)
	g := gomega.NewWithT(t)
	for _, next := range []*benchv1alpha1.BenchmarkRun{n.theirRun, n.ownRun, many[0], late, many[1], many[2]} {
		n.eventually(next, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted)
		for _, other := range append([]*benchv1alpha1.BenchmarkRun{late}, many...) {
			g.Expect(environment.Client.Get(t.Context(), client.ObjectKeyFromObject(other), other)).To(gomega.Succeed())
			ended := condition.IsFalse(other.Status.Conditions, benchv1alpha1.RunSucceeded)
			if other.UID != next.UID && !ended && condition.IsTrue(other.Status.Conditions, benchv1alpha1.RunAdmitted) {
				t.Fatalf("%s is admitted while it is the turn of %s", other.Name, next.Name)
			}
		}
		n.patch(next, `{"spec":{"cancel":true}}`)
	}
}
