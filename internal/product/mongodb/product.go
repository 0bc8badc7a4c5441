package mongodb

import (
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// MongoDB is MongoDB, and what is deployed like it.
type MongoDB struct{}

// Traits implements product.Product.
func (MongoDB) Traits() product.Traits {
	return product.Traits{
		Product:         benchv1alpha1.ProductMongoDB,
		Program:         naming.MongodContainer,
		ImageRepository: "docker.io/library/mongo",
		Component:       naming.ComponentMongod,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
		},
		MembersTalk: true,
		Concerns:    true,
		Actions:     true,
	}
}

// DefaultClient implements product.Product. It is Wire where the load generator routes, and for servers that MongoDB's
// driver does not speak to.
func (MongoDB) DefaultClient(target benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.Client {
	version := target.Version()
	old := version != "" && !mongod.ParseRelease(version).AtLeast(mongod.OldestOfDriver)
	if routedByClient(target) || old || mongod.Engine(target) == benchv1alpha1.EngineTokuMX {
		return benchv1alpha1.ClientWire
	}
	return benchv1alpha1.ClientApplication
}

// Normalise implements product.Product.
func (MongoDB) Normalise(target *benchv1alpha1.BenchmarkTargetSpec) {
	declared := target.MongoDB
	product.Default(&declared.Provider, benchv1alpha1.ProviderOperator)
	switch target.Topology() {
	case benchv1alpha1.TopologyReplicaSet:
		defaultReplicaSet(declared.ReplicaSet)
	case benchv1alpha1.TopologySharded:
		defaultSharded(declared.Sharded)
	default:
		product.Section(&declared.Standalone)
	}
	name := mongod.Engine(*target)
	if name == mongod.EngineOfItsTime {
		return
	}
	engine := product.Section(&declared.Engine)
	engine.Name = &name
	switch name {
	case benchv1alpha1.EngineWiredTiger:
		settings := product.Section(&engine.WiredTiger)
		product.Default(&settings.Type, benchv1alpha1.WiredTigerBTree)
		product.Default(&settings.IndexPrefixCompression, benchv1alpha1.Enabled)
		product.Default(&settings.Journal, benchv1alpha1.Enabled)
	case benchv1alpha1.EngineTokuMX:
		product.Default(&product.Section(&engine.TokuMX).DirectIO, benchv1alpha1.Disabled)
	default:
	}
}

// defaultSharded fills in the parts of a sharded cluster. With a router Client there are no mongos and no config
// servers.
func defaultSharded(sharded *benchv1alpha1.ShardedSpec) {
	product.Default(&sharded.Shards, benchv1alpha1.DefaultShards)
	product.Default(&sharded.MembersPerShard, benchv1alpha1.DefaultMembersPerShard)
	product.Default(&sharded.Router, benchv1alpha1.RouterMongos)
	if *sharded.Router != benchv1alpha1.RouterMongos {
		return
	}
	mongos := product.Section(&sharded.Mongos)
	product.Default(&mongos.Replicas, benchv1alpha1.DefaultMongosReplicas)
	product.Resources(&mongos.Resources, benchv1alpha1.DefaultMongosResources)
	servers := product.Section(&sharded.ConfigServers)
	product.Default(&servers.Kind, benchv1alpha1.ConfigServersDedicated)
	product.Default(&servers.Members, benchv1alpha1.DefaultConfigMembers)
	product.Resources(&servers.Resources, benchv1alpha1.DefaultConfigResources)
	product.Default(&product.Section(&sharded.Balancer).Mode, benchv1alpha1.BalancerDisabled)
}

// Ports implements product.Product.
func (MongoDB) Ports(benchv1alpha1.BenchmarkTargetSpec) []product.Port {
	return []product.Port{{Name: "mongodb", Short: "mongodb", Number: naming.MongodPort}}
}

// Secrets are the keyfile and the passwords of all users; none without authentication. The administrator is for people.
func (MongoDB) Secrets(t *benchv1alpha1.BenchmarkTarget, fresh product.Credentials) []product.Secret {
	if product.WithoutUsers(t.Spec) {
		return nil
	}
	return []product.Secret{
		{Name: naming.KeyfileSecret(t.Name), Data: map[string][]byte{naming.KeyfileKey: fresh.Keyfile}},
		product.Login(naming.AdminSecret(t.Name), product.AdminUser, fresh.AdminPassword),
		product.Login(naming.LoadSecret(t.Name), product.LoadUser, fresh.LoadPassword),
		product.Login(naming.ObserverSecret(t.Name), product.ObserverUser, fresh.ObserverPassword),
		product.Login(naming.ActionSecret(t.Name), product.ActionUser, fresh.ActionPassword),
	}
}

// Connection names a replica set, so that the driver finds its primary; routers are not named, and one server alone is
// spoken to as it is.
func (MongoDB) Connection(t *benchv1alpha1.BenchmarkTarget) benchv1alpha1.TargetConnection {
	var found benchv1alpha1.TargetConnection
	for _, s := range sets(t.Spec) {
		switch {
		case t.Spec.Topology() == benchv1alpha1.TopologyStandalone:
			found.URI = new(connectionString(t, s, url.Values{"directConnection": {"true"}}))
		case t.Spec.Topology() == benchv1alpha1.TopologyReplicaSet:
			found.URI = new(connectionString(t, s, url.Values{"replicaSet": {s.Name}}))
		case routedByClient(t.Spec):
			found.ShardURIs = append(found.ShardURIs, connectionString(t, s, url.Values{"replicaSet": {s.Name}}))
		case routes(s):
			found.URI = new(connectionString(t, s, url.Values{}))
		}
	}
	if !product.WithoutUsers(t.Spec) {
		found.CredentialsSecretName = new(naming.LoadSecret(t.Name))
		found.ObserverCredentialsSecretName = new(naming.ObserverSecret(t.Name))
		found.ActionCredentialsSecretName = new(naming.ActionSecret(t.Name))
	}
	if product.Encrypted(t.Spec) {
		found.CASecretName = new(naming.TLSSecret(t.Name))
	}
	return found
}

func connectionString(t *benchv1alpha1.BenchmarkTarget, s product.Set, options url.Values) string {
	if product.Encrypted(t.Spec) {
		options.Set("tls", "true")
	}
	uri := url.URL{Scheme: "mongodb", Host: strings.Join(s.Hosts(t), ","), Path: "/", RawQuery: options.Encode()}
	return uri.String()
}

// Sets implements product.Product.
func (MongoDB) Sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set { return sets(spec) }

func sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	if spec.Topology() == benchv1alpha1.TopologySharded {
		return shardedSets(spec)
	}
	only := dataSet(spec, naming.ReplicaSet, planv1alpha1.RoleData)
	if spec.Topology() != benchv1alpha1.TopologyReplicaSet {
		return []product.Set{only}
	}
	only.Members = int(*spec.MongoDB.ReplicaSet.Members)
	if ptr.Deref(spec.MongoDB.ReplicaSet.Arbiters, 0) == 0 {
		return []product.Set{only}
	}
	return []product.Set{only, arbiterSet(spec)}
}

