package load

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

func loadMeta(run *benchv1alpha1.BenchmarkRun) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      naming.LoadJob(run.Name),
		Namespace: run.Namespace,
		Labels:    naming.ForRun(run.Name, naming.ComponentLoad),
	}
}

// ServiceAccount is who the load pods are.
func ServiceAccount(run *benchv1alpha1.BenchmarkRun) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: loadMeta(run)}
}

// Role is what they may do: read the gate, and write into the ConfigMaps that were made for them, by name.
func Role(run *benchv1alpha1.BenchmarkRun, pods int) *rbacv1.Role {
	own := make([]string, 0, pods)
	for i := range pods {
		own = append(own, naming.PodConfigMap(run.Name, i))
	}
	return &rbacv1.Role{
		ObjectMeta: loadMeta(run),
		Rules: []rbacv1.PolicyRule{
			{
				APIGroups: []string{""}, Resources: []string{"configmaps"},
				ResourceNames: []string{naming.GateConfigMap(run.Name)}, Verbs: []string{"get"},
			},
			{
				APIGroups: []string{""}, Resources: []string{"configmaps"},
				ResourceNames: own, Verbs: []string{"get", "patch"},
			},
		},
	}
}

// RoleBinding gives that to them.
func RoleBinding(run *benchv1alpha1.BenchmarkRun) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: loadMeta(run),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: naming.LoadJob(run.Name)},
		Subjects: []rbacv1.Subject{
			{Kind: rbacv1.ServiceAccountKind, Name: naming.LoadJob(run.Name), Namespace: run.Namespace},
		},
	}
}
