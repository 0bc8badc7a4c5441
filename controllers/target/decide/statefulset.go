package decide

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// statefulSet deploys the members of a set. Its pods are replaced only when somebody deletes them: an operator of a
// later version must not restart a member in the midst of a measurement because its template would be another one
// today.
//
// The routers are one as well, though they keep nothing: a driver that knows each of them by a name of its own, rather
// than all of them by one address, spreads its connections over them evenly, and sends what belongs to a cursor to the
// one router that has it.
func statefulSet(t *benchv1alpha1.BenchmarkTarget, s product.Set, images product.Images) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: meta(t, naming.TargetStatefulSet(t.Name, s.Name), s.Component),
		Spec: appsv1.StatefulSetSpec{
			Replicas:    new(int32(s.Members)),
			ServiceName: naming.MembersService(t.Name),
			Selector:    &metav1.LabelSelector{MatchLabels: naming.SelectSet(t.Name, s.Name, s.Component)},
			// Members need each other to become ready: no member of any set waits for another to be started.
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
				WhenScaled:  appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
			},
			VolumeClaimTemplates: volumeClaims(t, s),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForMember(t.Name, s.Name, s.Component),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: memberPod(t, s, images),
			},
		},
	}
}
