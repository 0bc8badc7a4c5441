package product

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

// Mebibyte is the unit of memory.
const Mebibyte = int64(1) << 20

// Set is a group of a target's pods that are made alike, by one StatefulSet: a replica set, a standalone, or the
// routers.
type Set struct {
	// Name is that of the replica set, and in the names of the set's objects.
	Name string
	// Role of the members in a cluster of MongoDB; empty for the routers.
	Role      planv1alpha1.SetRole
	Component naming.Component
	// Part is what messages call the members.
	Part    string
	Members int
	// Measured tells the members that are measured from config servers and routers.
	Measured  bool
	Resources corev1.ResourceRequirements
	// CacheMebibytes are filled by each member; 0 where there is no cache of a known size.
	CacheMebibytes int64
	// Volume is what each member keeps its data on; nil for the routers.
	Volume *Volume
	// Volatile says that the data does not even outlive a process.
	Volatile bool
}

// Medium is where a volume is.
type Medium string

const (
	// MediumPersistentVolume is a claim of the member.
	MediumPersistentVolume Medium = "PersistentVolume"
	// MediumEmptyDir is the disk of the member's node.
	MediumEmptyDir Medium = "EmptyDir"
	// MediumMemory is the memory of that node.
	MediumMemory Medium = "Memory"
)

// Volume is what a member keeps its data on.
type Volume struct {
	Medium Medium
	Size   resource.Quantity
	// Claim is that of a persistent volume; its size is above.
	Claim corev1.PersistentVolumeClaimSpec
}

// DataSet is a set of members that hold what is measured, with what the target declares of resources and storage.
// Members with cores of their own ask for as much as they may use: the kubelet gives whole cores only to the Guaranteed
// class.
func DataSet(spec benchv1alpha1.BenchmarkTargetSpec, name string, component naming.Component) Set {
	volume := VolumeOf(spec)
	deployment := spec.Deployment()
	resources := volume.Resources(*deployment.Resources)
	if *deployment.Placement.Pinning == benchv1alpha1.PinningExclusive {
		maps.Copy(resources.Requests, resources.Limits)
	}
	return Set{
		Name: name, Component: component, Part: "members", Members: 1, Measured: true, Resources: resources,
		Volume: volume,
	}
}

// VolumeOf is the volume that a target declares for each member.
func VolumeOf(spec benchv1alpha1.BenchmarkTargetSpec) *Volume {
	storage := spec.Deployment().Storage
	if directory := storage.EmptyDir; directory != nil {
		medium := MediumEmptyDir
		if directory.Medium == corev1.StorageMediumMemory {
			medium = MediumMemory
		}
		return &Volume{Medium: medium, Size: directory.SizeLimit.DeepCopy()}
	}
	claim := storage.VolumeClaimTemplate.Spec
	return &Volume{
		Medium: MediumPersistentVolume, Size: claim.Resources.Requests.Storage().DeepCopy(), Claim: *claim.DeepCopy(),
	}
}

// Resources are those of a member that keeps its data on the volume: one on the disk of its node is room that the node
// has to have.
func (v Volume) Resources(declared corev1.ResourceRequirements) corev1.ResourceRequirements {
	if v.Medium == MediumEmptyDir {
		return podspec.DiskResources(declared, v.Size)
	}
	return podspec.Resources(declared)
}

// VolumeBytes is what a member's volume may take of its memory limit: nothing, unless it is in memory.
func VolumeBytes(spec benchv1alpha1.BenchmarkTargetSpec) int64 {
	deployment := spec.Deployment()
	if deployment == nil || deployment.Storage == nil || deployment.Storage.EmptyDir == nil {
		return 0
	}
	volume := VolumeOf(spec)
	if volume.Medium != MediumMemory {
		return 0
	}
	return volume.Size.Value()
}

// Hosts are the addresses of the members at a port.
func (s Set) Hosts(t *benchv1alpha1.BenchmarkTarget) []string {
	hosts := make([]string, 0, s.Members)
	for i := range s.Members {
		hosts = append(hosts, naming.MemberHost(t.Name, t.Namespace, s.Name, i))
	}
	return hosts
}

// Pods are the names of the members' pods.
func (s Set) Pods(t *benchv1alpha1.BenchmarkTarget) []string {
	names := make([]string, 0, s.Members)
	for i := range s.Members {
		names = append(names, naming.MemberPod(t.Name, s.Name, i))
	}
	return names
}

// Group is the sets of a target whose members play the same part.
type Group struct {
	// Set is the first of them; all have members alike.
	Set
	// Sets and Count are the numbers of sets and of members.
	Sets, Count int
}

// Groups joins sets whose members play the same part; such sets follow each other.
func Groups(sets []Set) []Group {
	var all []Group
	for i, s := range sets {
		if i == 0 || s.Component != sets[i-1].Component {
			all = append(all, Group{Set: s})
		}
		last := &all[len(all)-1]
		last.Sets, last.Count = last.Sets+1, last.Count+s.Members
	}
	return all
}

