package loadgen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// MostConnecting is how many workers connect at a time. A server that shakes thousands of hands at once shakes none of
// them within the time that a connection has.
const MostConnecting = 128

// Target is a database that is measured. Its methods may be called from several goroutines.
type Target interface {
	// Driver names what the database is spoken to with, and its version.
	Driver() string
	// Describe returns what the server says of itself. What may not be asked stays empty.
	Describe(ctx context.Context) (reportv1.Server, error)
	// Prepare makes a collection, empty, without its indexes. One of the same name is dropped.
	Prepare(ctx context.Context, database string, collection planv1.Collection) error
	// Create makes a collection that is missing, without its indexes. One that is there stays as it is.
	Create(ctx context.Context, database string, collection planv1.Collection) error
	// Index makes the indexes of a collection. One that is there already stays.
	Index(ctx context.Context, database string, collection planv1.Collection) error
	// Count returns the exact number of documents of a collection.
	Count(ctx context.Context, database, collection string) (int64, error)
	// Read returns the stored documents with these values of _id, in any order; what is not there is left out.
	Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error)
	// Session opens one worker's handle, and fails when the database cannot be reached.
	Session(ctx context.Context, use Use) (Session, error)
	// Classify names the class of an error of a Session: one of those that reportv1.ErrorClass lists.
	Classify(err error) string
	// Traffic is what went over all connections since the target was opened.
	Traffic() reportv1.Traffic
}

// Use says what a session is for.
type Use struct {
	Database string
	// Collections of the plan, whose shard keys a router has to know.
	Collections []planv1.Collection
	// Step whose operations, or batches, the session will send.
	Step planv1.Step
	// Client is the plan's.
	Client benchv1alpha1.Client
	// Resume tells a Load that documents which are there already are not an error.
	Resume bool
}

// Collection is the one of this name.
func (u Use) Collection(name string) (planv1.Collection, error) {
	for _, collection := range u.Collections {
		if collection.Name == name {
			return collection, nil
		}
	}
	return planv1.Collection{}, fmt.Errorf("collection %q is not in the dataset", name)
}

// Session is one worker's handle to a Target; it is used by one goroutine at a time.
type Session interface {
	// Client names what the session sends by: "wire", or the driver with its version.
	Client() string
	// Execute sends an operation and returns once the last reply that belongs to it has come; the reply, which is the
	// caller's, says what came. The time it takes is what is measured. The request is the caller's again afterwards.
	Execute(ctx context.Context, request *workload.Request, reply *Reply) error
	// Settle does what is left to do after Execute, such as closing a cursor that was not read to its end. It is not
	// measured; what goes wrong in it shows in the next operation.
	Settle(ctx context.Context)
	// Encode makes one batch of the documents of the record numbers from first on, as many of count as fit into a
	// request, and returns how many these are: at least one.
	Encode(collection string, documents Documents, first, count int64) int64
	// Send sends what Encode made. It may return before the batch is acknowledged; then Encode may make another.
	Send(ctx context.Context) error
	// Acknowledge waits for the reply to the oldest batch that was sent and not acknowledged yet.
	Acknowledge(ctx context.Context) error
	// Pipeline is how many batches may be sent and not acknowledged: at least one.
	Pipeline() int
	// Close gives the session's connection back.
	Close()
}

// Reply is what came back of one operation.
type Reply struct {
	// Documents that were returned or written.
	Documents int64
	// Inserted, Matched, Modified and Deleted are those of them that were inserted, by an upsert too; that an update or
	// replacement found; that it changed, which is at most as many; and that were removed: as far as the server tells.
	Inserted, Matched, Modified, Deleted int64
	// First is when the first document, or the first reply of a cursor without one, had come; zero for kinds without a
	// cursor.
	First time.Time
	// Since is when what the operation's time is about began by the clock here, such as the commit of a change that was
	// delivered; zero: it began with the send.
	Since time.Time
	// Database is how long the database took, of an operation that went to it through a service; zero for all others.
	Database time.Duration
	// Retries is how often the operation was sent once more.
	Retries int
	// Cursor is the one that a recorded command left open, 0 for none, and Code the error that it was answered with.
	Cursor int64
	Code   int32
	// Unacknowledged says that there is no time to record: no reply was asked for, or it is not known when the news of a
	// change stream or tailing cursor began, or there was none.
	Unacknowledged bool
}

