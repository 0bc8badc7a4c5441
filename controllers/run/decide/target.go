package decide

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// inlineTarget is the BenchmarkTarget of a run that declares its own.
func inlineTarget(run *benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{
			Name:      inlineTargetName(run),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentTarget),
		},
		Spec: spec.InlineTarget(run.Spec),
	}
}

// databaseClosed decides on a run whose database the load user of a shared target may not write.
func (v *view) databaseClosed() *Decision {
	if v.inline() || v.Target == nil || v.Target.Spec.Topology == benchv1alpha1.TopologyExternal || v.began() {
		return nil
	}
	open := spec.NormaliseTarget(v.Target.Spec).Databases
	if slices.Contains(open, v.plan.Database) {
		return nil
	}
	closed := field.Invalid(field.NewPath("spec", "dataset", "database"), v.plan.Database, fmt.Sprintf(
		"the load user of BenchmarkTarget %s may write %s only; name one of these, or declare it in the target's "+
			"spec.databases", v.Target.Name, strings.Join(open, ", ")))
	return &Decision{Leave: true, Status: rejected(&v.Observation, field.ErrorList{closed})}
}

func inlineTargetName(run *benchv1alpha1.BenchmarkRun) string { return naming.InlineTarget(run.Name) }