// KeptApart says whether no two members of a set may share a node. Routers are no replica set: any of them may be lost.
func (s Set) KeptApart(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return *spec.Deployment().Placement.Spread == benchv1alpha1.SpreadRequired && s.Members > 1 && s.Volume != nil
}

// MembersPerNode is the most members with measured data that one node may hold; 0 is no limit.
func MembersPerNode(spec benchv1alpha1.BenchmarkTargetSpec) int {
	return int(ptr.Deref(spec.Deployment().Placement.MembersPerNode, 0))
}

// StartupProbe asks every second, so that no second is lost, and gives up no sooner than the target does: a member that
// recovers its journal must not be restarted, and neither a shard or router that does not even listen while its config
// servers are down. There is no liveness probe, since a server that fails ends by itself.
func StartupProbe(spec benchv1alpha1.BenchmarkTargetSpec) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1,
		FailureThreshold: *spec.ProvisioningSeconds(),
	}
}

// ReadinessProbe asks seldom: each time is a connection to the server that is being measured. The kubelet asks the
// first time as soon as the startup probe has succeeded.
func ReadinessProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 10, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// connectProbe opens a connection. A shell that speaks to the server would take half a core of the server's own CPU.
func connectProbe() corev1.ProbeHandler {
	return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(naming.MongodPort)}}
}

const (
	// DataVolume is the volume of a member's data.
	DataVolume = "data"
	tmpVolume  = "tmp"
	// SecretMode lets only the pod's user and group read what is mounted from a Secret or ConfigMap.
	SecretMode = int32(0o440)
)

// DataVolumes are the volumes of each member that are not claimed.
func (s Set) DataVolumes() []corev1.Volume {
	temporary := EmptyDir(tmpVolume, corev1.EmptyDirVolumeSource{})
	if s.Volume == nil || s.Volume.Medium == MediumPersistentVolume {
		return []corev1.Volume{temporary} // The claim is the volume.
	}
	source := corev1.EmptyDirVolumeSource{SizeLimit: &s.Volume.Size}
	if s.Volume.Medium == MediumMemory {
		source.Medium = corev1.StorageMediumMemory
	}
	return []corev1.Volume{temporary, EmptyDir(DataVolume, source)}
}

// DataMounts are where each member finds them.
func (s Set) DataMounts() []corev1.VolumeMount {
	mounts := []corev1.VolumeMount{{Name: tmpVolume, MountPath: naming.TemporaryPath}}
	if s.Volume != nil {
		mounts = append(mounts, corev1.VolumeMount{Name: DataVolume, MountPath: naming.DataPath})
	}
	return mounts
}

// EmptyDir is a volume that goes with its pod.
func EmptyDir(name string, source corev1.EmptyDirVolumeSource) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &source}}
}

// SecretVolume is a volume with the named keys of a Secret; without names with all.
func SecretVolume(name, secret string, keys ...string) corev1.Volume {
	source := &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: new(SecretMode)}
	for _, key := range keys {
		source.Items = append(source.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: source}}
}

// ReadOnly mounts a volume that a container may not write.
func ReadOnly(volume, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: volume, MountPath: path, ReadOnly: true}
}

// Files are what a container finds in volumes that it may not write.
type Files struct {
	Volumes []corev1.Volume
	Mounts  []corev1.VolumeMount
}

// ConfigMap adds all of a ConfigMap, with this mode unless it is nil.
func (f *Files) ConfigMap(volume, name, path string, mode *int32) {
	f.Volumes = append(f.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: name}, DefaultMode: mode,
		},
	}})
	f.Mounts = append(f.Mounts, ReadOnly(volume, path))
}

// Claim adds a volume that is there already, and not the pod's own.
func (f *Files) Claim(volume, claim, path string) {
	f.Volumes = append(f.Volumes, corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim, ReadOnly: true},
	}})
	f.Mounts = append(f.Mounts, ReadOnly(volume, path))
}

// Secret adds the named keys of a Secret; without names all.
func (f *Files) Secret(volume, secret, path string, keys ...string) {
	f.Volumes = append(f.Volumes, SecretVolume(volume, secret, keys...))
	f.Mounts = append(f.Mounts, ReadOnly(volume, path))
}

// Authority adds the authority of a target's certificate, without the certificate's key.
func (f *Files) Authority(target string) {
	f.Secret("authority", naming.TLSSecret(target), naming.CAPath, naming.CAKey)
}

// ClientCertificate adds the certificate that the load generator shows, and returns the arguments that say so.
func (f *Files) ClientCertificate(secret string) []string {
	f.Secret("client", secret, naming.ClientPath, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	return []string{"--tls-client-certificate", naming.ClientPath}
}

// ContainerPorts are ports as a container declares them.
func ContainerPorts(ports []Port) []corev1.ContainerPort {
	declared := make([]corev1.ContainerPort, 0, len(ports))
	for _, port := range ports {
		declared = append(declared, corev1.ContainerPort{
			Name: port.Short, ContainerPort: port.Number, Protocol: corev1.ProtocolTCP,
		})
	}
	return declared
}
