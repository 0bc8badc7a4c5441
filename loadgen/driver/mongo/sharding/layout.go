package sharding

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

// hashedOrder is the order of a hashed key.
const hashedOrder = "hashed"

// layout is how a collection is brought onto the shards:
//
//	zones before    ranges with a shard for each: the empty collection is made with one chunk for each of them
//	zones after     those that were declared and stay; the same as before, unless there are split points
type layout struct {
	key           bson.D
	initialChunks int
	before, after []zone
	// wanted is the number of chunks of each shard; nil where the server decides.
	wanted map[string]int
	// even says that the server deals them out evenly, and total is how many; 0 is its own number.
	even  bool
	total int
}

// zone is a name for shards, and the ranges of the key that are to lie on them.
type zone struct {
	name   string
	shards []string
	ranges []keyRange
}

// keyRange is from min on up to max, which is not in it.
type keyRange struct {
	min, max bson.D
}

// newLayout works out how a collection of a cluster with these shards, in the order of their indexes, is made.
func newLayout(collection planv1.Collection, shards []string, server mongod.Release) (layout, error) {
	sharding := *collection.Sharding
	if err := possible(collection, server); err != nil {
		return layout{}, err
	}
	l := layout{key: schema.OrderedKeys(sharding.Key), initialChunks: sharding.InitialChunks}
	declared, err := declaredZones(sharding, shards)
	if err != nil {
		return layout{}, err
	}
	l.after = declared
	switch {
	case len(sharding.SplitPoints) > 0:
		err = l.split(sharding, shards)
	case len(declared) > 0:
		l.before = declared
	case sharding.Key[0].Order == hashedOrder:
		l.even = true
		if !server.AtLeast(mongod.Release{Major: 7, Minor: 2}) {
			l.total = sharding.InitialChunks
		}
	default:
		err = l.split(sharding, shards)
	}
	return l, err
}

// shardable says why a collection with such options cannot be sharded.
func shardable(collection planv1.Collection) error {
	switch {
	case collection.CappedBytes > 0:
		return errors.New("a capped collection cannot be sharded; leave out options.capped or sharding")
	case collection.TimeSeries != nil:
		return errors.New("a time-series collection is not sharded by the load generator; leave out sharding, and it lies " +
			"on one shard")
	case collection.Collation != nil && collection.Collation.Locale != planv1.SimpleLocale:
		return errors.New("a collection with a collation is not sharded by the load generator; leave out options.collation " +
			"or sharding")
	default:
		return nil
	}
}

// possible says why a collection cannot be sharded as it is declared, whatever the shards.
func possible(collection planv1.Collection, server mongod.Release) error {
	sharding := collection.Sharding
	hashed := slices.IndexFunc(sharding.Key, func(k planv1.IndexKey) bool { return k.Order == hashedOrder })
	if err := shardable(collection); err != nil {
		return err
	}
	switch {
	case hashed >= 0 && len(sharding.Key) > 1 && !server.AtLeast(mongod.Release{Major: 4, Minor: 4}):
		return fmt.Errorf("a shard key of several fields, one of them Hashed, needs MongoDB 4.4, and this is %s", server)
	case sharding.InitialChunks > 0 && hashed != 0:
		return errors.New("initialChunks need a shard key whose first field is Hashed; use splitPoints")
	case sharding.InitialChunks > 0 && len(sharding.Zones) > 0:
		return errors.New("with zones the collection begins with one chunk for each; leave out initialChunks")
	default:
		return nil
	}
}

// declaredZones are those of the plan with the names of their shards.
func declaredZones(sharding planv1.Sharding, shards []string) ([]zone, error) {
	zones := make([]zone, 0, len(sharding.Zones))
	for _, declared := range sharding.Zones {
		z := zone{name: declared.Name}
		for _, index := range declared.Shards {
			if index >= len(shards) {
				return nil, fmt.Errorf("zone %q is on shard %d, and the target has the shards 0 to %d",
					declared.Name, index, len(shards)-1)
			}
			z.shards = append(z.shards, shards[index])
		}
		lower, err := bound(sharding, declared.Min, bson.MinKey{})
		if err != nil {
			return nil, fmt.Errorf("zone %q: min: %w", declared.Name, err)
		}
		upper, err := bound(sharding, declared.Max, bson.MaxKey{})
		if err != nil {
			return nil, fmt.Errorf("zone %q: max: %w", declared.Name, err)
		}
		z.ranges = []keyRange{{lower, upper}}
		zones = append(zones, z)
	}
	return zones, nil
}

