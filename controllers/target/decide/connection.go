package decide

import (
	"fmt"
	"net/url"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// connection says how a load generator reaches the target. A replica set is named, so that the driver finds its
// primary; routers are not, and one server alone is spoken to as it is.
func connection(t *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.TargetConnection {
	if from := uriSecret(t); from != nil {
		found := &benchv1alpha1.TargetConnection{URISecretRef: from}
		switch {
		case deploysMariaDB(t.Spec):
			found.ObserverCredentialsSecretName = new(naming.ObserverSecret(t.Name))
		case ByCommunity(t.Spec):
			found.ObserverCredentialsSecretName = new(naming.ObserverSecret(t.Name))
			found.ActionCredentialsSecretName = new(naming.ActionSecret(t.Name))
		}
		return found
	}
	var found benchv1alpha1.TargetConnection
	for _, s := range sets(t.Spec) {
		switch {
		case t.Spec.Topology == benchv1alpha1.TopologyStandalone:
			found.URI = new(connectionString(t, s, url.Values{"directConnection": {"true"}}))
		case t.Spec.Topology == benchv1alpha1.TopologyReplicaSet:
			found.URI = new(connectionString(t, s, url.Values{"replicaSet": {s.name}}))
		case routedByClient(t.Spec):
			found.ShardURIs = append(found.ShardURIs, connectionString(t, s, url.Values{"replicaSet": {s.name}}))
		case s.routes():
			found.URI = new(connectionString(t, s, url.Values{}))
		}
	}
	secureConnection(t, &found)
	return &found
}

func connectionString(t *benchv1alpha1.BenchmarkTarget, s set, options url.Values) string {
	if encrypted(t.Spec) {
		options.Set("tls", "true")
	}
	uri := url.URL{Scheme: "mongodb", Host: strings.Join(s.hosts(t), ","), Path: "/", RawQuery: options.Encode()}
	return uri.String()
}

func readyMessage(t *benchv1alpha1.BenchmarkTarget) string {
	if ByCommunity(t.Spec) {
		return fmt.Sprintf("replica set %s of %d members is ready", t.Name, members(t.Spec))
	}
	switch t.Spec.Topology {
	case benchv1alpha1.TopologyExternal:
		return "the database answers"
	case benchv1alpha1.TopologyStandalone:
		return "the server is ready"
	case benchv1alpha1.TopologySharded:
		return shardedMessage(sets(t.Spec))
	default:
		return fmt.Sprintf("replica set %s of %d members is ready", naming.ReplicaSet, members(t.Spec))
	}
}

func shardedMessage(all []set) string {
	holding, router := 0, "the load generator"
	for _, s := range all {
		switch {
		case s.holdsData():
			holding++
		case s.routes():
			router = fmt.Sprintf("%d mongos", s.members)
		}
	}
	of := counted(all[0].members)
	return fmt.Sprintf("shards: %d, each a replica set of %s, are ready behind %s", holding, of, router)
}

func counted(members int) string {
	if members == 1 {
		return "1 member"
	}
	return fmt.Sprintf("%d members", members)
}
