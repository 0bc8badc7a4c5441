package desired

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// OfRun is the metadata of an object that a run makes.
func OfRun(run *benchv1alpha1.BenchmarkRun, name string, component naming.Component) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: run.Namespace, Labels: naming.ForRun(run.Name, component)}
}

// Account is who the pods of a Job are, and what they may do to ConfigMaps; nothing else.
func Account(meta metav1.ObjectMeta, rules ...rbacv1.PolicyRule) []Object {
	return []Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: meta.Name, Namespace: meta.Namespace}},
		},
	}
}

// ConfigMaps are the rights of an Account to some, by their names.
func ConfigMaps(names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{corev1.GroupName}, Resources: []string{"configmaps"}, ResourceNames: names, Verbs: verbs,
	}
}
