package decide

import (
	"strings"
	"testing"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestThePlanHasTheDurabilityOfASharedTarget: what the target says counts, whoever made it.
func TestThePlanHasTheDurabilityOfASharedTarget(t *testing.T) {
	w := newWorld(t)
	refer(w)
	shareTarget(w)
	w.Target.Spec.MongoDB.Durability = new(benchv1alpha1.DurabilitySynced)
	v, err := look(&w.Observation)
	if err != nil {
		t.Fatal(err)
	}
	want := spec.CompileNormal(spec.NormaliseOn(w.Run.Spec, w.Target.Spec))
	if v.load.Plan.Durability != "Synced" || v.load.Hash != hashOf(t, want) {
		t.Errorf("durability %q in plan %s, want that of the target in %s",
			v.load.Plan.Durability, v.load.Hash, hashOf(t, want))
	}
	w.Target = nil
	if v, err = look(&w.Observation); err != nil || v.load.Plan.Durability != "" {
		t.Errorf("without the target the plan says %q, error %v", v.load.Plan.Durability, err)
	}
}

func hashOf(t *testing.T, plan planv1alpha1.Plan) string {
	t.Helper()
	encoded, err := planv1alpha1.Encode(plan)
	if err != nil {
		t.Fatal(err)
	}
	return planv1alpha1.Hash(encoded)
}

// TestATargetOfALaterVersionIsRefused: of such a target nothing is left that this version can read.
func TestATargetOfALaterVersionIsRefused(t *testing.T) {
	w := newWorld(t)
	refer(w)
	shareTarget(w)
	w.Target.Spec = benchv1alpha1.BenchmarkTargetSpec{}
	w.settle()
	if got := w.status(benchv1alpha1.RunAccepted); got != "False Invalid" ||
		!strings.Contains(w.describe(), "spec.targetRef.name") || !strings.Contains(w.describe(), "upgrade the operator") {
		t.Errorf("Accepted is %s:\n%s", got, w.describe())
	}
}

func TestWhatASharedMariaDBCannotDoIsRefused(t *testing.T) {
	w := newWorld(t)
	refer(w)
	shareTarget(w)
	w.Target.Spec = targettest.MariaDB("", "").Spec
	w.Run.Spec.Workload.Steps[0].Operations[0].Kind = benchv1alpha1.OperationAggregate
	w.Run.Spec.Workload.Steps[0].Operations[0].Pipeline = "[]"
	w.settle()
	if got := w.status(benchv1alpha1.RunAccepted); got != "False Invalid" ||
		!strings.Contains(w.describe(), "spec.workload.steps[0].operations[0].kind: Forbidden: with MariaDB") {
		t.Errorf("Accepted is %s:\n%s", got, w.describe())
	}
}
