package mongodb

import (
	"net/url"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// MongoDB is MongoDB, and what is deployed like it.
type MongoDB struct{}

// Traits implements product.Product.
func (MongoDB) Traits() product.Traits {
	return product.Traits{
		Kind:            benchv1alpha1.TargetMongoDB,
		Program:         naming.MongodContainer,
		ImageRepository: "docker.io/library/mongo",
		Component:       naming.ComponentMongod,
		Clients: []benchv1alpha1.Client{
			benchv1alpha1.ClientAuto, benchv1alpha1.ClientWire, benchv1alpha1.ClientDriver,
		},
		MembersTalk: true,
		Concerns:    true,
		Actions:     true,
	}
}

// Normalise implements product.Product.
func (MongoDB) Normalise(target *benchv1alpha1.BenchmarkTargetSpec) {
	switch target.Topology {
	case benchv1alpha1.TopologyReplicaSet:
		product.Default(&product.Section(&target.ReplicaSet).Members, benchv1alpha1.DefaultMembers)
	case benchv1alpha1.TopologySharded:
		defaultSharded(product.Section(&target.Sharded))
	default:
	}
	name := mongod.Engine(*target)
	if name == mongod.EngineOfItsTime {
		return
	}
	engine := product.Section(&target.Engine)
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
	product.Default(&product.Section(&sharded.Balancer).Mode, benchv1alpha1.BalancerOff)
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
		case t.Spec.Topology == benchv1alpha1.TopologyStandalone:
			found.URI = new(connectionString(t, s, url.Values{"directConnection": {"true"}}))
		case t.Spec.Topology == benchv1alpha1.TopologyReplicaSet:
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
