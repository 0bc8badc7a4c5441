package mongosdouble

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// ok is the reply to what has nothing to tell.
var ok = document(bson.D{{Key: "ok", Value: 1.0}})

// Elements of a command that are between the client and mongos.
var between = []string{
	"$db", "lsid", "txnNumber", "$clusterTime", "$readPreference", "apiVersion", "apiStrict", "apiDeprecationErrors",
}

// handedOn are commands that the config servers answer for mongos.
var handedOn = []string{
	"ping", "buildInfo", "buildinfo", "getParameter", "hostInfo", "getLog", "getCmdLineOpts", "connectionStatus",
	"usersInfo", "getShardMap", "getDefaultRWConcern",
}

// internal are administrative commands, and what the config servers call them.
var internal = map[string]string{
	"addShard":                 "_configsvrAddShard",
	"addShardToZone":           "_configsvrAddShardToZone",
	"removeShardFromZone":      "_configsvrRemoveShardFromZone",
	"updateZoneKeyRange":       "_configsvrUpdateZoneKeyRange",
	"balancerStart":            "_configsvrBalancerStart",
	"balancerStop":             "_configsvrBalancerStop",
	"balancerStatus":           "_configsvrBalancerStatus",
	"balancerCollectionStatus": "_configsvrBalancerCollectionStatus",
}

// carryOut answers a command. Neither reply nor error means that the connection is to end, as it does while mongos
// waits for its config servers.
func (c *client) carryOut(command bson.Raw) (bson.Raw, error) {
	first, err := command.IndexErr(0)
	if err != nil {
		return nil, err
	}
	name, database := first.Key(), lookup.Text(command, "$db")
	c.double.note(name)
	if c.double.answer != nil {
		if reply := c.double.answer(command); reply != nil {
			return reply, nil
		}
	}
	command = without(command, between...)
	switch name {
	case "hello", "isMaster", "ismaster":
		return c.hello(command)
	case "saslStart", "saslContinue":
		return c.logIn(database, command)
	case "endSessions", "killCursors", "logout":
		return ok, nil
	}
	if !c.known {
		return nil, &refused{code: 13, name: "Unauthorized", text: "command " + name + " requires authentication"}
	}
	return c.authorised(name, database, command)
}

func (c *client) authorised(name, database string, command bson.Raw) (bson.Raw, error) {
	switch {
	case slices.Contains(handedOn, name), database == "config":
		return c.handOn(cmp.Or(database, "admin"), command)
	case name == "serverStatus":
		reply, err := c.handOn("admin", command)
		return without(reply, "storageEngine", "wiredTiger", "repl", "opLatencies"), err
	case internal[name] != "":
		return c.configServers(internalCommand(name, command))
	case database == "admin":
		return c.administrate(name, command)
	}
	return c.work(name, database, command)
}

// administrate carries out what is not one command of the config servers.
func (c *client) administrate(name string, command bson.Raw) (bson.Raw, error) {
	switch name {
	case "listShards":
		return c.listShards()
	case "fsync":
		return c.fsync()
	case "transitionFromDedicatedConfigServer":
		c.double.mutex.Lock()
		defer c.double.mutex.Unlock()
		c.double.configShard = true
		return ok, nil
	case "listDatabases":
		return c.configServers(bson.D{{Key: "listDatabases", Value: 1}})
	case "enableSharding":
		return c.enableSharding(command)
	case "shardCollection":
		return c.shardCollection(command)
	case "refineCollectionShardKey":
		return c.refine(command)
	case "reshardCollection":
		return c.reshard(command)
	default:
		return nil, &refused{code: 59, name: "CommandNotFound", text: fmt.Sprintf("no such command: %q", name)}
	}
}

// hello is that of the config servers, with what a mongos says of itself.
func (c *client) hello(command bson.Raw) (bson.Raw, error) {
	asking := bson.D{{Key: "isMaster", Value: 1}}
	if mechanisms := command.Lookup("saslSupportedMechs"); !mechanisms.IsZero() {
		asking = append(asking, bson.E{Key: "saslSupportedMechs", Value: mechanisms})
	}
	reply, err := c.handOn("admin", document(asking))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // A mongos does not listen before it knows its config servers.
	}
	reply = without(reply, "hosts", "passives", "setName", "setVersion", "primary", "me", "electionId", "lastWrite",
		"secondary", "topologyVersion", "configsvr", "operationTime", "$clusterTime", "$gleStats", "$configServerState")
	return with(reply, bson.D{
		{Key: "msg", Value: "isdbgrid"}, {Key: "isWritablePrimary", Value: true},
	}), nil
}

// logIn hands a login on.
func (c *client) logIn(database string, command bson.Raw) (bson.Raw, error) {
	reply, err := c.handOn(database, command)
	if done, _ := reply.Lookup("done").BooleanOK(); err == nil && done {
		c.known = true
	}
	return reply, err
}

func (c *client) listShards() (bson.Raw, error) {
	found, err := c.config("shards", bson.D{})
	if err != nil {
		return nil, err
	}
	c.double.mutex.Lock()
	defer c.double.mutex.Unlock()
	list := make(bson.A, 0, len(found)+1)
	for _, shard := range found {
		list = append(list, shard)
	}
	if c.double.configShard {
		list = append(list, bson.D{
			{Key: "_id", Value: "config"}, {Key: "host", Value: "config/" + strings.Join(c.double.config, ",")},
		})
	}
	return document(bson.D{{Key: "shards", Value: list}, {Key: "ok", Value: 1.0}}), nil
}

// majorRelease is the first number of the servers' version, and 4.4 is 4.
func (c *client) majorRelease() int {
	if c.release == 0 {
		reply, err := c.configServers(bson.D{{Key: "buildInfo", Value: 1}})
		if err == nil {
			major, _, _ := strings.Cut(lookup.Text(reply, "version"), ".")
			c.release, _ = strconv.Atoi(major)
		}
	}
	return c.release
}

// fsync is sent to every shard.
func (c *client) fsync() (bson.Raw, error) {
	shards, err := c.shards()
	if err != nil {
		return nil, err
	}
	for _, hosts := range shards {
		if _, err := c.call(hosts, "admin", bson.D{{Key: "fsync", Value: 1}}); err != nil {
			return nil, err
		}
	}
	return ok, nil
}

// renamed gives a command another name.
func renamed(command bson.Raw, name string) bson.D {
	var d bson.D
	if err := bson.Unmarshal(command, &d); err == nil && len(d) > 0 {
		d[0].Key = name
	}
	return d
}

// internalCommand is what the config servers call an administrative command. A balancer's has nothing to acknowledge.
func internalCommand(name string, command bson.Raw) bson.D {
	if strings.HasPrefix(name, "balancer") {
		return renamed(command, internal[name])
	}
	return majority(renamed(command, internal[name]))
}

func majority(command bson.D) bson.D {
	return append(command, bson.E{Key: "writeConcern", Value: bson.D{{Key: "w", Value: "majority"}}})
}

// without leaves elements out of a document.
func without(raw bson.Raw, names ...string) bson.Raw {
	elements, err := raw.Elements()
	if err != nil || raw == nil {
		return raw
	}
	kept := bson.D{}
	for _, element := range elements {
		if !slices.Contains(names, element.Key()) {
			kept = append(kept, bson.E{Key: element.Key(), Value: element.Value()})
		}
	}
	return document(kept)
}

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
