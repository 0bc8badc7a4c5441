package topology

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
)

// configShard is the name that a cluster gives its config servers as a shard.
const configShard = "config"

// passingCodes are errors that will not last: a set that is about to elect a primary, or cannot be reached
// yet, and another operation on the same metadata.
var passingCodes = []int{
	// HostUnreachable, LockBusy, NetworkTimeout, ShutdownInProgress, ConflictingOperationInProgress.
	6, 46, 89, 91, 117,
	// FailedToSatisfyReadPreference, PrimarySteppedDown, NotWritablePrimary, NotPrimaryNoSecondaryOk,
	// NotPrimaryOrSecondary.
	133, 189, 10107, 13435, 13436,
	// InterruptedAtShutdown, InterruptedDueToReplStateChange.
	11600, 11602,
}

// joinShards makes one cluster of the sets, by commands each of which may be repeated. No chunk moves meanwhile, unless
// the topology wants it at the end.
func (b *builder) joinShards(ctx context.Context, router member) error {
	steps := []struct {
		doing string
		do    func(context.Context, member) error
	}{
		{"stopping the balancer", stopBalancer},
		{"setting the chunk size", b.setChunkSize},
		{"adding the shards", b.addShards},
		{"looking at the shards", b.checkShards},
		{"setting the balancer", b.setBalancer},
	}
	for _, step := range steps {
		err := poll(ctx, func() error { return unlessPassing(step.do(ctx, router)) })
		if err != nil {
			return fmt.Errorf("%s: %w", step.doing, err)
		}
	}
	return nil
}

// unlessPassing makes an error final that will be the same the next time.
func unlessPassing(err error) error {
	if err == nil || passing(err) {
		return err
	}
	return final{err}
}

// passing says whether an error may be gone when it is tried again.
func passing(err error) bool {
	var server mongo.ServerError
	if errors.As(err, &server) && slices.ContainsFunc(passingCodes, server.HasErrorCode) {
		return true
	}
	return mongo.IsNetworkError(err) || mongo.IsTimeout(err)
}

func stopBalancer(ctx context.Context, router member) error {
	_, err := router.admin(ctx, bson.D{{Key: "balancerStop", Value: 1}})
	return err
}

// setChunkSize comes before any collection: up to 5.0 a chunk is split by the size that holds when it is written.
func (b *builder) setChunkSize(ctx context.Context, router member) error {
	if b.topology.ChunkSizeMebibytes == 0 {
		return nil
	}
	return router.set(ctx, "chunksize", bson.D{{Key: "$set", Value: bson.D{
		{Key: "value", Value: b.topology.ChunkSizeMebibytes},
	}}})
}

// set changes one of the cluster's settings.
func (m member) set(ctx context.Context, name string, change bson.D) error {
	majority := options.Collection().SetWriteConcern(writeconcern.Majority())
	settings := m.client.Database(configDatabase).Collection("settings", majority)
	_, err := settings.UpdateByID(ctx, name, change, options.UpdateOne().SetUpsert(true))
	return err
}

func (b *builder) addShards(ctx context.Context, router member) error {
	present, err := shards(ctx, router)
	if err != nil {
		return err
	}
	for _, declared := range b.topology.Sets {
		var command bson.D
		switch {
		case declared.Role == planv1.RoleShard:
			command = bson.D{{Key: "addShard", Value: connectionString(declared)}, {Key: "name", Value: declared.Name}}
		case declared.Role == planv1.RoleConfigShard && present[configShard] == nil:
			command = bson.D{{Key: "transitionFromDedicatedConfigServer", Value: 1}}
		default:
			continue
		}
		if _, err := router.admin(ctx, command); err != nil {
			return fmt.Errorf("replica set %s: %w", declared.Name, err)
		}
	}
	return nil
}

// connectionString is how a cluster names the members of a set.
func connectionString(declared planv1.ReplicaSet) string {
	return declared.Name + "/" + strings.Join(declared.Members, ",")
}

// shards are the hosts of every shard, in order, by its name.
func shards(ctx context.Context, router member) (map[string][]string, error) {
	list, err := sharding.List(lookup.Admin(ctx, router.client))
	if err != nil {
		return nil, err
	}
	found := make(map[string][]string, len(list))
	for i, name := range sharding.Names(list) {
		found[name] = slices.Sorted(slices.Values(list[i].Hosts))
	}
	return found, nil
}

