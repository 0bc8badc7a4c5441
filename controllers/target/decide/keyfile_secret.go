package decide

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/mongobench/mongobench-operator/internal/naming"
)

// keyfileSecret holds the key that the members know each other by, and the topology Job them.
func keyfileSecret(o Observation) *corev1.Secret {
	return secret(o, naming.KeyfileSecret(o.Target.Name), map[string][]byte{naming.KeyfileKey: o.Candidate.Keyfile})
}