func shardedSets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	sharded := spec.MongoDB.Sharded
	shards := int(*sharded.Shards)
	all := make([]product.Set, 0, shards+2)
	for i := range shards {
		shard := dataSet(spec, naming.ShardSet(i), planv1alpha1.RoleShard)
		shard.Part = "members of shards"
		shard.Members = int(*sharded.MembersPerShard)
		all = append(all, shard)
	}
	if routedByClient(spec) {
		return all
	}
	if *sharded.ConfigServers.Kind == benchv1alpha1.ConfigServersShard {
		all[0].Role = planv1alpha1.RoleConfigShard
	} else {
		all = append(all, configSet(spec, *sharded.ConfigServers))
	}
	mongos := sharded.Mongos
	return append(all, product.Set{
		Name: naming.MongosSet, Component: naming.ComponentMongos, Part: "mongos",
		Members:   int(*mongos.Replicas),
		Resources: podspec.Resources(*mongos.Resources),
	})
}

func dataSet(spec benchv1alpha1.BenchmarkTargetSpec, name string, role planv1alpha1.SetRole) product.Set {
	made := product.DataSet(spec, name, naming.ComponentMongod)
	made.Role = role
	made.Volatile = inMemory(spec)
	made.CacheMebibytes = mongod.CacheMebibytes(spec, *made.Resources.Limits.Memory())
	return made
}

// configSet are the config servers. They are not what is measured: what a target says of its engine is not for them,
// they do not take the memory of the node, and their volumes are no larger than the default.
func configSet(spec benchv1alpha1.BenchmarkTargetSpec, declared benchv1alpha1.ConfigServersSpec) product.Set {
	made := product.Set{
		Name: naming.ConfigSet, Role: planv1alpha1.RoleConfig, Component: naming.ComponentConfig, Part: "config servers",
		Members:  int(*declared.Members),
		Volume:   product.VolumeOf(spec),
		Volatile: inMemory(spec),
	}
	if made.Volume.Medium == product.MediumMemory {
		made.Volume.Medium = product.MediumEmptyDir
	}
	if made.Volume.Size.Cmp(benchv1alpha1.DefaultStorageSize) > 0 {
		made.Volume.Size = benchv1alpha1.DefaultStorageSize.DeepCopy()
	}
	made.Resources = made.Volume.Resources(*declared.Resources)
	made.CacheMebibytes = mongod.CacheMebibytes(plainly(spec.Version()), *made.Resources.Limits.Memory())
	return made
}

// plainly is a target of this version without any settings.
func plainly(version string) benchv1alpha1.BenchmarkTargetSpec {
	return benchv1alpha1.BenchmarkTargetSpec{MongoDB: &benchv1alpha1.MongoDBTarget{
		Deployment: benchv1alpha1.Deployment{Version: version},
	}}
}

// routes tells the routers, which keep nothing, from mongods.
func routes(s product.Set) bool { return s.Component == naming.ComponentMongos }

// routedByClient says whether the shards know nothing of each other: the load generator routes by itself.
func routedByClient(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	sharded := ptr.Deref(ptr.Deref(spec.MongoDB, benchv1alpha1.MongoDBTarget{}).Sharded, benchv1alpha1.ShardedSpec{})
	return ptr.Deref(sharded.Router, "") == benchv1alpha1.RouterClient
}

// inMemory says whether the data does not even outlive a process.
func inMemory(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	engine := mongod.Engine(spec)
	return engine == benchv1alpha1.EngineInMemory || engine == benchv1alpha1.EngineEphemeralForTest
}

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
		container.Name, container.Args = naming.MongosContainer, mongosFlags(m.Target, m.IPv6)
		if sharded := m.Target.Spec.MongoDB.Sharded; sharded != nil && sharded.Mongos != nil && sharded.Mongos.Image != nil {
			container.Image = *sharded.Mongos.Image
		}
	} else {
		container.Args = mongodFlags(m.Target.Spec, m.Set, m.IPv6)
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
