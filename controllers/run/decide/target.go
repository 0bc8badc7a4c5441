package decide

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// inlineTarget is the BenchmarkTarget of a run that declares its own.
func inlineTarget(run *benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkTarget {
	return &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{
			Name:      inlineTargetName(run),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentTarget),
		},
		Spec: *run.Spec.Target.DeepCopy(),
	}
}

func inlineTargetName(run *benchv1alpha1.BenchmarkRun) string { return naming.InlineTarget(run.Name) }
