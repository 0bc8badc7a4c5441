package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// podConfigMap is where one load pod writes its progress and its report. It is made empty, so that the pods need the
// right to change it and not the right to create.
func podConfigMap(run *benchv1alpha1.BenchmarkRun, index int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.PodConfigMap(run.Name, index),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentReport),
		},
	}
}