// end is the whole shard key at one of its ends.
func end(sharding planv1.Sharding, value any) bson.D {
	key := make(bson.D, len(sharding.Key))
	for i, field := range sharding.Key {
		key[i] = bson.E{Key: field.Field, Value: value}
	}
	return key
}

// bound is the whole shard key at a value of its first field, or at an end where there is none.
func bound(sharding planv1.Sharding, text string, otherwise any) (bson.D, error) {
	if text == "" {
		return end(sharding, otherwise), nil
	}
	value, err := extjson.Parse(text)
	if err != nil {
		return nil, err
	}
	if number, ok := value.(int32); ok && sharding.Key[0].Order == hashedOrder {
		// A hash is a number of 64 bits, and the server takes no other.
		value = int64(number)
	}
	key := end(sharding, bson.MinKey{})
	key[0].Value = value
	return key, nil
}

// split deals the ranges between split points to the shards in turn, and those of a declared zone to its own.
func (l *layout) split(sharding planv1.Sharding, shards []string) error {
	owners, err := owners(sharding, shards)
	if err != nil {
		return err
	}
	bounds := []bson.D{end(sharding, bson.MinKey{})}
	for i, point := range sharding.SplitPoints {
		key, err := bound(sharding, point, nil)
		if err != nil {
			return fmt.Errorf("split point %d: %w", i+1, err)
		}
		bounds = append(bounds, key)
	}
	bounds = append(bounds, end(sharding, bson.MaxKey{}))
	l.wanted = map[string]int{}
	byShard := map[string]*zone{}
	for i, shard := range owners {
		if byShard[shard] == nil {
			byShard[shard] = &zone{shards: []string{shard}}
		}
		byShard[shard].ranges = append(byShard[shard].ranges, keyRange{bounds[i], bounds[i+1]})
		l.wanted[shard]++
	}
	for _, shard := range shards {
		if z := byShard[shard]; z != nil {
			l.before = append(l.before, *z)
		}
	}
	return nil
}

// owners are the shards of the ranges between split points.
func owners(sharding planv1.Sharding, shards []string) ([]string, error) {
	owners := make([]string, len(sharding.SplitPoints)+1)
	for _, declared := range sharding.Zones {
		from, to := 0, len(owners)
		if declared.Min != "" {
			from = slices.Index(sharding.SplitPoints, declared.Min) + 1
		}
		if declared.Max != "" {
			to = slices.Index(sharding.SplitPoints, declared.Max) + 1
		}
		if declared.Min != "" && from == 0 || to == 0 {
			return nil, fmt.Errorf("zone %q does not begin and end at split points; add its min and max to splitPoints, "+
				"written as they are in the zone", declared.Name)
		}
		for i := from; i < to; i++ {
			owners[i] = shards[declared.Shards[(i-from)%len(declared.Shards)]]
		}
	}
	next := 0
	for i := range owners {
		if owners[i] == "" {
			owners[i] = shards[next%len(shards)]
			next++
		}
	}
	return owners, nil
}

// check compares the chunks of each shard with what was asked for.
func (l *layout) check(chunks map[string]int, shards []string) error {
	total := 0
	most, least := 0, -1
	for _, shard := range shards {
		count := chunks[shard]
		total += count
		most = max(most, count)
		if least < 0 || count < least {
			least = count
		}
		if l.wanted != nil && count != l.wanted[shard] {
			return fmt.Errorf("the collection was made with %d chunks on shard %s, and was to have %d", count, shard,
				l.wanted[shard])
		}
	}
	switch {
	case l.even && most-least > 1:
		return fmt.Errorf("the collection was made with %d chunks on one shard and %d on another", least, most)
	case l.total > 0 && total != l.total:
		return fmt.Errorf("the collection was made with %d chunks, and was to have %d", total, l.total)
	case total == 0:
		return errors.New("the collection was made without chunks")
	default:
		return nil
	}
}
