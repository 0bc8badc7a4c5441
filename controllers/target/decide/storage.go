package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	dataVolume = "data"
	tmpVolume  = "tmp"
)

// storageMedium is what the members of a set keep their data on. Config servers do not take the memory of the node:
// they are not what is measured, and their own limit has no room for it.
func storageMedium(spec benchv1alpha1.BenchmarkTargetSpec, s set) benchv1alpha1.StorageMedium {
	medium := benchv1alpha1.StorageMediumPersistentVolume
	if spec.Storage != nil {
		medium = ptr.Deref(spec.Storage.Medium, medium)
	}
	if medium == benchv1alpha1.StorageMediumMemory && s.role == planv1alpha1.RoleConfig {
		return benchv1alpha1.StorageMediumEmptyDir
	}
	return medium
}

// volumeSize is the size of what each member of a set keeps its data on. Config servers hold little, and get no more
// than the default.
func volumeSize(spec benchv1alpha1.BenchmarkTargetSpec, s set) resource.Quantity {
	size := benchv1alpha1.DefaultStorageSize
	if spec.Storage != nil && spec.Storage.Size != nil {
		size = *spec.Storage.Size
	}
	if s.role == planv1alpha1.RoleConfig && size.Cmp(benchv1alpha1.DefaultStorageSize) > 0 {
		size = benchv1alpha1.DefaultStorageSize
	}
	return size.DeepCopy()
}

// volumeClaims ask for a volume for each member. They go with the StatefulSet.
func volumeClaims(t *benchv1alpha1.BenchmarkTarget, s set) []corev1.PersistentVolumeClaim {
	if s.routes() || storageMedium(t.Spec, s) != benchv1alpha1.StorageMediumPersistentVolume {
		return nil
	}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: dataVolume, Labels: naming.ForTarget(t.Name, s.component)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: volumeSize(t.Spec, s)},
			},
		},
	}
	if t.Spec.Storage != nil {
		claim.Spec.StorageClassName = t.Spec.Storage.StorageClassName
	}
	return []corev1.PersistentVolumeClaim{claim}
}

// memberVolumes are the volumes of a member that are not claimed.
func memberVolumes(t *benchv1alpha1.BenchmarkTarget, s set) []corev1.Volume {
	volumes := []corev1.Volume{emptyDir(tmpVolume, corev1.EmptyDirVolumeSource{})}
	if s.routes() {
		return volumes
	}
	size := volumeSize(t.Spec, s)
	switch storageMedium(t.Spec, s) {
	case benchv1alpha1.StorageMediumEmptyDir:
		volumes = append(volumes, emptyDir(dataVolume, corev1.EmptyDirVolumeSource{SizeLimit: &size}))
	case benchv1alpha1.StorageMediumMemory:
		volumes = append(volumes, emptyDir(dataVolume, corev1.EmptyDirVolumeSource{
			Medium: corev1.StorageMediumMemory, SizeLimit: &size,
		}))
	case benchv1alpha1.StorageMediumPersistentVolume: // The claim is the volume.
	}
	return volumes
}

// memberMounts are where a member finds its volumes.
func memberMounts(s set) []corev1.VolumeMount {
	mounts := []corev1.VolumeMount{{Name: tmpVolume, MountPath: naming.TemporaryPath}}
	if !s.routes() {
		mounts = append(mounts, corev1.VolumeMount{Name: dataVolume, MountPath: naming.DataPath})
	}
	return mounts
}

func emptyDir(name string, source corev1.EmptyDirVolumeSource) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &source}}
}

func secretAt(volume, secret string) corev1.Volume {
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: new(secretMode)},
	}}
}
