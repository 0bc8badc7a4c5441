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
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// clientName is what sessions say that they send by.
const clientName = "wire, routed by the client"

// Target is several deployments, each of them a shard.
type Target struct {
	shards []*mongo.Target
}

var (
	_ loadgen.Target    = (*Target)(nil)
	_ loadgen.Keeper    = (*Target)(nil)
	_ loadgen.Sizer     = (*Target)(nil)
	_ loadgen.Actor     = (*Target)(nil)
	_ loadgen.Estimator = (*Target)(nil)
)

// Driver routes to shards.
var Driver = driver.Driver{
	Database: mongo.Database,
	Takes:    func(config driver.Config) bool { return len(config.URIs) > 1 },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, mongo.Configs(config))
	},
}

// Open connects to the shards, shard0 first, and makes sure that they answer.
func Open(ctx context.Context, configs []mongo.Config) (*Target, error) {
	if err := checkShards(len(configs)); err != nil {
		return nil, err
	}
	t := &Target{shards: make([]*mongo.Target, len(configs))}
	err := t.each(ctx, func(ctx context.Context, shard int, _ *mongo.Target) (err error) {
		t.shards[shard], err = mongo.Open(ctx, configs[shard])
		return err
	})
	if err != nil {
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

// gather asks all shards at a time, and returns what each has answered, and the first error.
func gather[T any](
	ctx context.Context, t *Target, ask func(context.Context, *mongo.Target) (T, error),
) ([]T, error) {
	answers := make([]T, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		answers[shard], err = ask(ctx, target)
		return err
	})
	return answers, err
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
	servers, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) (reportv1.Server, error) {
		return target.Describe(ctx)
	})
	if err != nil {
		return reportv1.Server{}, err
	}
	whole := servers[0]
	whole.Topology, whole.Router = string(benchv1alpha1.TopologySharded), string(benchv1alpha1.RouterClient)
	whole.Shards, whole.Members = len(servers), 0
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

// Servers are the members, as they are observed.
func (t *Target) Servers(ctx context.Context) ([]observe.Server, error) {
	return observe.AsServers(t.Members(ctx))
}

// Members returns the servers of all shards. What was opened of others is closed when one fails.
func (t *Target) Members(ctx context.Context) ([]*members.Member, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]*members.Member, error) {
		return target.Members(ctx)
	})
	members := slices.Concat(found...)
	if err == nil {
		return members, nil
	}
	for _, member := range members {
		member.Disconnect(ctx)
	}
	return nil, err
}

// Act carries out an action on the shard that it names, or on all where it is about no member.
func (t *Target) Act(ctx context.Context, database string, action planv1.Action) (loadgen.Acted, error) {
	if err := checkAction(action, len(t.shards)); err != nil {
		return loadgen.Acted{}, err
	}
	switch action.Type {
	case benchv1alpha1.ActionCreateIndex, benchv1alpha1.ActionDropIndex, benchv1alpha1.ActionReconnect:
		return loadgen.Acted{}, t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
			_, err := target.Act(ctx, database, action)
			return err
		})
	default:
	}
	shard := action.Shard
	// The shard itself knows of no others.
	action.Shard = 0
	done, err := t.shards[shard].Act(ctx, database, action)
	return done, of(shard, err)
}

// Partition ends what is open to a member of a shard once it is cut off.
func (t *Target) Partition(ctx context.Context, action planv1.Action, member string, request func() error) error {
	if err := checkAction(action, len(t.shards)); err != nil {
		return err
	}
	shard := action.Shard
	action.Shard = 0
	return of(shard, t.shards[shard].Partition(ctx, action, member, request))
}

// Prepare makes the collection on all shards.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	collection.Sharding = nil // What spreads it is not a shard's matter.
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Prepare(ctx, database, collection)
	})
}

// Create makes a collection that is missing, on all shards.
func (t *Target) Create(ctx context.Context, database string, collection planv1.Collection) error {
	collection.Sharding = nil
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Create(ctx, database, collection)
	})
}

// Index makes the indexes on all shards, and as mongos does one on the shard key, unless one that begins with it, or
// the one on _id, is there.
func (t *Target) Index(ctx context.Context, database string, collection planv1.Collection) error {
	if collection.Sharding != nil && !hasIndex(collection) {
		index := planv1.Index{Keys: collection.Sharding.Key}
		collection.Indexes = append(slices.Clone(collection.Indexes), index)
	}
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Index(ctx, database, collection)
	})
}

// hasIndex says whether an index begins with the shard key.
func hasIndex(collection planv1.Collection) bool {
	key := collection.Sharding.Key
	byID := []planv1.IndexKey{{Field: "_id", Order: "1"}}
	return slices.Equal(key, byID) || slices.ContainsFunc(collection.Indexes, func(index planv1.Index) bool {
		return len(index.Keys) >= len(key) && slices.Equal(index.Keys[:len(key)], key)
	})
}

// Count adds up the documents of all shards.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	return sum(gather(ctx, t, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Count(ctx, database, collection)
	}))
}

// Estimate adds up what the shards say.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	return sum(gather(ctx, t, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Estimate(ctx, database, collection)
	}))
}

func sum(counts []int64, err error) (int64, error) {
	var total int64
	for _, count := range counts {
		total += count
	}
	return total, err
}

// Read returns the documents of all shards with these values of _id: what lies on two of them comes twice.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]bson.Raw, error) {
		return target.Read(ctx, database, collection, ids)
	})
	return slices.Concat(found...), err
}

// Mark returns the mark of the dataset, which the first shard has.
func (t *Target) Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error) {
	mark, err := t.shards[0].Mark(ctx, database)
	return mark, of(0, err)
}

// SetMark writes the mark to the first shard.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	return of(0, t.shards[0].SetMark(ctx, database, mark))
}

// Claim returns the claim of the database, which the first shard has.
func (t *Target) Claim(ctx context.Context, database string) (*loadgen.Claim, error) {
	claim, err := t.shards[0].Claim(ctx, database)
	return claim, of(0, err)
}

// SetClaim replaces the claim on the first shard.
func (t *Target) SetClaim(ctx context.Context, database string, held, next *loadgen.Claim) (bool, error) {
	changed, err := t.shards[0].SetClaim(ctx, database, held, next)
	return changed, of(0, err)
}

// Holds returns the collections that any of the shards has.
func (t *Target) Holds(ctx context.Context, database string) ([]string, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]string, error) {
		return target.Holds(ctx, database)
	})
	names := slices.Concat(found...)
	slices.Sort(names)
	return slices.Compact(names), err
}

// Sizes of the collections, of each shard in turn.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]reportv1.CollectionSize, error) {
		return target.Sizes(ctx, database, collections)
	})
	for shard := range found {
		for i := range found[shard] {
			found[shard][i].Shard = shardName(shard)
		}
	}
	return slices.Concat(found...), err
}

// Balancing is never: documents stay where they were written.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