// Wrote adds what a server said of a write: how many documents it was about, how many of them it changed and how many
// it inserted because there were none.
func (r *Reply) Wrote(effect operation.Effect, documents, modified, upserted int64) {
	r.Documents += documents
	switch effect {
	case operation.Inserts:
		r.Inserted += documents
	case operation.Updates:
		r.Inserted += upserted
		r.Matched += documents - upserted
		r.Modified += modified
	case operation.Deletes:
		r.Deleted += documents
	case operation.Unknown, operation.Reads, operation.ByPipeline, operation.ByParts, operation.Nothing:
		// They are no single write.
	}
}

// Add adds what came back of a part of the operation.
func (r *Reply) Add(part Reply) {
	r.Documents += part.Documents
	r.Inserted += part.Inserted
	r.Matched += part.Matched
	r.Modified += part.Modified
	r.Deleted += part.Deleted
	r.Retries += part.Retries
	r.Unacknowledged = r.Unacknowledged || part.Unacknowledged
}

// Found is how many documents the operation came upon that were there before it.
func (r *Reply) Found() int64 { return r.Documents - r.Inserted }

// Documents makes the documents of a collection, each from its record number alone.
type Documents interface {
	// Append appends the encoded document of a record to dst.
	Append(dst []byte, record int64) []byte
}

// Gate lets the load pods of a run begin a step together.
type Gate interface {
	// Wait returns the instant at which to begin the step with this index of the plan, once it is known. It is called
	// after the pod's Progress said that it waits.
	Wait(ctx context.Context, step int) (time.Time, error)
}

// Reporter takes what a load pod has to say. An error of Progress ends the run only where others wait for it: in the
// states Waiting and Done.
type Reporter interface {
	// Progress is called when a step is reached, every second within it, and at the end; never concurrently.
	Progress(ctx context.Context, progress reportv1.Progress) error
	// Report is called once, when every step has ended.
	Report(ctx context.Context, report reportv1.Report) error
}

// Keeper is a Target that can say whose a database is and what is in it. A plan whose dataset may be there already
// needs one.
type Keeper interface {
	Claimer
	// Mark returns the mark of a database; nil when it has none.
	Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error)
	// SetMark writes the mark, acknowledged by a majority.
	SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error
	// Holds returns the names of the database's collections, without the mark's and the server's own.
	Holds(ctx context.Context, database string) ([]string, error)
}

// SeriesReader is a Target that can read documents of a time-series collection, in which an _id finds nothing quickly.
type SeriesReader interface {
	// ReadSeries returns the stored documents that have the _id of one of these documents, and are of their times.
	ReadSeries(ctx context.Context, database string, collection planv1.Collection, of []bson.Raw) ([]bson.Raw, error)
}

// OpenGate is a Gate that can tell, without waiting, whether a step was told to start.
type OpenGate interface {
	Gate
	// Open says whether the start of the step with this index of the plan is published.
	Open(ctx context.Context, step int) (bool, error)
}

// Filler is a Target whose sessions share connections, which it can open before they are needed.
type Filler interface {
	// Fill opens as many as so many sessions of a Use need at a time. Only the end of the context is an error: what cannot
	// be opened the operations find out.
	Fill(ctx context.Context, use Use, sessions int) error
}

// Idler is a Target that can have connections open beside those of its sessions. Steps with idle connections need one.
type Idler interface {
	// Idle opens so many, each logged in like the load's, and fails when any cannot be opened.
	Idle(ctx context.Context, connections int) (Idle, error)
}

// Idle are connections that send nothing.
type Idle interface {
	// Lost asks over each of them whether the server still has it, and returns how many it has not.
	Lost(ctx context.Context) int64
	// Close ends all of them.
	Close()
}

