package sharding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

// temporaryZone begins the names of the zones that only last while a collection is made.
const temporaryZone = "mongobench."

// cluster is a sharded deployment behind mongos.
type cluster struct {
	ask     lookup.Ask
	config  *driver.Database
	release mongod.Release
	// shards in the order of their indexes.
	shards []string
}

// findCluster looks at what the deployment is; nil is no sharded one.
func findCluster(ctx context.Context, client *driver.Client) (*cluster, error) {
	c := &cluster{ask: lookup.Admin(ctx, client), config: client.Database("config")}
	hello, err := c.ask(lookup.IsMaster)
	if err != nil || !lookup.IsMongos(hello) {
		return nil, err
	}
	build, err := c.ask(bson.D{{Key: "buildInfo", Value: 1}})
	if err != nil {
		return nil, err
	}
	c.release = mongod.ParseRelease(lookup.Text(build, "version"))
	shards, err := List(c.ask)
	if err != nil {
		return nil, err
	}
	c.shards = Names(shards)
	return c, nil
}

// createAttempts is how often an empty collection is made that lies other than it was to. What a load generator that
// was killed asked for last may still be carried out, with the zones of the next one half set.
const createAttempts = 3

// create makes an empty collection that lies on the shards as the plan says. It may be repeated where it was
// interrupted. What has documents already stays as it is, but for its zones.
func (c *cluster) create(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	wanted, err := newLayout(collection, c.shards, c.release)
	if err != nil {
		return err
	}
	ns, handle := database.Name()+"."+collection.Name, database.Collection(collection.Name)
	var wrong error
	for range createAttempts {
		if err := c.layOut(ctx, database, collection, wanted); err != nil {
			return err
		}
		chunks, err := Chunks(ctx, c.config, ns)
		if err != nil {
			return fmt.Errorf("reading its chunks: %w", err)
		}
		if wrong = wanted.check(chunks, c.shards); wrong == nil {
			return nil
		}
		if err := handle.FindOne(ctx, bson.D{}).Err(); !errors.Is(err, driver.ErrNoDocuments) {
			return err
		}
		if err := handle.Drop(ctx); err != nil {
			return errors.Join(wrong, fmt.Errorf("dropping it: %w", err))
		}
	}
	return fmt.Errorf("%w, in %d attempts; check whether something else changes its zones or moves its chunks", wrong,
		createAttempts)
}

// layOut shards a collection, or completes what an earlier start began.
func (c *cluster) layOut(
	ctx context.Context, database *driver.Database, collection planv1.Collection, wanted layout,
) error {
	ns := database.Name() + "." + collection.Name
	there, err := chunksOf(ctx, c.config, ns)
	if err != nil {
		return fmt.Errorf("asking whether it is sharded: %w", err)
	}
	if there == nil {
		err = c.shard(ctx, database, collection, wanted)
	}
	if err != nil {
		return err
	}
	return c.replaceZones(ctx, ns, wanted)
}

// shard makes the collection and lays it out, by zones that may be temporary.
func (c *cluster) shard(
	ctx context.Context, database *driver.Database, collection planv1.Collection, wanted layout,
) error {
	ns := database.Name() + "." + collection.Name
	if !c.release.AtLeast(mongod.Release{Major: 6}) {
		if err := c.run(bson.D{{Key: "enableSharding", Value: database.Name()}}); err != nil {
			return fmt.Errorf("allowing its database to be sharded: %w", err)
		}
	}
	if err := c.clearZones(ctx, ns); err != nil {
		return err
	}
	if err := schema.CreateMissing(ctx, database, collection); err != nil {
		return err
	}
	for i, zone := range wanted.before {
		if err := c.setZone(ctx, ns, zone.orTemporary(ns, i)); err != nil {
			return err
		}
	}
	command := bson.D{{Key: "shardCollection", Value: ns}, {Key: "key", Value: wanted.key}}
	if wanted.initialChunks > 0 {
		command = append(command, bson.E{Key: "numInitialChunks", Value: wanted.initialChunks})
	}
	if err := c.run(command); err != nil {
		return fmt.Errorf("sharding it: %w", err)
	}
	return nil
}

func (c *cluster) run(command bson.D) error {
	_, err := c.ask(command)
	return err
}

