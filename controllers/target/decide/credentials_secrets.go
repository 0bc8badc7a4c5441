package decide

import (
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// Names of the users that the topology Job makes.
const (
	adminUser = "root"
	loadUser  = "mongobench"
)

// adminSecret holds the credentials of the root user, for people.
func adminSecret(t *benchv1alpha1.BenchmarkTarget, existing *corev1.Secret, fresh Credentials) *corev1.Secret {
	return secret(t, naming.AdminSecret(t.Name), existing, map[string][]byte{
		naming.UsernameKey: []byte(adminUser), naming.PasswordKey: fresh.AdminPassword,
	})
}

// loadSecret holds the credentials of the user that the load generator works as.
func loadSecret(t *benchv1alpha1.BenchmarkTarget, existing *corev1.Secret, fresh Credentials) *corev1.Secret {
	return secret(t, naming.LoadSecret(t.Name), existing, map[string][]byte{
		naming.UsernameKey: []byte(loadUser), naming.PasswordKey: fresh.LoadPassword,
	})
}
