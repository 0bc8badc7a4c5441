package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// defaultClass marks the class that volumes get which name none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

// storage wants a default class that chooses a volume's place together with that of its pod.
func storage(o Observation) Finding {
	const check = "storage class"
	if o.Classes.Err != nil {
		return unseen(check, "the StorageClasses", o.Classes.Err)
	}
	const name = "name one in storage.storageClassName of targets, or take medium EmptyDir or Memory"
	byDefault := defaults(o.Classes.Value)
	if len(byDefault) == 0 {
		return warn(check, name, "none of %d is the default: targets that name none wait for a volume in vain",
			len(o.Classes.Value))
	}
	class := byDefault[0]
	what := fmt.Sprintf("%s of %s is the default", class.Name, class.Provisioner)
	if class.ReclaimPolicy != nil && *class.ReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
		what += "; it keeps volumes when a run is over (Retain), and you have to delete them yourself"
	}
	switch {
	case len(byDefault) > 1:
		names := make([]string, 0, len(byDefault))
		for _, class := range byDefault {
			names = append(names, class.Name)
		}
		return warn(check, "leave the mark on one of them", "%d are marked as the default, and the youngest counts: %s",
			len(byDefault), strings.Join(names, ", "))
	case class.VolumeBindingMode == nil || *class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer:
		return warn(check, name, "%s; it binds at once, so that a volume may lie where its member does not fit", what)
	default:
		return ok(check, "%s; it binds where the member is put (WaitForFirstConsumer)", what)
	}
}

// defaults are the classes that are marked, the one that counts first.
func defaults(all []storagev1.StorageClass) []storagev1.StorageClass {
	var marked []storagev1.StorageClass
	for i := range all {
		if all[i].Annotations[defaultClass] == "true" {
			marked = append(marked, all[i])
		}
	}
	slices.SortFunc(marked, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return marked
}
