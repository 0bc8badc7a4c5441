package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// keyfileSecret holds the key that the members know each other by, and the topology Job them.
func keyfileSecret(t *benchv1alpha1.BenchmarkTarget, existing *corev1.Secret, fresh Credentials) *corev1.Secret {
	return secret(t, naming.KeyfileSecret(t.Name), existing, map[string][]byte{naming.KeyfileKey: fresh.Keyfile})
}

// secret keeps the data of one that exists: it was generated once, and the members hold it.
func secret(
	t *benchv1alpha1.BenchmarkTarget, name string, existing *corev1.Secret, fresh map[string][]byte,
) *corev1.Secret {
	data := fresh
	if existing != nil {
		data = existing.Data
	}
	return &corev1.Secret{
		ObjectMeta: meta(t, name, naming.ComponentMongod),
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
}

func meta(t *benchv1alpha1.BenchmarkTarget, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: t.Namespace, Labels: naming.ForTarget(t.Name, component),
	}
}
