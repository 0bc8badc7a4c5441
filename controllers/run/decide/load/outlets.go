package load

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// outlets are what load pods write and send elsewhere while they measure. They are no part of the plan: nothing of what
// is measured depends on them.
func (p Pods) outlets(files *product.Files) (arguments []string) {
	generator := spec.LoadGenerator(p.Run.Spec.LoadGenerator)
	if logs := generator.Logs; logs != nil {
		arguments = append(arguments, p.logs(logs, files)...)
	}
	for i, receiver := range generator.Push {
		words := fmt.Sprintf("%s %s %s", receiver.Protocol, receiver.URL,
			time.Duration(*receiver.IntervalSeconds)*time.Second)
		if secret := receiver.HeadersSecretRef; secret != nil {
			number := strconv.Itoa(i)
			folder := path.Join(naming.PushPath, number)
			files.Secret("push-"+number, secret.Name, folder)
			words += " " + folder
		}
		arguments = append(arguments, "--push", words)
	}
	if len(generator.Push) > 0 {
		arguments = append(arguments, "--push-label", "namespace="+p.Run.Namespace, "--push-label", "run="+p.Run.Name)
		for _, name := range slices.Sorted(maps.Keys(generator.PushLabels)) {
			arguments = append(arguments, "--push-label", name+"="+string(generator.PushLabels[name]))
		}
	}
	return arguments
}

// uidLength is how much of a run's UID the folder of its logs has: a run that is made again with its name has another.
const uidLength = 8

// logs mounts the volume of the logs, and names the files.
func (p Pods) logs(logs *benchv1alpha1.LoadLogs, files *product.Files) (arguments []string) {
	const volume = "logs"
	claim := logs.PersistentVolumeClaim
	files.Volumes = append(files.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.ClaimName},
	}})
	files.Mounts = append(files.Mounts, corev1.VolumeMount{Name: volume, MountPath: naming.LogsPath})
	uid := string(p.Run.UID)
	own := p.Run.Name + "-" + uid[:min(len(uid), uidLength)]
	name := path.Join(naming.LogsPath, ptr.Deref(claim.Path, ""), own, "pod-{pod}.")
	if slices.Contains(logs.Kinds, benchv1alpha1.LogHistograms) {
		arguments = append(arguments, "--histogram-log", name+"hlog")
	}
	if slices.Contains(logs.Kinds, benchv1alpha1.LogOperations) {
		ending := "csv"
		if *logs.Format == benchv1alpha1.LogNDJSON {
			ending = "ndjson"
		}
		arguments = append(arguments, "--operation-log", name+ending,
			"--operation-log-samples", strconv.Itoa(int(*logs.SamplesPerSecond)))
	}
	return arguments
}
