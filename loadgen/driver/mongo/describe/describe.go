package describe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// The most of a server's startup warnings that a report holds.
const (
	maxWarnings     = 20
	maxWarningBytes = 200
)

const bytesPerMebibyte = 1 << 20

// PersistenceDurable says that a storage engine keeps data over a restart.
const PersistenceDurable = "Durable"

// Deployment asks the deployment what it is, and behind mongos the first member that answers as well.
func Deployment(ctx context.Context, observer *connection.Login) (reportv1.Server, error) {
	client, err := observer.Deployment()
	if err != nil {
		return reportv1.Server{}, err
	}
	server, err := Server(lookup.Admin(ctx, client))
	if err != nil || server.Topology != string(benchv1alpha1.TopologySharded) {
		return server, err
	}
	members, err := members.Find(ctx, observer)
	if err != nil {
		return server, nil //nolint:nilerr // What may not be asked stays empty.
	}
	described := false
	for _, member := range members {
		data := member.Role() == observe.RolePrimary || member.Role() == observe.RoleSecondary
		if data && !described {
			if one, err := Cluster(ctx, client, member.Client()); err == nil {
				server, described = one, true
			}
		}
		member.Disconnect(ctx)
	}
	return server, nil
}

// Server asks a server what it is. What the user may not ask, or the server does not know, stays empty; only a server
// that does not answer is an error.
func Server(ask lookup.Ask) (reportv1.Server, error) {
	build, err := ask(lookup.BuildInfo)
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking for the server's version: %w", err)
	}
	server := reportv1.Server{GitVersion: lookup.Text(build, "gitVersion")}
	server.Product, server.Version = product(build)
	describeTopology(ask.OrNothing(lookup.IsMaster), &server)
	if server.Topology == string(benchv1alpha1.TopologySharded) {
		describeShards(ask, &server)
	}
	describeStorage(ask.OrNothing(bson.D{{Key: "serverStatus", Value: 1}}), &server)
	host := ask.OrNothing(bson.D{{Key: "hostInfo", Value: 1}})
	server.MemoryLimitMebibytes = lookup.Number(host, "system", "memLimitMB")
	server.CPUCores = int(lookup.Number(host, "system", "numCores"))
	if server.Product != productFerretDB {
		describeWrites(ask, &server)
	}
	server.StartupWarnings = warnings(ask.OrNothing(bson.D{{Key: "getLog", Value: "startupWarnings"}}))
	return server, nil
}

// Cluster asks a sharded deployment what it is: a mongos about the whole, and a member of a shard about
// itself, for the shards are alike.
func Cluster(ctx context.Context, router, member *driver.Client) (reportv1.Server, error) {
	whole, err := Server(lookup.Admin(ctx, router))
	if err != nil {
		return reportv1.Server{}, err
	}
	server, err := Server(lookup.Admin(ctx, member))
	if err != nil {
		return reportv1.Server{}, err
	}
	server.Topology, server.Router = whole.Topology, whole.Router
	server.DefaultWriteConcern, server.Durability = whole.DefaultWriteConcern, whole.Durability
	server.Shards, server.Members = whole.Shards, whole.Members
	return server, nil
}

// describeTopology reads the answer to the oldest form of hello, which every server understands.
func describeTopology(hello bson.Raw, server *reportv1.Server) {
	switch {
	case hello == nil:
	case lookup.IsMongos(hello):
		server.Topology, server.Router = string(benchv1alpha1.TopologySharded), string(benchv1alpha1.RouterMongos)
	case lookup.Text(hello, "setName") != "":
		server.Topology = string(benchv1alpha1.TopologyReplicaSet)
		server.Members = len(lookup.DataHosts(hello))
	default:
		server.Topology, server.Members = loadgen.TopologyStandalone, 1
	}
}

// describeShards counts the shards and their members, where the user may ask for them.
func describeShards(ask lookup.Ask, server *reportv1.Server) {
	shards, _ := sharding.List(ask)
	server.Shards = len(shards)
	for _, shard := range shards {
		server.Members += len(shard.Hosts)
	}
}

// describeStorage reads serverStatus, which a mongos answers without an engine.
func describeStorage(status bson.Raw, server *reportv1.Server) {
	server.StorageEngine = lookup.Text(status, "storageEngine", "name")
	server.CacheMebibytes = lookup.Number(status, "wiredTiger", "cache", "maximum bytes configured") / bytesPerMebibyte
	persistent, known := status.Lookup("storageEngine", "persistent").BooleanOK()
	switch {
	case known && persistent:
		server.Persistence = PersistenceDurable
	case known:
		server.Persistence = loadgen.PersistenceTransient
	}
}

// describeWrites tells what applies to a write that names no concern. A server that has no such setting, for it is
// alone or older than 4.4, acknowledges a write itself.
func describeWrites(ask lookup.Ask, server *reportv1.Server) {
	reply, err := ask(bson.D{{Key: "getDefaultRWConcern", Value: 1}})
	if err != nil && errorclass.Of(err) != errorclass.Server {
		return
	}
	concern := planv1.WriteConcern{}
	w := reply.Lookup("defaultWriteConcern", "w")
	if name, ok := w.StringValueOK(); ok {
		concern.W = name
	} else {
		count, _ := w.AsInt64OK()
		concern.W = strconv.FormatInt(max(count, 1), 10)
	}
	if journal, ok := reply.Lookup("defaultWriteConcern", "j").BooleanOK(); ok {
		concern.Journal = command.JournalPolicy(journal)
	}
	server.DefaultWriteConcern = command.DescribeWriteConcern(concern)
	server.Durability = loadgen.ConcernDurability(concern, *server)
}

