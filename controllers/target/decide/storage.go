package decide

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// volumeClaims ask for a volume for each member. They go with the StatefulSet.
func volumeClaims(t *benchv1alpha1.BenchmarkTarget, s product.Set) []corev1.PersistentVolumeClaim {
	if s.Volume == nil || s.Volume.Medium != benchv1alpha1.StorageMediumPersistentVolume {
		return nil
	}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: product.DataVolume, Labels: naming.ForTarget(t.Name, s.Component)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: s.Volume.Size},
			},
		},
	}
	if t.Spec.Storage != nil {
		claim.Spec.StorageClassName = t.Spec.Storage.StorageClassName
	}
	return []corev1.PersistentVolumeClaim{claim}
}
