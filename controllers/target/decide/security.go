package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

const (
	keyfileVolume   = "keyfile"
	secretVolume    = "keyfile-secret"
	tlsVolume       = "certificate"
	authorityVolume = "authority"
)

// keyfileRoom is more than the longest key and certificate, on a volume in memory.
var keyfileRoom = resource.MustParse("1Mi")

// withoutUsers says whether the members know no authentication.
func withoutUsers(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Security != nil && ptr.Deref(spec.Security.Authentication, "") == benchv1alpha1.Disabled
}

// needsFiles says whether a member needs files that its user alone can read.
func needsFiles(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return !withoutUsers(spec) || encrypted(spec)
}

// securityObjects are the Secrets of a deployed target, and who may reach it.
func securityObjects(o Observation) ([]desired.Object, error) {
	all := credentialSecrets(o)
	if MakesCertificate(o.Target) {
		all = append(all, tlsSecret(o))
	}
	if behindNetworkPolicy(o.Target.Spec) {
		all = append(all, membersNetworkPolicy(o.Target))
	}
	asked, err := certificateObjects(o)
	return append(all, asked...), err
}

// securityFlags are the arguments of mongod and mongos by which they know each other and whoever connects. Clients have
// no certificate: they log in with a password.
func securityFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	var flags []string
	if !withoutUsers(spec) {
		flags = append(flags, "--keyFile", naming.MongodKeyfilePath+"/"+naming.KeyfileKey)
	}
	modes := map[benchv1alpha1.TLSMode]string{
		benchv1alpha1.TLSPreferred: "preferTLS", benchv1alpha1.TLSRequired: "requireTLS",
	}
	if mode, ok := modes[tlsMode(spec)]; ok {
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
func securityContainers(t *benchv1alpha1.BenchmarkTarget, s set, operator settings.Settings) []corev1.Container {
	if !needsFiles(t.Spec) {
		return nil
	}
	arguments := []string{"keyfile"}
	mounts := []corev1.VolumeMount{{Name: keyfileVolume, MountPath: naming.MongodKeyfilePath}}
	if !withoutUsers(t.Spec) {
		arguments = append(arguments,
			"--from", naming.KeyfileSecretPath+"/"+naming.KeyfileKey,
			"--to", naming.MongodKeyfilePath+"/"+naming.KeyfileKey)
		mounts = append(mounts, readOnly(secretVolume, naming.KeyfileSecretPath))
	}
	if encrypted(t.Spec) {
		arguments = append(arguments,
			"--certificate", naming.CertificatePath, "--pem", naming.MongodKeyfilePath+"/"+naming.CertificateFile)
		mounts = append(mounts, readOnly(tlsVolume, naming.CertificatePath))
	}
	return []corev1.Container{{
		Name:            naming.KeyfileContainer,
		Image:           operator.LoadgenImage,
		Args:            arguments,
		Resources:       s.resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    mounts,
	}}
}

// securityMounts are where a member finds its files.
func securityMounts(t *benchv1alpha1.BenchmarkTarget) []corev1.VolumeMount {
	var mounts []corev1.VolumeMount
	if needsFiles(t.Spec) {
		mounts = append(mounts, readOnly(keyfileVolume, naming.MongodKeyfilePath))
	}
	if encrypted(t.Spec) {
		mounts = append(mounts, readOnly(authorityVolume, naming.CAPath))
	}
	return mounts
}

// securityVolumes are the volumes of the above.
func securityVolumes(t *benchv1alpha1.BenchmarkTarget) []corev1.Volume {
	var volumes []corev1.Volume
	if !withoutUsers(t.Spec) {
		volumes = append(volumes, secretAt(secretVolume, naming.KeyfileSecret(t.Name)))
	}
	if encrypted(t.Spec) {
		volumes = append(volumes, secretAt(tlsVolume, naming.TLSSecret(t.Name)), authorityAt(t.Name))
	}
	if needsFiles(t.Spec) {
		volumes = append(volumes, emptyDir(keyfileVolume, corev1.EmptyDirVolumeSource{
			Medium: corev1.StorageMediumMemory, SizeLimit: &keyfileRoom,
		}))
	}
	return volumes
}

// authorityAt is the authority of a target's certificate, without the certificate's key.
func authorityAt(target string) corev1.Volume {
	volume := secretAt(authorityVolume, naming.TLSSecret(target))
	volume.Secret.Items = []corev1.KeyToPath{{Key: naming.CAKey, Path: naming.CAKey}}
	return volume
}

func readOnly(volume, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: volume, MountPath: path, ReadOnly: true}
}

// secureConnection names the Secrets that a load generator has to present or to trust.
func secureConnection(t *benchv1alpha1.BenchmarkTarget, found *benchv1alpha1.TargetConnection) {
	if !withoutUsers(t.Spec) {
		found.CredentialsSecretName = new(naming.LoadSecret(t.Name))
		found.ObserverCredentialsSecretName = new(naming.ObserverSecret(t.Name))
		found.ActionCredentialsSecretName = new(naming.ActionSecret(t.Name))
	}
	if encrypted(t.Spec) {
		found.CASecretName = new(naming.TLSSecret(t.Name))
	}
}
