package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Names of the users that the topology Job makes.
const (
	adminUser    = "root"
	loadUser     = "mongobench"
	observerUser = "mongobench-observer"
	actionUser   = "mongobench-action"
)

// Credentials are what the Secrets of a target hold.
type Credentials struct {
	Keyfile          []byte
	AdminPassword    []byte
	LoadPassword     []byte
	ObserverPassword []byte
	ActionPassword   []byte
	// HandlerSocketSecret is what clients of HandlerSocket say first.
	HandlerSocketSecret []byte
	// TLS is empty where it is not needed.
	TLS KeyPair
}

// credentialSecrets hold the keyfile and the passwords of all users; none without authentication. The administrator is
// for people.
func credentialSecrets(o Observation) []desired.Object {
	if withoutUsers(o.Target.Spec) {
		return nil
	}
	secrets := []desired.Object{keyfileSecret(o)}
	for _, user := range []struct {
		secret, name string
		password     []byte
	}{
		{naming.AdminSecret(o.Target.Name), adminUser, o.Candidate.AdminPassword},
		{naming.LoadSecret(o.Target.Name), loadUser, o.Candidate.LoadPassword},
		{naming.ObserverSecret(o.Target.Name), observerUser, o.Candidate.ObserverPassword},
		{naming.ActionSecret(o.Target.Name), actionUser, o.Candidate.ActionPassword},
	} {
		secrets = append(secrets, secret(o, user.secret, map[string][]byte{
			naming.UsernameKey: []byte(user.name), naming.PasswordKey: user.password,
		}))
	}
	return secrets
}

// secret keeps the data of one that exists: it was generated once, and the members hold it.
func secret(o Observation, name string, fresh map[string][]byte) *corev1.Secret {
	data := fresh
	if existing := o.Secrets[name]; existing != nil {
		data = existing.Data
	}
	return &corev1.Secret{
		ObjectMeta: meta(o.Target, name, dataComponent(o.Target.Spec)),
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
}

// dataComponent is the part that the members play which hold the data, and all that belongs to the members together.
func dataComponent(spec benchv1alpha1.BenchmarkTargetSpec) naming.Component {
	if benchv1alpha1.IsMariaDB(spec) {
		return naming.ComponentMariaDB
	}
	return naming.ComponentMongod
}

func meta(t *benchv1alpha1.BenchmarkTarget, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: t.Namespace, Labels: naming.ForTarget(t.Name, component),
	}
}
