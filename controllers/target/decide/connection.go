package decide

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// connection says how a load generator reaches the target.
func connection(t *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.TargetConnection {
	switch {
	case ByCommunity(t.Spec):
		return &benchv1alpha1.TargetConnection{
			URISecretRef:                  uriSecret(t),
			ObserverCredentialsSecretName: new(naming.ObserverSecret(t.Name)),
			ActionCredentialsSecretName:   new(naming.ActionSecret(t.Name)),
		}
	case t.Spec.External != nil:
		return &benchv1alpha1.TargetConnection{URISecretRef: uriSecret(t)}
	default:
		return new(catalogue.Of(t.Spec).Connection(t))
	}
}

// uriSecret is the Secret that holds a target's connection string; nil where the operator writes the string itself.
func uriSecret(t *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.SecretKeyReference {
	switch {
	case t.Spec.External != nil:
		return t.Spec.External.URISecretRef.DeepCopy()
	case ByCommunity(t.Spec):
		return new(CommunityURI(t.Name))
	default:
		return catalogue.Of(t.Spec).Connection(t).URISecretRef
	}
}

func readyMessage(t *benchv1alpha1.BenchmarkTarget) string {
	if ByCommunity(t.Spec) {
		return fmt.Sprintf("replica set %s of %d members is ready", t.Name, memberCount(t.Spec))
	}
	switch t.Spec.Topology {
	case benchv1alpha1.TopologyExternal:
		return "the database answers"
	case benchv1alpha1.TopologyStandalone:
		return "the server is ready"
	case benchv1alpha1.TopologySharded:
		return shardedMessage(sets(t.Spec))
	default:
		return fmt.Sprintf("replica set %s of %d members is ready", naming.ReplicaSet, memberCount(t.Spec))
	}
}

// memberCount is the number of members of a target that is one set.
func memberCount(spec benchv1alpha1.BenchmarkTargetSpec) int {
	return catalogue.Of(spec).Sets(spec)[0].Members
}

func shardedMessage(all []product.Set) string {
	holding, router := 0, "the load generator"
	for _, s := range all {
		switch {
		case s.Measured:
			holding++
		case routes(s):
			router = fmt.Sprintf("%d mongos", s.Members)
		}
	}
	of := counted(all[0].Members)
	return fmt.Sprintf("shards: %d, each a replica set of %s, are ready behind %s", holding, of, router)
}

func counted(members int) string {
	if members == 1 {
		return "1 member"
	}
	return fmt.Sprintf("%d members", members)
}

// sets are all that a target consists of, in the order in which they are reported. What others deploy has none.
func sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	if spec.Topology == benchv1alpha1.TopologyExternal || ByCommunity(spec) {
		return nil
	}
	return catalogue.Of(spec).Sets(spec)
}

// preparesItself says whether a target is deployed by its own pods alone, so that the topology Job only looks at it.
func preparesItself(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Topology != benchv1alpha1.TopologyExternal && catalogue.Of(spec).Traits().PreparesItself
}

// waitsForServer says whether a server that prepares itself does not work yet, so that it cannot be looked at.
func waitsForServer(o Observation) bool {
	return preparesItself(o.Target.Spec) && len(readyMembers(o)) == 0
}

// routes tells the routers, which keep nothing.
func routes(s product.Set) bool { return s.Volume == nil }
