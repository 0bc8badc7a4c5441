package mongo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// The most of a server's startup warnings that a report holds.
const (
	maxWarnings     = 20
	maxWarningBytes = 200
)

const bytesPerMebibyte = 1 << 20

// What a server's report says of a deployment.
const (
	TopologyStandalone = loadgen.TopologyStandalone
	TopologyReplicaSet = "ReplicaSet"
	TopologySharded    = "Sharded"

	// RouterMongos and RouterClient are what requests to a sharded deployment go through.
	RouterMongos = "Mongos"
	RouterClient = "Client"

	// PersistenceDurable and PersistenceTransient say whether a storage engine keeps data over a restart.
	PersistenceDurable   = "Durable"
	PersistenceTransient = loadgen.PersistenceTransient
)

// Describe returns what the server says of itself, and the write concern that is in force.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	server, err := t.fingerprint(ctx)
	if err != nil {
		return reportv1.Server{}, withoutSecrets(err)
	}
	server.TLS = TLSName(t.options.TLSConfig != nil)
	if t.explicitWrites != nil {
		server.DefaultWriteConcern = describeWriteConcern(*t.explicitWrites) + " (connection string)"
		server.Durability = loadgen.ConcernDurability(*t.explicitWrites, server)
	}
	return server, nil
}

// fingerprint asks the deployment what it is, and behind mongos the first member that answers as well.
func (t *Target) fingerprint(ctx context.Context) (reportv1.Server, error) {
	client, err := t.observerClient()
	if err != nil {
		return reportv1.Server{}, err
	}
	server, err := Fingerprint(ctx, client)
	if err != nil || server.Topology != TopologySharded {
		return server, err
	}
	members, err := t.Members(ctx)
	if err != nil {
		return server, nil //nolint:nilerr // What may not be asked stays empty.
	}
	described := false
	for _, member := range members {
		data := member.role == observe.RolePrimary || member.role == observe.RoleSecondary
		if data && !described {
			if one, err := FingerprintCluster(ctx, client, member.client); err == nil {
				server, described = one, true
			}
		}
		_ = member.client.Disconnect(context.WithoutCancel(ctx))
	}
	return server, nil
}

// Fingerprint asks a server what it is. What the user may not ask, or the server does not know, stays empty; only a
// server that does not answer is an error.
func Fingerprint(ctx context.Context, client *driver.Client) (reportv1.Server, error) {
	admin := client.Database("admin")
	build, err := admin.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Raw()
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking for the server's version: %w", err)
	}
	server := reportv1.Server{
		Product:    reportv1.ProductMongoDB,
		Version:    text(build, "version"),
		GitVersion: text(build, "gitVersion"),
	}
	describeTopology(ask(ctx, admin, bson.D{{Key: "isMaster", Value: 1}}), &server)
	if server.Topology == TopologySharded {
		describeShards(ctx, admin, &server)
	}
	status := ask(ctx, admin, bson.D{{Key: "serverStatus", Value: 1}})
	describeStorage(status, &server)
	host := ask(ctx, admin, bson.D{{Key: "hostInfo", Value: 1}})
	server.MemoryLimitMebibytes = number(host, "system", "memLimitMB")
	server.CPUCores = int(number(host, "system", "numCores"))
	describeWrites(ctx, admin, &server)
	server.StartupWarnings = warnings(ask(ctx, admin, bson.D{{Key: "getLog", Value: "startupWarnings"}}))
	return server, nil
}

// FingerprintCluster asks a sharded deployment what it is: a mongos about the whole, and a member of a shard about
// itself, for the shards are alike.
func FingerprintCluster(ctx context.Context, router, member *driver.Client) (reportv1.Server, error) {
	whole, err := Fingerprint(ctx, router)
	if err != nil {
		return reportv1.Server{}, err
	}
	server, err := Fingerprint(ctx, member)
	if err != nil {
		return reportv1.Server{}, err
	}
	server.Topology, server.Router = whole.Topology, whole.Router
	server.DefaultWriteConcern, server.Durability = whole.DefaultWriteConcern, whole.Durability
	server.Shards, server.Members = whole.Shards, whole.Members
	return server, nil
}

// ask returns the reply, or nothing when there is none.
func ask(ctx context.Context, database *driver.Database, command bson.D) bson.Raw {
	reply, err := database.RunCommand(ctx, command).Raw()
	if err != nil {
		return nil
	}
	return reply
}

// describeTopology reads the answer to the oldest form of hello, which every server understands.
func describeTopology(hello bson.Raw, server *reportv1.Server) {
	switch {
	case hello == nil:
	case text(hello, "msg") == "isdbgrid":
		server.Topology, server.Router = TopologySharded, RouterMongos
	case text(hello, "setName") != "":
		server.Topology = TopologyReplicaSet
		server.Members = length(hello, "hosts") + length(hello, "passives")
	default:
		server.Topology, server.Members = TopologyStandalone, 1
	}
}

// describeShards counts the shards and their members, where the user may ask for them.
func describeShards(ctx context.Context, admin *driver.Database, server *reportv1.Server) {
	shards, _ := listShards(ctx, admin)
	server.Shards = len(shards)
	for _, shard := range shards {
		server.Members += len(shard.hosts)
	}
}

// describeStorage reads serverStatus, which a mongos answers without an engine.
func describeStorage(status bson.Raw, server *reportv1.Server) {
	server.StorageEngine = text(status, "storageEngine", "name")
	server.CacheMebibytes = number(status, "wiredTiger", "cache", "maximum bytes configured") / bytesPerMebibyte
	persistent, known := status.Lookup("storageEngine", "persistent").BooleanOK()
	switch {
	case known && persistent:
		server.Persistence = PersistenceDurable
	case known:
		server.Persistence = PersistenceTransient
	}
}

// describeWrites tells what applies to a write that names no concern. A server that has no such setting, for it is
// alone or older than 4.4, acknowledges a write itself.
func describeWrites(ctx context.Context, admin *driver.Database, server *reportv1.Server) {
	reply, err := admin.RunCommand(ctx, bson.D{{Key: "getDefaultRWConcern", Value: 1}}).Raw()
	if err != nil && classify(err) != classServer {
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
		concern.Journal = &journal
	}
	server.DefaultWriteConcern = describeWriteConcern(concern)
	server.Durability = loadgen.ConcernDurability(concern, *server)
}

// warnings are the server's startup warnings: lines of text up to 4.2, JSON with a message from 4.4 on.
func warnings(reply bson.Raw) []string {
	log, ok := reply.Lookup("log").ArrayOK()
	if !ok {
		return nil
	}
	lines, err := log.Values()
	if err != nil {
		return nil
	}
	var found []string
	for _, line := range lines {
		warning := warning(line.StringValue())
		if warning != "" && len(found) < maxWarnings {
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

func text(document bson.Raw, path ...string) string {
	found, _ := document.Lookup(path...).StringValueOK()
	return found
}

func number(document bson.Raw, path ...string) int64 {
	found, _ := document.Lookup(path...).AsInt64OK()
	return found
}

func length(document bson.Raw, name string) int {
	array, ok := document.Lookup(name).ArrayOK()
	if !ok {
		return 0
	}
	values, err := array.Values()
	if err != nil {
		return 0
	}
	return len(values)
}