// orTemporary gives a zone that was not declared its name.
func (z zone) orTemporary(ns string, index int) zone {
	if z.name == "" {
		z.name = fmt.Sprintf("%s%s.%d", temporaryZone, ns, index)
	}
	return z
}

// replaceZones takes the temporary zones away and leaves those that were declared.
func (c *cluster) replaceZones(ctx context.Context, ns string, l layout) error {
	if len(l.before) == 0 || l.before[0].name != "" {
		return nil
	}
	if err := c.clearZones(ctx, ns); err != nil {
		return err
	}
	for _, zone := range l.after {
		if err := c.setZone(ctx, ns, zone); err != nil {
			return err
		}
	}
	return nil
}

// setZone gives a zone its shards, takes away others, and gives it its ranges.
func (c *cluster) setZone(ctx context.Context, ns string, z zone) error {
	for _, shard := range z.shards {
		add := bson.D{{Key: "addShardToZone", Value: shard}, {Key: "zone", Value: z.name}}
		if err := c.run(add); err != nil {
			return fmt.Errorf("giving zone %q shard %s: %w", z.name, shard, err)
		}
	}
	others := func(shard, zone string) bool { return zone == z.name && !slices.Contains(z.shards, shard) }
	if err := c.leave(ctx, z.name, others); err != nil {
		return err
	}
	for _, r := range z.ranges {
		if err := c.setRange(ns, r, z.name); err != nil {
			return fmt.Errorf("giving zone %q its range: %w", z.name, err)
		}
	}
	return nil
}

// setRange gives a range to a zone, or to none.
func (c *cluster) setRange(ns string, r keyRange, zone any) error {
	return c.run(bson.D{
		{Key: "updateZoneKeyRange", Value: ns},
		{Key: "min", Value: r.min},
		{Key: "max", Value: r.max},
		{Key: "zone", Value: zone},
	})
}

// leave takes shards out of zones: those that are in a zone of such a name and are meant.
func (c *cluster) leave(ctx context.Context, name any, meant func(shard, zone string) bool) error {
	found, err := lookup.All[struct {
		ID   string `bson:"_id"`
		Tags []string
	}](ctx, c.config.Collection("shards"), bson.D{{Key: "tags", Value: name}})
	if err != nil {
		return fmt.Errorf("reading the shards of zones: %w", err)
	}
	for _, shard := range found {
		for _, zone := range shard.Tags {
			if !meant(shard.ID, zone) {
				continue
			}
			if err := c.run(bson.D{{Key: "removeShardFromZone", Value: shard.ID}, {Key: "zone", Value: zone}}); err != nil {
				return fmt.Errorf("taking shard %s out of zone %q: %w", shard.ID, zone, err)
			}
		}
	}
	return nil
}

// zoneStillInUse is the server's code for a shard that cannot leave a zone that has a range (ZoneStillInUse).
const zoneStillInUse = 163

// clearZones takes all zones away from a collection. What a start that was interrupted asked for last may still be
// carried out meanwhile, and leave a range: then they are taken away once more.
func (c *cluster) clearZones(ctx context.Context, ns string) (err error) {
	for range createAttempts {
		if err = c.takeZones(ctx, ns); !errorclass.HasCode(err, zoneStillInUse) {
			return err
		}
	}
	return err
}

func (c *cluster) takeZones(ctx context.Context, ns string) error {
	found, err := lookup.All[struct{ Min, Max bson.D }](ctx, c.config.Collection("tags"), bson.D{{Key: "ns", Value: ns}})
	if err != nil {
		return fmt.Errorf("reading its zones: %w", err)
	}
	for _, of := range found {
		if err := c.setRange(ns, keyRange{of.Min, of.Max}, nil); err != nil {
			return fmt.Errorf("taking a range of its zones away: %w", err)
		}
	}
	// Its temporary zones end too, also those of a start that was interrupted.
	prefix := temporaryZone + ns + "."
	ofPrefix := bson.Regex{Pattern: "^" + regexp.QuoteMeta(prefix)}
	return c.leave(ctx, ofPrefix, func(_, zone string) bool { return strings.HasPrefix(zone, prefix) })
}

