package observe

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	adminDatabase  = "admin"
	configDatabase = "config"
)

// statusCommand asks for the sections that figures lie in. A server knows them all unless told otherwise, and ignores
// the names that it does not know.
var statusCommand = func() bson.Raw {
	command := bson.D{{Key: "serverStatus", Value: 1}}
	sections := []string{
		"activeIndexBuilds", "asserts", "batchedDeletes", "catalogStats", "changeStreamPreImages", "collectionCatalog",
		"defaultRWConcern", "electionMetrics", "featureCompatibilityVersion", "freeMonitoring", "indexBulkBuilder",
		"indexStats", "internalTransactions", "locks", "logicalSessionRecordCache", "opReadConcernCounters",
		"oplogTruncation", "planCache", "queryAnalyzers", "queryStats", "readConcernCounters", "repl", "scramCache",
		"security", "storageEngine", "tcmalloc", "tenantMigrations", "trafficRecording", "transactions",
		"transportSecurity", "twoPhaseCommitCoordinator",
	}
	command = slices.Grow(command, len(sections))
	for _, section := range sections {
		command = append(command, bson.E{Key: section, Value: 0})
	}
	return mustMarshal(command)
}()

var (
	setStatusCommand = mustMarshal(bson.D{{Key: "replSetGetStatus", Value: 1}})
	sizesCommand     = mustMarshal(bson.D{{Key: "dbStats", Value: 1}})
)

// commands are the questions to a MongoDB server.
type commands struct {
	server   Commander
	database string
	// begin is the time of the first sample by the server's clock, in milliseconds; 0 before it.
	begin int64
}

// sample needs the first reply only.
func (c *commands) sample(ctx context.Context, slow bool) (*sample, error) {
	reply, err := c.server.Ask(ctx, adminDatabase, statusCommand)
	if err != nil {
		return nil, err
	}
	s := newSample()
	s.decode(serverStatus, reply)
	if c.begin == 0 {
		c.begin = s.started + s.uptime
	}
	if role := c.server.Role(); role == RolePrimary || role == RoleSecondary || role == RoleConfig {
		c.also(ctx, adminDatabase, setStatusCommand, s.decodeReplication)
	}
	if slow {
		c.sizes(ctx, s)
	}
	return s, nil
}

// sizes asks for what changes slowly, or costs more.
func (c *commands) sizes(ctx context.Context, s *sample) {
	role := c.server.Role()
	if role != RoleConfig {
		c.also(ctx, c.database, sizesCommand, func(reply bson.Raw) { s.decode(dbStats, reply) })
	}
	if role == RoleConfig || role == RoleMongos {
		c.also(ctx, adminDatabase, balancerStatusCommand, s.decodeBalancer)
		c.also(ctx, configDatabase, chunksCommand(c.database), s.decodeChunks)
		c.also(ctx, configDatabase, movesCommand(c.database, c.begin), s.decodeMoves)
	}
}

// also asks for something that a sample may lack.
func (c *commands) also(ctx context.Context, database string, command bson.Raw, decode func(bson.Raw)) {
	reply, err := c.server.Ask(ctx, database, command)
	if err == nil {
		decode(reply)
	}
}
