package observe

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const adminDatabase = "admin"

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

// watch is the observation of one server.
type watch struct {
	server    Server
	observer  *Observer
	log       *slog.Logger
	start     time.Time
	recording recording

	// sizesDue is when sizes and chunks are asked for again.
	sizesDue time.Time
	// last is the latest sample.
	last *sample
	// failing is true from the first sample that was missed until the next that was not.
	failing bool
	// cpu is what the observation cost here, in elapsed time.
	cpu, elapsed time.Duration
}

// run takes samples until the context ends, or until it is clear that the server may not be asked.
func (w *watch) run(ctx context.Context) {
	// A thread of its own is what makes the cost of the observation known.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	defer func() { w.cpu, w.elapsed = threadTime()-before, time.Since(w.start) }()
	for {
		w.recording.skip(time.Since(w.start))
		due := w.start.Add(w.recording.due())
		if !sleepUntil(ctx, due) {
			return
		}
		s, err := w.sample(ctx, due)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrNotAllowed) {
			w.log.Warn("Server is not observed; give the user the role clusterMonitor on the database admin", "error", err)
			return
		}
		w.note(err)
		w.recording.put(s)
	}
}

// note logs when a server begins to be silent and when it answers again.
func (w *watch) note(err error) {
	switch {
	case err != nil && !w.failing:
		w.log.Warn("Server did not answer the observer", "error", err)
	case err == nil && w.failing:
		w.log.Info("Server answers the observer again", "missedSamples", w.recording.missed)
	}
	w.failing = err != nil
}

// sample asks the server for everything that is due. It has time until the next sample. Only the first reply is needed;
// what else is lacking stays unknown.
func (w *watch) sample(ctx context.Context, due time.Time) (*sample, error) {
	ctx, cancel := context.WithDeadline(ctx, due.Add(w.recording.interval))
	defer cancel()
	reply, err := w.server.Ask(ctx, adminDatabase, statusCommand)
	if err != nil {
		return nil, err
	}
	s := newSample()
	s.decode(serverStatus, reply)
	if role := w.server.Role(); role == RolePrimary || role == RoleSecondary || role == RoleConfig {
		w.also(ctx, adminDatabase, setStatusCommand, s.decodeReplication)
	}
	if !due.Before(w.sizesDue) {
		w.sizesDue = due.Add(w.observer.SlowInterval)
		w.sizes(ctx, s)
	}
	if w.last != nil {
		s.carry(w.last)
	}
	w.last = s
	return s, nil
}

// sizes asks for what changes slowly, or costs more.
func (w *watch) sizes(ctx context.Context, s *sample) {
	role := w.server.Role()
	if role != RoleConfig {
		w.also(ctx, w.observer.Database, sizesCommand, func(reply bson.Raw) { s.decode(dbStats, reply) })
	}
	if role == RoleConfig || role == RoleMongos {
		w.also(ctx, adminDatabase, balancerStatusCommand, s.decodeBalancer)
		w.also(ctx, "config", chunksCommand(w.observer.Database), s.decodeChunks)
	}
}

// also asks for something that a sample may lack.
func (w *watch) also(ctx context.Context, database string, command bson.Raw, decode func(bson.Raw)) {
	reply, err := w.server.Ask(ctx, database, command)
	if err == nil {
		decode(reply)
	}
}

// costMicros is the CPU time that the observation took here, per second.
func (w *watch) costMicros() int64 {
	if w.elapsed <= 0 {
		return 0
	}
	return int64(float64(w.cpu.Microseconds()) / w.elapsed.Seconds())
}

// sleepUntil returns true at an instant, or false when the context ends before.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
