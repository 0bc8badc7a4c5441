package mongodb

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	keyfileVolume = "keyfile"
	secretVolume  = "keyfile-secret"
	tlsVolume     = "certificate"
)

// keyfileRoom is more than the longest key and certificate, on a volume in memory.
var keyfileRoom = resource.MustParse("1Mi")

// Pod implements product.Product.
func (MongoDB) Pod(m product.Member) corev1.PodSpec {
	files := securityFiles(m.Target)
	container := corev1.Container{
		Name:            naming.MongodContainer,
		Image:           m.Images.Server(m.Target.Spec),
		Resources:       m.Set.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		Ports:           product.ContainerPorts(MongoDB{}.Ports(m.Target.Spec)),
		StartupProbe:    product.StartupProbe(m.Target.Spec),
		ReadinessProbe:  product.ReadinessProbe(),
		VolumeMounts:    slices.Concat(m.Set.DataMounts(), files.Mounts),
	}
	if routes(m.Set) {
		container.Name, container.Args = naming.MongosContainer, mongosFlags(m.Target)
		if sharded := m.Target.Spec.Sharded; sharded != nil && sharded.Mongos != nil && sharded.Mongos.Image != nil {
			container.Image = *sharded.Mongos.Image
		}
	} else {
		container.Args = mongodFlags(m.Target.Spec, m.Set)
	}
	container.Command = []string{container.Name}
	return corev1.PodSpec{
		SecurityContext: podspec.PodSecurity(podspec.MongodUser),
		InitContainers:  securityContainers(m),
		Containers:      []corev1.Container{container},
		Volumes:         slices.Concat(m.Set.DataVolumes(), files.Volumes),
	}
}

// needsFiles says whether a member needs files that its user alone can read.
func needsFiles(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return !product.WithoutUsers(spec) || product.Encrypted(spec)
}

// securityFlags are the arguments of mongod and mongos by which they know each other and whoever connects. Clients have
// no certificate: they log in with a password.
func securityFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	var flags []string
	if !product.WithoutUsers(spec) {
		flags = append(flags, "--keyFile", naming.MongodKeyfilePath+"/"+naming.KeyfileKey)
	}
	modes := map[benchv1alpha1.TLSMode]string{
		benchv1alpha1.TLSPreferred: "preferTLS", benchv1alpha1.TLSRequired: "requireTLS",
	}
	if mode, ok := modes[product.TLSMode(spec)]; ok {
		flags = append(flags,
			"--tlsMode", mode,
			"--tlsCertificateKeyFile", naming.MongodKeyfilePath+"/"+naming.CertificateFile,
			"--tlsCAFile", naming.CAPath+"/"+naming.CAKey,
			"--tlsAllowConnectionsWithoutCertificates")
	}
	return flags
}

// securityContainers bring a member its files before it starts. mongod refuses a key that its group can read, and a
// Secret's volume gives no other kind to a user that is not root; and it wants a certificate and its key in one file.
func securityContainers(m product.Member) []corev1.Container {
	t := m.Target
	if !needsFiles(t.Spec) {
		return nil
	}
	arguments := []string{"keyfile"}
	mounts := []corev1.VolumeMount{{Name: keyfileVolume, MountPath: naming.MongodKeyfilePath}}
	if !product.WithoutUsers(t.Spec) {
		arguments = append(arguments,
			"--from", naming.KeyfileSecretPath+"/"+naming.KeyfileKey,
			"--to", naming.MongodKeyfilePath+"/"+naming.KeyfileKey)
		mounts = append(mounts, product.ReadOnly(secretVolume, naming.KeyfileSecretPath))
	}
	if product.Encrypted(t.Spec) {
		arguments = append(arguments,
			"--certificate", naming.CertificatePath, "--pem", naming.MongodKeyfilePath+"/"+naming.CertificateFile)
		mounts = append(mounts, product.ReadOnly(tlsVolume, naming.CertificatePath))
	}
	return []corev1.Container{{
		Name:            naming.KeyfileContainer,
		Image:           m.Images.Loadgen,
		Args:            arguments,
		Resources:       m.Set.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    mounts,
	}}
}

// securityFiles are the volumes of the above, and where a member finds its files.
func securityFiles(t *benchv1alpha1.BenchmarkTarget) product.Files {
	var files product.Files
	if !product.WithoutUsers(t.Spec) {
		files.Volumes = append(files.Volumes, product.SecretVolume(secretVolume, naming.KeyfileSecret(t.Name)))
	}
	if product.Encrypted(t.Spec) {
		files.Volumes = append(files.Volumes, product.SecretVolume(tlsVolume, naming.TLSSecret(t.Name)))
		files.Authority(t.Name)
	}
	if needsFiles(t.Spec) {
		files.Volumes = append(files.Volumes, product.EmptyDir(keyfileVolume, corev1.EmptyDirVolumeSource{
			Medium: corev1.StorageMediumMemory, SizeLimit: &keyfileRoom,
		}))
		files.Mounts = slices.Insert(files.Mounts, 0, product.ReadOnly(keyfileVolume, naming.MongodKeyfilePath))
	}
	return files
}
