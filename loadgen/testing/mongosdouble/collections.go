package mongosdouble

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// firstWithShardedCommands is the release from which on a database's primary shard makes and drops its collections;
// before, the config servers did.
const firstWithShardedCommands = 5

func (c *client) enableSharding(command bson.Raw) (bson.Raw, error) {
	database := lookup.Text(command, "enableSharding")
	switch release := c.majorRelease(); {
	case release < firstWithShardedCommands:
		return c.configServers(majority(bson.D{{Key: "_configsvrEnableSharding", Value: database}}))
	case release == firstWithShardedCommands:
		return c.configServers(majority(bson.D{
			{Key: "_configsvrCreateDatabase", Value: database}, {Key: "enableSharding", Value: true},
		}))
	default:
		return c.configServers(majority(bson.D{{Key: "_configsvrCreateDatabase", Value: database}}))
	}
}

func (c *client) shardCollection(command bson.Raw) (bson.Raw, error) {
	ns := lookup.Text(command, "shardCollection")
	database, collection, _ := strings.Cut(ns, ".")
	key := command.Lookup("key")
	if c.majorRelease() < firstWithShardedCommands {
		return c.configServers(majority(laidOut(command,
			bson.D{{Key: "_configsvrShardCollection", Value: ns}, {Key: "key", Value: key}})))
	}
	primary, err := c.databasePrimary(database, c.majorRelease() > firstWithShardedCommands)
	return c.carriedOut(primary, err, database, laidOut(command,
		bson.D{{Key: "_shardsvrCreateCollection", Value: collection}, {Key: "shardKey", Value: key}}))
}

// laidOut takes over what a shardCollection says of the chunks.
func laidOut(command bson.Raw, internal bson.D) bson.D {
	for _, name := range []string{"unique", "numInitialChunks", "presplitHashedZones"} {
		if value := command.Lookup(name); !value.IsZero() {
			internal = append(internal, bson.E{Key: name, Value: value})
		}
	}
	return internal
}

func (c *client) refine(command bson.Raw) (bson.Raw, error) {
	ns := lookup.Text(command, "refineCollectionShardKey")
	database, collection, _ := strings.Cut(ns, ".")
	routes, err := c.routes(database, collection)
	if err != nil {
		return nil, err
	}
	return c.configServers(majority(bson.D{
		{Key: "_configsvrRefineCollectionShardKey", Value: ns},
		{Key: "key", Value: command.Lookup("key")},
		{Key: "epoch", Value: routes.epoch},
	}))
}

func (c *client) reshard(command bson.Raw) (bson.Raw, error) {
	database, _, _ := strings.Cut(lookup.Text(command, "reshardCollection"), ".")
	primary, err := c.databasePrimary(database, false)
	return c.carriedOut(primary, err, "admin", renamed(command, "_shardsvrReshardCollection"))
}

// home is the shard that a database's other collections are on.
type home struct {
	hosts []string
	// version tells the shard that it is meant as this.
	version bson.RawValue
}

// carriedOut is what a database's primary shard, if it was found, answers to a command for the whole cluster.
func (c *client) carriedOut(by home, missing error, database string, command bson.D) (bson.Raw, error) {
	if missing != nil {
		return nil, missing
	}
	return c.call(by.hosts, database, majority(append(command, bson.E{Key: "databaseVersion", Value: by.version})))
}

// databasePrimary is the home of a database. One that is not there is made, or else an error.
func (c *client) databasePrimary(database string, create bool) (home, error) {
	for {
		found, err := c.config("databases", bson.D{{Key: "_id", Value: database}})
		if err != nil {
			return home{}, err
		}
		if len(found) == 1 {
			shards, err := c.shards()
			return home{shards[lookup.Text(found[0], "primary")], found[0].Lookup("version")}, err
		}
		if !create {
			return home{}, &refused{code: 26, name: "NamespaceNotFound", text: fmt.Sprintf("database %s not found", database)}
		}
		command := majority(bson.D{{Key: "_configsvrCreateDatabase", Value: database}})
		if _, err := c.configServers(command); err != nil {
			return home{}, err
		}
	}
}

// onPrimary carries out a command on the shard that a database's other collections are on.
func (c *client) onPrimary(database string, command bson.Raw) (bson.Raw, error) {
	primary, err := c.databasePrimary(database, true)
	if err != nil {
		return nil, err
	}
	return c.call(primary.hosts, database, command)
}

func (c *client) drop(database string, command bson.Raw) (bson.Raw, error) {
	collection := lookup.Text(command, "drop")
	primary, err := c.databasePrimary(database, false)
	if err != nil || c.majorRelease() >= firstWithShardedCommands {
		return c.carriedOut(primary, err, database, bson.D{{Key: "_shardsvrDropCollection", Value: collection}})
	}
	routes, err := c.routes(database, collection)
	if err != nil {
		return nil, err
	}
	if routes.key == nil {
		return c.call(primary.hosts, database, command)
	}
	return c.configServers(majority(bson.D{{Key: "_configsvrDropCollection", Value: database + "." + collection}}))
}