// Checkpointer is a Keeper that can also keep how far a load has come.
type Checkpointer interface {
	// Checkpoints returns those of all pods.
	Checkpoints(ctx context.Context, database string) ([]reportv1.LoadCheckpoint, error)
	// SetCheckpoint replaces that of a pod. When it returns, what the server acknowledged before is as durable as the
	// checkpoint itself, as far as one server or replica set holds both.
	SetCheckpoint(ctx context.Context, database string, checkpoint reportv1.LoadCheckpoint) error
	// ClearCheckpoints removes those of all pods.
	ClearCheckpoints(ctx context.Context, database string) error
}

// Sizer is a Target that knows what collections take on disk. Steps of kind Size and Balance need one.
type Sizer interface {
	// Sizes of the collections, one of each for every shard, after a checkpoint. Shards come in the order of their names.
	Sizes(ctx context.Context, database string, collections []planv1.Collection) ([]reportv1.CollectionSize, error)
	// Balancing says whether chunks are being moved, or will be, so that waiting may change the sizes.
	Balancing(ctx context.Context) (bool, error)
}

// ErrNoPlan is what Explain returns of a request that is carried out without one, such as an insert.
var ErrNoPlan = errors.New("requests of this kind have no plan")

// Explainer is a Target that can say how it carries out the requests of a step. Nothing is changed by that.
type Explainer interface {
	// Explain asks how a request, which is a whole operation or a part of one, is carried out. It returns when the context
	// ends. Errors hold no credentials.
	Explain(ctx context.Context, use Use, request *workload.Request) (reportv1.Explained, error)
}

// SearchIndexer is a Target that can make the search indexes of a collection.
type SearchIndexer interface {
	// IndexForSearch makes them and returns once all can be asked. One that is there already and the same is left as it
	// is. Errors hold no credentials.
	IndexForSearch(ctx context.Context, database string, collection planv1.Collection) error
}

// Answerer is a Target that can say which documents an Aggregate is answered with.
type Answerer interface {
	// Answers returns the _id of each document of the answer, in their order; a document without one is an error, and so
	// are more than 100,000 documents. It returns when the context ends. Errors hold no credentials.
	Answers(ctx context.Context, use Use, request *workload.Request) ([]bson.RawValue, error)
}

// Drainer is a Session that can send unacknowledged writes, and can tell whether they have arrived.
type Drainer interface {
	// Unacknowledged says whether an operation of the step, by its index, is a write that no reply is asked for. Of an
	// operation that writes nothing it may say anything.
	Unacknowledged(operation int) bool
	// Drain waits until the servers have taken in all writes that the session sent so far without asking for a reply. A
	// server answers what comes over one connection in its order, so that the reply to one more command says so. An error
	// is that this is unknown, as after a connection that broke with such writes on it. Without any it returns at once.
	Drain(ctx context.Context) error
}

// Replayer is a Session that can send commands as they were recorded: whole, in a session of their own, and each to its
// database. A cursor that one leaves open stays open.
type Replayer interface {
	Session
	// Kill closes such a cursor. What goes wrong in it shows in the next operation.
	Kill(ctx context.Context, request *workload.Request, cursor int64)
}

// Transactor is a Session that can do several operations in one transaction.
type Transactor interface {
	// Transact begins a transaction as the request declares it, has body execute what belongs to it by this session, and
	// commits it. An error of body ends it without its effects; where that may help, body is called again. The retries are
	// added to the reply.
	Transact(ctx context.Context, request *workload.Request, reply *Reply, body func() error) error
}

// Telling is a Session that says what it sends with each operation besides what the operation declares.
type Telling interface {
	// Sent says it in a few words for people, the same for all sessions of a step, and the most connections that sessions
	// share; 0 for a session with its own.
	Sent() (terms string, poolSize int64)
}

