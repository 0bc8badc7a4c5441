package load

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/mongobench/mongobench-operator/internal/naming"
)

// planVolume is the volume of the plan; the others are called like their Secrets.
const planVolume = "plan"

// secretMode lets the pod's group, which the load generator runs as, read what a Secret holds, and nobody else.
const secretMode = int32(0o440)

// loadSecret is a Secret that load pods are given, as files.
type loadSecret struct {
	// name of the volume, and of the Secret.
	name, secret string
	// key is the only one that they are given; empty: all.
	key string
	// path of the folder, and the argument that tells the load generator of it, or of the file of the key in it.
	path, argument string
}

// loadSecrets are the Secrets that the load pods need to reach the target, and no others.
func (p Pods) loadSecrets() []loadSecret {
	connection := p.Target.Status.Connection
	var secrets []loadSecret
	add := func(name *string, secret loadSecret) {
		if name != nil {
			secret.secret = *name
			secrets = append(secrets, secret)
		}
	}
	if from := connection.URISecretRef; from != nil {
		add(&from.Name, loadSecret{name: "uri", key: from.Key, path: naming.URIPath, argument: "--uri-file"})
	}
	add(connection.CredentialsSecretName,
		loadSecret{name: "credentials", path: naming.CredentialsPath, argument: "--credentials"})
	add(connection.ObserverCredentialsSecretName,
		loadSecret{name: "observer", path: naming.ObserverPath, argument: "--observer-credentials"})
	if p.Plan.NeedsCommands() {
		add(connection.ActionCredentialsSecretName,
			loadSecret{name: "action", path: naming.ActionPath, argument: "--action-credentials"})
	}
	add(connection.CASecretName,
		loadSecret{name: "ca", key: naming.CAKey, path: naming.CAPath, argument: "--tls-ca-file"})
	return secrets
}

// connectionArguments tell the load generator where the target is and how to log in, and whether it may take a database
// that holds something else: a deployment of the operator's own is there for nothing but benchmarks.
func (p Pods) connectionArguments() []string {
	connection := p.Target.Status.Connection
	var arguments []string
	if connection.URI != nil {
		arguments = append(arguments, "--uri", *connection.URI)
	}
	for _, shard := range connection.ShardURIs {
		arguments = append(arguments, "--uri", shard)
	}
	for _, secret := range p.loadSecrets() {
		arguments = append(arguments, secret.argument, path.Join(secret.path, secret.key))
	}
	if external := p.Target.Spec.External; external == nil || ptr.Deref(external.AllowExisting, false) {
		arguments = append(arguments, "--allow-existing")
	}
	return arguments
}

// loadVolumes hold the plan and those Secrets.
func (p Pods) loadVolumes() []corev1.Volume {
	secrets := p.loadSecrets()
	volumes := make([]corev1.Volume, 0, len(secrets)+1)
	volumes = append(volumes, corev1.Volume{Name: planVolume, VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: naming.PlanConfigMap(p.Run.Name, p.Encoded)},
		},
	}})
	for _, secret := range secrets {
		volumes = append(volumes, secret.volume())
	}
	return volumes
}

// loadMounts are where the load generator finds them.
func (p Pods) loadMounts() []corev1.VolumeMount {
	secrets := p.loadSecrets()
	mounts := make([]corev1.VolumeMount, 0, len(secrets)+1)
	mounts = append(mounts, corev1.VolumeMount{Name: planVolume, MountPath: naming.PlanPath, ReadOnly: true})
	for _, secret := range secrets {
		mounts = append(mounts, secret.mount())
	}
	return mounts
}

func (s loadSecret) volume() corev1.Volume {
	source := &corev1.SecretVolumeSource{SecretName: s.secret, DefaultMode: new(secretMode)}
	if s.key != "" {
		source.Items = []corev1.KeyToPath{{Key: s.key, Path: s.key}}
	}
	return corev1.Volume{Name: s.name, VolumeSource: corev1.VolumeSource{Secret: source}}
}

func (s loadSecret) mount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: s.name, MountPath: s.path, ReadOnly: true}
}
