package observe

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
		"indexStats", "internalTransactions", "logicalSessionRecordCache", "opReadConcernCounters",
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
	// diagnosticCommand is answered out of memory: it is the latest of the samples that a server takes every second
	// anyway, of which the machine's part is used, and which is kept as it is while a step is measured.
	diagnosticCommand = mustMarshal(bson.D{{Key: "getDiagnosticData", Value: 1}})
)

// commands are the questions to a MongoDB server.
type commands struct {
	server   Commander
	database string
	// seen are the names of all servers that are observed.
	seen []string
	// local says that the server is reached by a loopback address, so that its process may be seen.
	local bool
	// begin is the time of the first sample by the server's clock, in milliseconds; 0 before it.
	begin int64
	// kept keeps what the server has of itself; nil: it is not kept.
	kept *diagnosis
}

// sample needs the first reply only.
func (c *commands) sample(ctx context.Context, slow bool) (*sample, error) {
	reply, err := c.server.Ask(ctx, adminDatabase, statusCommand)
	if err != nil {
		return nil, err
	}
	s := newSample()
	s.decode(serverStatus, reply)
	s.decodeLocks(reply)
	if c.local {
		s.readLimit(reply)
	}
	if c.begin == 0 {
		c.begin = s.started + s.uptime
		if c.kept != nil {
			c.describe(ctx)
		}
	}
	if role := c.server.Role(); role == RolePrimary || role == RoleSecondary || role == RoleConfig {
		c.also(ctx, adminDatabase, setStatusCommand, func(reply bson.Raw) {
			s.decodeReplication(reply, c.seen)
		})
	}
	diagnostics, err := c.server.Ask(ctx, adminDatabase, diagnosticCommand)
	if err == nil {
		s.decodeDiagnostic(diagnostics)
	}
	if c.kept.now() {
		c.kept.take(diagnostics, err)
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

// primaryState is the state of a primary, as replSetGetStatus numbers them.
const primaryState = 1

// setMember is a member as replSetGetStatus tells of it.
type setMember struct {
	Name   string  `bson:"name"`
	Health float64 `bson:"health"`
	// OptimeDate has the grain of a second; LastAppliedWallTime, which 5.0 and later have, of a millisecond.
	OptimeDate          bson.DateTime `bson:"optimeDate"`
	LastAppliedWallTime bson.DateTime `bson:"lastAppliedWallTime"`
}

// applied is the time, in milliseconds, of the last operation that the member has applied.
func (m setMember) applied() bson.DateTime {
	if m.LastAppliedWallTime > 0 {
		return m.LastAppliedWallTime
	}
	return m.OptimeDate
}

// decodeReplication takes from a member's reply its own state, the term, how many members it does not reach and, if it
// is the primary, how far every healthy member that is seen is behind it. A server that knows no terms tells none.
func (s *sample) decodeReplication(document bson.Raw, seen []string) {
	var status struct {
		MyState int64       `bson:"myState"`
		Term    *int64      `bson:"term"`
		Members []setMember `bson:"members"`
	}
	if bson.Unmarshal(document, &status) != nil {
		return
	}
	s.values[places[replicationState]] = status.MyState
	if status.Term != nil {
		s.values[places[reportv1.SeriesReplicationTerm]] = *status.Term
	}
	if len(status.Members) > 0 {
		s.values[places[reportv1.SeriesUnreachable]] = unreachable(status.Members)
	}
	if status.MyState == primaryState {
		s.decodeLags(status.Members, seen)
	}
}

// unreachable are the members that the one which tells of them gets no heartbeat of.
func unreachable(members []setMember) (count int64) {
	for _, member := range members {
		if member.Health == 0 {
			count++
		}
	}
	return count
}

// decodeLags takes from the primary's reply how far every healthy member is behind it. Only the primary knows: it is
// told by each member at once, while others learn of one another by heartbeats. A member that is not healthy has no
// lag, for its time reads as 1970; one that clients are not told of, as a delayed member, may be behind on purpose.
func (s *sample) decodeLags(members []setMember, seen []string) {
	var latest bson.DateTime
	for _, member := range members {
		if member.Health > 0 {
			latest = max(latest, member.applied())
		}
	}
	s.lags = make(map[string]int64, len(members))
	for _, member := range members {
		if member.Health > 0 && member.applied() > 0 && slices.Contains(seen, member.Name) {
			s.lags[member.Name] = int64(latest - member.applied())
			s.values[places[largestLag]] = max(s.values[places[largestLag]], s.lags[member.Name])
		}
	}
}

// spreadLags gives every member the lag that the primary saw of it at the same time.
func spreadLags(observed map[string]*recording) {
	for _, primary := range observed {
		for slot, s := range primary.samples {
			if s == nil {
				continue
			}
			for name, lag := range s.lags {
				member := observed[name]
				if member != nil && slot < len(member.samples) && member.samples[slot] != nil {
					member.samples[slot].values[places[replicationLag]] = lag
				}
			}
		}
	}
}