// Estimator is a Target that can say how many documents a collection has without reading any: as the server keeps the
// number. Without it, what arrived of unacknowledged writes is not counted.
type Estimator interface {
	// Estimate returns the number of documents as it is after the writes that the server has taken in.
	Estimate(ctx context.Context, database, collection string) (int64, error)
}

// Observer looks at the servers of a deployment while the steps of a plan go on. Nothing that it sees, or cannot see,
// ends a run.
type Observer interface {
	// Start begins to observe and returns at once. The observation ends with Stop, or with the context.
	Start(ctx context.Context)
	// Stop ends the observation and returns what was seen of each server.
	Stop() []reportv1.Member
}

// SlowAsker is an Observer that can also say which commands took long.
type SlowAsker interface {
	// Slow asks the servers for the commands that they logged as slow from one instant to another, by the wall clock here.
	// It takes some seconds at most.
	Slow(ctx context.Context, from, to time.Time) []reportv1.SlowCommands
}

// DiagnosticsKeeper is an Observer that can also keep the raw data that servers have of themselves.
type DiagnosticsKeeper interface {
	// Keep keeps it from an instant on, until the returned function is called. It is then among what Stop returns.
	Keep(from time.Time) (end func())
}

// Pinger asks the servers that requests go to for nothing but an answer, each many times, and says how far they are and
// how the clock here stands against theirs. Nothing that it finds, or cannot find, ends a run.
type Pinger interface {
	// Ping takes some seconds at most. With an error it may still have found some of the servers.
	Ping(ctx context.Context) ([]reportv1.Ping, error)
}

// Pressed is an Observer that also knows whether the servers are still busy with what they were asked for before.
type Pressed interface {
	// Pressed says what a server is busy with, in a few words, by what it said last. It is empty when none is, and when
	// they do not tell. It may be called at any time from Start on.
	Pressed() string
}

// Watcher is told what this pod is at, for those who look at a run before it has ended. It returns at once, and nothing
// that it does changes the run.
type Watcher interface {
	// Begin is told of a step that this pod begins to work at.
	Begin(step planv1.Step)
	// Record is told what the step's operations will be recorded by, before the first of them: one recording for each of
	// its groups. A search has one window after another.
	Record(window ...measure.Recorded)
	// End is told once the step is over, and its last recording complete.
	End()
}

// What a server's report says of a deployment, where its durability depends on it.
const (
	// TopologyStandalone is one server without replication.
	TopologyStandalone = "Standalone"
	// PersistenceTransient says that the storage engine keeps nothing over a restart.
	PersistenceTransient = "Transient"
)

// majority is the write concern that waits for one.
const majority = "majority"

// ConcernDurability is what a write with this concern has survived once such a server acknowledges it.
func ConcernDurability(concern planv1.WriteConcern, server reportv1.Server) string {
	switch {
	case concern.W == "0":
		return string(benchv1alpha1.DurabilityNone)
	case concern.W == majority && server.Topology != TopologyStandalone:
		return string(benchv1alpha1.DurabilityMajority)
	case server.Persistence == PersistenceTransient:
		return string(benchv1alpha1.DurabilityMemory)
	case concern.Journal == benchv1alpha1.JournalRequired, concern.Journal == "" && syncsMajority(concern, server):
		return string(benchv1alpha1.DurabilitySynced)
	default:
		return string(benchv1alpha1.DurabilityMemory)
	}
}

// syncsMajority says whether a standalone, which is a majority of one, writes its journal for it without being asked:
// the servers since 5.0 do.
func syncsMajority(concern planv1.WriteConcern, server reportv1.Server) bool {
	return concern.W == majority && mongod.ParseRelease(server.Version).AtLeast(mongod.Release{Major: 5})
}

// Credentials reads a name and a password from the files username and password of a folder, as a mounted Secret has
// them. An end of line is no part of either.
func Credentials(folder string) (username, password string, err error) {
	for file, text := range map[string]*string{"username": &username, "password": &password} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return "", "", fmt.Errorf("reading credentials: %w", err)
		}
		*text = strings.TrimRight(string(content), "\r\n")
	}
	return username, password, nil
}