// checkShards makes sure that the cluster has the declared shards and no others.
func (b *builder) checkShards(ctx context.Context, router member) error {
	found, err := shards(ctx, router)
	if err != nil {
		return err
	}
	var wrong []error
	for _, declared := range b.topology.Sets {
		name := declared.Name
		switch declared.Role {
		case planv1.RoleConfig:
			continue
		case planv1.RoleConfigShard:
			name = configShard
		default:
		}
		hosts, want := found[name], slices.Sorted(slices.Values(declared.Members))
		delete(found, name)
		if hosts == nil {
			wrong = append(wrong, fmt.Errorf("shard %s is missing", name))
		} else if !slices.Equal(hosts, want) {
			wrong = append(wrong, fmt.Errorf("shard %s has the members %s, want %s", name,
				strings.Join(hosts, ","), strings.Join(want, ",")))
		}
	}
	for name, hosts := range found {
		wrong = append(wrong, fmt.Errorf("shard %s with the members %s is not of this target; remove it (removeShard), "+
			"or give the target config servers of its own", name, strings.Join(hosts, ",")))
	}
	return errors.Join(wrong...)
}

// balancerMode is the declared one; none is Disabled.
func (b *builder) balancerMode() benchv1alpha1.BalancerMode {
	return cmp.Or(b.topology.Balancer.Mode, benchv1alpha1.BalancerDisabled)
}

// setBalancer leaves the balancer as it is to be. It is stopped already.
func (b *builder) setBalancer(ctx context.Context, router member) error {
	balancer := b.topology.Balancer
	window := bson.D{{Key: "$unset", Value: bson.D{{Key: "activeWindow", Value: ""}}}}
	if balancer.Mode == benchv1alpha1.BalancerWindow {
		times := bson.D{{Key: "start", Value: balancer.Start}, {Key: "stop", Value: balancer.Stop}}
		window = bson.D{{Key: "$set", Value: bson.D{{Key: "activeWindow", Value: times}}}}
	}
	if err := router.set(ctx, "balancer", window); err != nil {
		return err
	}
	if b.balancerMode() == benchv1alpha1.BalancerDisabled {
		return nil
	}
	_, err := router.admin(ctx, bson.D{{Key: "balancerStart", Value: 1}})
	return err
}

// routerTimeout bounds one command to a mongos: it waits by itself for shards, up to 20 s for one that is not there.
const routerTimeout = time.Minute

// connectRouters waits until every mongos routes: until it says what it is and has read the shards from the config
// servers.
//
// It logs in as the administrator, who was made on the config servers and so is the whole cluster's: that is how people
// log in to a mongos, and it needs nothing that only MongoDB's own processes use.
func (b *builder) connectRouters(ctx context.Context) (members, error) {
	d := b.dialer("admin", b.secrets.Admin)
	d.timeout, d.greet = routerTimeout, member.routes
	return d.connect(ctx, b.topology.Mongos)
}

// routes returns an error while a server is no mongos that knows its shards.
func (m member) routes(ctx context.Context) error {
	hello, err := m.admin(ctx, lookup.IsMaster)
	if err != nil {
		return fmt.Errorf("mongos %s does not answer: %w", m.host, err)
	}
	if !lookup.IsMongos(hello) {
		return final{fmt.Errorf("server %s is no mongos", m.host)}
	}
	if _, err := m.admin(ctx, bson.D{{Key: "listShards", Value: 1}}); err != nil {
		return fmt.Errorf("mongos %s does not know its shards: %w", m.host, err)
	}
	return nil
}

// describeCluster says what was built behind mongos. A shard's member tells what all are like.
func (b *builder) describeCluster(ctx context.Context, router member, all sets) (reportv1.Server, error) {
	for _, s := range all {
		if s.Role == planv1.RoleConfig {
			continue
		}
		server, err := describe.Cluster(ctx, router.client, s.primary.client)
		if err != nil {
			return reportv1.Server{}, fmt.Errorf("asking mongos %s what the cluster is: %w", router.host, err)
		}
		return server, nil
	}
	return reportv1.Server{}, fmt.Errorf("the cluster of mongos %s is declared without shards", router.host)
}