// warnings are the server's startup warnings: lines of text up to 4.2, JSON with a message from 4.4 on.
func warnings(reply bson.Raw) []string {
	var found []string
	for _, line := range lookup.Texts(reply, "log") {
		if warning := warning(line); warning != "" && len(found) < maxWarnings {
			found = append(found, warning)
		}
	}
	return found
}

func warning(line string) string {
	var entry struct {
		Message string `json:"msg"`
	}
	if err := json.Unmarshal([]byte(line), &entry); err == nil && entry.Message != "" {
		line = entry.Message
	}
	return line[:min(len(line), maxWarningBytes)]
}

// productFerretDB takes write concerns and heeds none.
const productFerretDB = "FerretDB"

// others are the products that speak MongoDB's protocol, by the field of buildInfo that has their own version.
var others = []struct{ field, product string }{
	{"psmdbVersion", "Percona Server for MongoDB"},
	{"ferretdbVersion", productFerretDB},
	{"tokumxVersion", "TokuMX"},
}

// product is the product and its own version. The field version is that of the MongoDB that a product is compatible
// with.
func product(build bson.Raw) (name, version string) {
	for _, other := range others {
		if own := lookup.Text(build, other.field); own != "" {
			return other.product, strings.TrimPrefix(own, "v")
		}
	}
	return reportv1.ProductMongoDB, lookup.Text(build, "version")
}

// Sizes of the collections, one of each for every shard in the order of their indexes; without shards one of each.
// WiredTiger counts what it has written at a checkpoint, so that one is made first where the user may.
func Sizes(
	ctx context.Context, observer *connection.Login, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	client, err := observer.Deployment()
	if err != nil {
		return nil, err
	}
	// An engine that writes nothing to disk has no checkpoint to make, which is no refusal.
	ask := lookup.Admin(ctx, client)
	_, err = ask(bson.D{{Key: "fsync", Value: 1}})
	unsettled := err != nil && errorclass.Of(err) == errorclass.Authentication
	// What is no mongos, and what does not let this user ask, has no shards here.
	listed, _ := sharding.List(ask)
	shards := sharding.Names(listed)
	var all []reportv1.CollectionSize
	for _, collection := range collections {
		found, err := collectionSizes(ctx, client.Database(database), collection.Name, shards)
		if err != nil {
			return nil, fmt.Errorf("collection %q: asking for its sizes: %w", collection.Name, errorclass.WithoutSecrets(err))
		}
		for i := range found {
			found[i].Unsettled = unsettled
		}
		all = append(all, found...)
	}
	return all, nil
}

// collectionSizes are those of one collection on every shard. The shards that have nothing of it are not asked by
// mongos, and have nothing here as well.
func collectionSizes(
	ctx context.Context, database *driver.Database, collection string, shards []string,
) ([]reportv1.CollectionSize, error) {
	stats := bson.A{bson.D{{Key: "$collStats", Value: bson.D{{Key: "storageStats", Value: bson.D{}}}}}}
	cursor, err := database.Collection(collection).Aggregate(ctx, stats)
	if err != nil {
		return nil, err
	}
	var replies []bson.Raw
	if err := cursor.All(ctx, &replies); err != nil {
		return nil, err
	}
	found := make([]reportv1.CollectionSize, 0, max(len(replies), len(shards)))
	for _, reply := range replies {
		stats, _ := reply.Lookup("storageStats").DocumentOK()
		size := SizeOf(collection, stats)
		size.Shard = lookup.Text(reply, "shard")
		found = append(found, size)
	}
	for _, shard := range shards {
		onIt := func(size reportv1.CollectionSize) bool { return size.Shard == shard }
		if !slices.ContainsFunc(found, onIt) {
			found = append(found, reportv1.CollectionSize{
				Collection: collection, Shard: shard, Indexes: []reportv1.IndexSize{},
			})
		}
	}
	if len(shards) > 0 {
		// Of those the user may not see, none are counted.
		chunks, _ := sharding.Chunks(ctx, database.Client().Database("config"), database.Name()+"."+collection)
		for i := range found {
			found[i].Chunks = int64(chunks[found[i].Shard])
		}
	}
	slices.SortFunc(found, func(a, b reportv1.CollectionSize) int { return sharding.ByIndex(a.Shard, b.Shard) })
	return found, nil
}

// SizeOf reads what a server tells of a collection.
func SizeOf(collection string, stats bson.Raw) reportv1.CollectionSize {
	size := reportv1.CollectionSize{
		Collection:   collection,
		Documents:    lookup.Number(stats, "count"),
		DataBytes:    lookup.Number(stats, "size"),
		StorageBytes: lookup.Number(stats, "storageSize"),
		FreeBytes:    lookup.Number(stats, "freeStorageSize"),
		Indexes:      []reportv1.IndexSize{},
	}
	indexes, _ := stats.Lookup("indexSizes").DocumentOK()
	elements, _ := indexes.Elements()
	for _, element := range elements {
		bytes, _ := element.Value().AsInt64OK()
		size.Indexes = append(size.Indexes, reportv1.IndexSize{Name: element.Key(), Bytes: bytes})
	}
	return size
}
