package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// securityObjects are the Secrets of a deployed target, and who may reach it.
func securityObjects(o Observation) ([]desired.Object, error) {
	var all []desired.Object
	for _, made := range catalogue.Of(o.Target.Spec).Secrets(o.Target, o.Candidate) {
		all = append(all, secret(o, made.Name, made.Data))
	}
	if MakesCertificate(o.Target) {
		all = append(all, tlsSecret(o))
	}
	if behindNetworkPolicy(o.Target.Spec) {
		all = append(all, membersNetworkPolicy(o.Target))
	}
	asked, err := certificateObjects(o)
	return append(all, asked...), err
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

// dataComponent labels the members that hold the data, and all that belongs to the members together.
func dataComponent(spec benchv1alpha1.BenchmarkTargetSpec) naming.Component {
	return catalogue.Of(spec).Traits().Component
}

func meta(t *benchv1alpha1.BenchmarkTarget, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: t.Namespace, Labels: naming.ForTarget(t.Name, component),
	}
}
