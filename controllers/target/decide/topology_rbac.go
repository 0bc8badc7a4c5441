package decide

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

func topologyServiceAccount(t *benchv1alpha1.BenchmarkTarget) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology)}
}

// topologyRole lets the topology Job write its answer, and nothing else.
func topologyRole(t *benchv1alpha1.BenchmarkTarget) *rbacv1.Role {
	return &rbacv1.Role{
		ObjectMeta: meta(t, naming.TopologyJob(t.Name), naming.ComponentTopology),
		Rules: []rbacv1.PolicyRule{{
			APIGroups:     []string{corev1.GroupName},
			Resources:     []string{"configmaps"},
			ResourceNames: []string{naming.TopologyResultConfigMap(t.Name)},
			Verbs:         []string{"get", "patch"},
		}},
	}
}

func topologyRoleBinding(t *benchv1alpha1.BenchmarkTarget) *rbacv1.RoleBinding {
	name := naming.TopologyJob(t.Name)
	return &rbacv1.RoleBinding{
		ObjectMeta: meta(t, name, naming.ComponentTopology),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: t.Namespace}},
	}
}
