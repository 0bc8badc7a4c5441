package mongo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// configShardName is what a cluster calls its config servers as a shard.
const configShardName = "config"

// listedShard is a shard as a mongos lists it.
type listedShard struct {
	name string
	// set is the name of its replica set, empty when it has none, and hosts are its members.
	set   string
	hosts []string
}

// listShards are the shards of a cluster in the order of their indexes. Only a mongos knows them: any other server
// answers with an error.
func listShards(ctx context.Context, admin *driver.Database) ([]listedShard, error) {
	reply, err := admin.RunCommand(ctx, bson.D{{Key: "listShards", Value: 1}}).Raw()
	if err != nil {
		return nil, err
	}
	array, _ := reply.Lookup("shards").ArrayOK()
	values, err := array.Values()
	if err != nil {
		return nil, err
	}
	shards := make([]listedShard, 0, len(values))
	for _, value := range values {
		document, _ := value.DocumentOK()
		shards = append(shards, readShard(document))
	}
	slices.SortFunc(shards, func(a, b listedShard) int { return byIndex(a.name, b.name) })
	return shards, nil
}

// readShard reads a shard's address: "set/host,host", or one host that is in no set.
func readShard(document bson.Raw) listedShard {
	set, hosts, isSet := strings.Cut(text(document, "host"), "/")
	if !isSet {
		set, hosts = "", set
	}
	return listedShard{name: text(document, "_id"), set: set, hosts: strings.Split(hosts, ",")}
}

func namesOf(shards []listedShard) []string {
	names := make([]string, len(shards))
	for i, shard := range shards {
		names[i] = shard.name
	}
	return names
}

// byIndex orders the names of shards by the numbers at their ends: a config shard is the first, and shard10 comes after
// shard9.
func byIndex(a, b string) int {
	if (a == configShardName) != (b == configShardName) {
		if a == configShardName {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
