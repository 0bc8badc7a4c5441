package shards

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
)

// clientName is what sessions say that they send by.
const clientName = "wire, routed by the client"

// routerName is what a report says of who routes.
const routerName = "Client"

// Target is several deployments, each of them a shard.
type Target struct {
	shards []*mongo.Target
}

var (
	_ loadgen.Target = (*Target)(nil)
	_ loadgen.Keeper = (*Target)(nil)
	_ loadgen.Sizer  = (*Target)(nil)
	_ loadgen.Actor  = (*Target)(nil)
)

// Open connects to the shards, shard0 first, and makes sure that they answer.
func Open(ctx context.Context, configs []mongo.Config) (*Target, error) {
	if err := checkShards(len(configs)); err != nil {
		return nil, err
	}
	t := &Target{shards: make([]*mongo.Target, len(configs))}
	group, opening := errgroup.WithContext(ctx)
	for shard, config := range configs {
		group.Go(func() error {
			opened, err := mongo.Open(opening, config)
			t.shards[shard] = opened
			return of(shard, err)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	return t, nil
}

func checkShards(shards int) error {
	if shards < 1 || shards > placement.MaxShards {
		return fmt.Errorf("there are %d connection strings, one a shard, and there can be 1 to %d", shards,
			placement.MaxShards)
	}
	return nil
}

// Close ends all connections.
func (t *Target) Close(ctx context.Context) error {
	return t.each(ctx, func(ctx context.Context, _ int, shard *mongo.Target) error {
		if shard == nil {
			return nil
		}
		return shard.Close(ctx)
	})
}

// each does something with all shards at a time, and returns the first error.
func (t *Target) each(ctx context.Context, do func(context.Context, int, *mongo.Target) error) error {
	group, working := errgroup.WithContext(ctx)
	for shard, target := range t.shards {
		group.Go(func() error { return of(shard, do(working, shard, target)) })
	}
	return group.Wait()
}

// shardName is how a shard is called in errors and reports.
func shardName(shard int) string {
	return "shard" + strconv.Itoa(shard)
}

// of says of an error which shard it is of.
func of(shard int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", shardName(shard), err)
}

// Driver says that the load generator routes.
func (t *Target) Driver() string {
	return clientName
}

// Describe returns what the first shard says of itself, with the members of all. It refuses shards of different
// versions: what they answer together would be of neither.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	servers := make([]reportv1.Server, len(t.shards))
	if err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		servers[shard], err = target.Describe(ctx)
		return err
	}); err != nil {
		return reportv1.Server{}, err
	}
	whole := servers[0]
	whole.Topology, whole.Shards, whole.Router, whole.Members = "Sharded", len(servers), routerName, 0
	different := false
	versions := make([]string, 0, len(servers))
	for shard, server := range servers {
		if server.Shards > 0 {
			return reportv1.Server{}, of(shard, errors.New("it is a sharded cluster itself; give each shard's own replica set, "+
				"or one connection string to its mongos"))
		}
		whole.Members += server.Members
		different = different || server.Version != whole.Version
		versions = append(versions, shardName(shard)+" is "+server.Version)
	}
	if different {
		return reportv1.Server{}, fmt.Errorf("the shards are of different versions: %s; use servers of one version",
			strings.Join(versions, ", "))
	}
	return whole, nil
}

// Prepare makes the collections on all shards.
func (t *Target) Prepare(ctx context.Context, database string, collections []planv1.Collection) error {
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Prepare(ctx, database, unsharded(collections))
	})
}

// Create makes the collections that are missing, on all shards.
func (t *Target) Create(ctx context.Context, database string, collections []planv1.Collection) error {
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Create(ctx, database, unsharded(collections))
	})
}

// Index makes the indexes on all shards, and those on the shard keys that are not declared, as mongos does.
func (t *Target) Index(ctx context.Context, database string, collections []planv1.Collection) error {
	indexed := withShardKeys(collections)
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Index(ctx, database, indexed)
	})
}

// Count adds up the documents of all shards.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	return t.sum(ctx, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Count(ctx, database, collection)
	})
}

// sum adds up what all shards count.
func (t *Target) sum(
	ctx context.Context, count func(context.Context, *mongo.Target) (int64, error),
) (int64, error) {
	counts := make([]int64, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		counts[shard], err = count(ctx, target)
		return err
	})
	var sum int64
	for _, count := range counts {
		sum += count
	}
	return sum, err
}

// Read returns the documents of all shards with these values of _id: what lies on two of them comes twice.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	found := make([][]bson.Raw, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		found[shard], err = target.Read(ctx, database, collection, ids)
		return err
	})
	return slices.Concat(found...), err
}

// Classify names the class of an error.
func (t *Target) Classify(err error) string {
	return t.shards[0].Classify(err)
}

// Traffic is what went over the connections to all shards.
func (t *Target) Traffic() reportv1.Traffic {
	var sum reportv1.Traffic
	for _, target := range t.shards {
		one := target.Traffic()
		sum.BytesIn += one.BytesIn
		sum.BytesOut += one.BytesOut
		sum.Checkouts += one.Checkouts
		sum.CheckoutMicros += one.CheckoutMicros
		sum.MaxCheckoutMicros = max(sum.MaxCheckoutMicros, one.MaxCheckoutMicros)
	}
	return sum
}

// Members returns the servers of all shards. What was opened of others is closed when one fails.
func (t *Target) Members(ctx context.Context) ([]*members.Member, error) {
	found := make([][]*members.Member, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		found[shard], err = target.Members(ctx)
		return err
	})
	members := slices.Concat(found...)
	if err == nil {
		return members, nil
	}
	for _, member := range members {
		// What ends a connection has a time of its own.
		end := member.Close
		end()
	}
	return nil, err
}
