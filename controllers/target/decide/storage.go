package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// keyfileRoom is more than the longest key, on a volume in memory.
var keyfileRoom = resource.MustParse("1Mi")

func onEmptyDir(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Storage != nil && spec.Storage.Medium != nil &&
		*spec.Storage.Medium == benchv1alpha1.StorageMediumEmptyDir
}

// volumeClaims ask for a volume for each member. They go with the StatefulSet.
func volumeClaims(t *benchv1alpha1.BenchmarkTarget) []corev1.PersistentVolumeClaim {
	if onEmptyDir(t.Spec) {
		return nil
	}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: dataVolume, Labels: naming.ForTarget(t.Name, naming.ComponentMongod)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: storageSize(t.Spec)},
			},
		},
	}
	if t.Spec.Storage != nil {
		claim.Spec.StorageClassName = t.Spec.Storage.StorageClassName
	}
	return []corev1.PersistentVolumeClaim{claim}
}

// memberVolumes are the volumes of a member that are not claimed.
func memberVolumes(t *benchv1alpha1.BenchmarkTarget) []corev1.Volume {
	volumes := []corev1.Volume{
		secretAt(secretVolume, naming.KeyfileSecret(t.Name)),
		emptyDir(keyfileVolume, corev1.EmptyDirVolumeSource{
			Medium: corev1.StorageMediumMemory, SizeLimit: &keyfileRoom,
		}),
		emptyDir(tmpVolume, corev1.EmptyDirVolumeSource{}),
		emptyDir(dataVolume, corev1.EmptyDirVolumeSource{SizeLimit: new(storageSize(t.Spec))}),
	}
	if !onEmptyDir(t.Spec) {
		volumes = volumes[:len(volumes)-1] // The data lies on the volume that is claimed.
	}
	return volumes
}

func emptyDir(name string, source corev1.EmptyDirVolumeSource) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &source}}
}

func secretAt(volume, secret string) corev1.Volume {
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: new(secretMode)},
	}}
}
