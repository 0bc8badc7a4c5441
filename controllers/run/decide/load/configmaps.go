package load

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// PlanConfigMap tells the load pods what to do. Its name holds a hash of the plan: another plan is another object.
func PlanConfigMap(run *benchv1alpha1.BenchmarkRun, plan []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.PlanConfigMap(run.Name, plan),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentPlan),
		},
		Data: map[string]string{naming.PlanKey: string(plan)},
	}
}

// PodConfigMap is where one load pod writes its progress and its report. It is made empty, so that the pods need the
// right to change it and not the right to create.
func PodConfigMap(run *benchv1alpha1.BenchmarkRun, index int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.PodConfigMap(run.Name, index),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentReport),
		},
	}
}
