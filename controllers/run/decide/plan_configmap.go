package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// planConfigMap tells the load pods what to do. Its name holds a hash of the plan: another plan is another object.
func planConfigMap(run *benchv1alpha1.BenchmarkRun, plan []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.PlanConfigMap(run.Name, plan),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentPlan),
		},
		Data: map[string]string{naming.PlanKey: string(plan)},
	}
}