// chunksOf is the filter for the chunks of a collection, which up to 4.4 have its name, and later its UUID; nil for one
// that is not sharded.
func chunksOf(ctx context.Context, config *driver.Database, ns string) (bson.D, error) {
	document, err := config.Collection("collections").FindOne(ctx, bson.D{
		{Key: "_id", Value: ns}, {Key: "dropped", Value: bson.D{{Key: "$ne", Value: true}}},
	}).Raw()
	if errors.Is(err, driver.ErrNoDocuments) {
		return nil, nil
	}
	return bson.D{{Key: "$or", Value: bson.A{
		bson.D{{Key: "ns", Value: ns}}, bson.D{{Key: "uuid", Value: document.Lookup("uuid")}},
	}}}, err
}

// Chunks counts the chunks of a collection on each shard.
func Chunks(ctx context.Context, config *driver.Database, ns string) (map[string]int, error) {
	of, err := chunksOf(ctx, config, ns)
	if err != nil || of == nil {
		return nil, err
	}
	cursor, err := config.Collection("chunks").Aggregate(ctx, bson.A{
		bson.D{{Key: "$match", Value: of}},
		bson.D{{Key: "$sortByCount", Value: "$shard"}},
	})
	if err != nil {
		return nil, err
	}
	var found []struct {
		Shard string `bson:"_id"`
		Count int
	}
	err = cursor.All(ctx, &found)
	chunks := make(map[string]int, len(found))
	for _, shard := range found {
		chunks[shard.Shard] = shard.Count
	}
	return chunks, err
}

// Create makes a collection unless it is there, over the shards where it is to be and there are any.
func Create(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	if collection.Sharding == nil {
		return schema.CreateMissing(ctx, database, collection)
	}
	cluster, err := findCluster(ctx, database.Client())
	if err != nil {
		return fmt.Errorf("asking for the shards: %w", err)
	}
	if cluster == nil {
		return schema.CreateMissing(ctx, database, collection)
	}
	return cluster.create(ctx, database, collection)
}

// configShardName is what a cluster calls its config servers as a shard.
const configShardName = "config"

// Shard is a shard as a mongos lists it.
type Shard struct {
	name string
	// set is the name of its replica set, empty when it has none, and hosts are its members.
	set   string
	Hosts []string
}

// List are the shards of a cluster in the order of their indexes. Only a mongos knows them: any other server
// answers with an error.
func List(ask lookup.Ask) ([]Shard, error) {
	reply, err := ask(bson.D{{Key: "listShards", Value: 1}})
	if err != nil {
		return nil, err
	}
	listed := lookup.Documents(reply, "shards")
	shards := make([]Shard, 0, len(listed))
	for _, document := range listed {
		shards = append(shards, readShard(document))
	}
	slices.SortFunc(shards, func(a, b Shard) int { return ByIndex(a.name, b.name) })
	return shards, nil
}

// readShard reads a shard's address: "set/host,host", or one host that is in no set.
func readShard(document bson.Raw) Shard {
	set, hosts, isSet := strings.Cut(lookup.Text(document, "host"), "/")
	if !isSet {
		set, hosts = "", set
	}
	return Shard{name: lookup.Text(document, "_id"), set: set, Hosts: strings.Split(hosts, ",")}
}

// Names are those of shards.
func Names(shards []Shard) []string {
	names := make([]string, len(shards))
	for i, shard := range shards {
		names[i] = shard.name
	}
	return names
}

// ByIndex orders the names of shards by the numbers at their ends: a config shard is the first, and shard10 comes after
// shard9.
func ByIndex(a, b string) int {
	if (a == configShardName) != (b == configShardName) {
		if a == configShardName {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// ShardMembers are those of the shard with an index.
func ShardMembers(shards []Shard, index int) (set string, hosts []string, err error) {
	if index >= len(shards) {
		return "", nil, fmt.Errorf("there is no shard %d: the cluster has %d", index, len(shards))
	}
	shard := shards[index]
	if shard.set == "" {
		return "", nil, fmt.Errorf("shard %s at %s is no replica set", shard.name, strings.Join(shard.Hosts, ","))
	}
	return shard.set, slices.Sorted(slices.Values(shard.Hosts)), nil
}
