package mongo

import (
	"context"
	"encoding/json"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// The most of a server's startup warnings that a report holds.
const (
	maxWarnings     = 20
	maxWarningBytes = 200
)

const bytesPerMebibyte = 1 << 20

// Describe returns what the server says of itself, and the write concern that is in force.
func (t *Target) Describe(ctx context.Context) (reportv1.Server, error) {
	server, err := Fingerprint(ctx, t.client)
	if err != nil {
		return reportv1.Server{}, withoutSecrets(err)
	}
	if t.explicitWrites != "" {
		server.DefaultWriteConcern = t.explicitWrites + " (connection string)"
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
		Version:    text(build, "version"),
		GitVersion: text(build, "gitVersion"),
	}
	describeTopology(ask(ctx, admin, bson.D{{Key: "isMaster", Value: 1}}), &server)
	status := ask(ctx, admin, bson.D{{Key: "serverStatus", Value: 1}})
	server.StorageEngine = text(status, "storageEngine", "name")
	server.CacheMebibytes = number(status, "wiredTiger", "cache", "maximum bytes configured") / bytesPerMebibyte
	host := ask(ctx, admin, bson.D{{Key: "hostInfo", Value: 1}})
	server.MemoryLimitMebibytes = number(host, "system", "memLimitMB")
	server.CPUCores = int(number(host, "system", "numCores"))
	server.DefaultWriteConcern = defaultWriteConcern(ctx, admin)
	server.StartupWarnings = warnings(ask(ctx, admin, bson.D{{Key: "getLog", Value: "startupWarnings"}}))
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
		server.Topology = "Sharded"
	case text(hello, "setName") != "":
		server.Topology = "ReplicaSet"
		server.Members = length(hello, "hosts") + length(hello, "passives") + length(hello, "arbiters")
	default:
		server.Topology, server.Members = "Standalone", 1
	}
}

// defaultWriteConcern is what applies to a write that names none. A server that has no such setting, for it is alone or
// older than 4.4, acknowledges a write itself.
func defaultWriteConcern(ctx context.Context, admin *driver.Database) string {
	reply, err := admin.RunCommand(ctx, bson.D{{Key: "getDefaultRWConcern", Value: 1}}).Raw()
	if err != nil && classify(err) != classServer {
		return ""
	}
	w := reply.Lookup("defaultWriteConcern", "w")
	if name, ok := w.StringValueOK(); ok {
		return "w: " + name
	}
	count, _ := w.AsInt64OK()
	return fmt.Sprintf("w: %d", max(count, 1))
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
