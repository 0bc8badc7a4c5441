package sharding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

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
	array, _ := reply.Lookup("shards").ArrayOK()
	values, err := array.Values()
	if err != nil {
		return nil, err
	}
	shards := make([]Shard, 0, len(values))
	for _, value := range values {
		document, _ := value.DocumentOK()
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
