package appsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/drain"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/driversession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/feed"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// closeTimeout bounds what a session does to end what it has open at the server.
const closeTimeout = 2 * time.Second

// Opener opens the sessions of one of the driver's clients.
type Opener struct {
	Client *driver.Client
	Pool   *drain.Pool
	// Terms are those of the connection string.
	Terms *command.Terms
	// Timeout bounds every operation.
	Timeout time.Duration
	// Sends is what the client's options make of every operation.
	Sends Sends
	// Connect opens connections beside those of the driver.
	Connect *wiresession.Opener
}

// Session is one worker's handle.
type Session struct {
	opener   *Opener
	database *driver.Database
	build    command.Builder
	bound    bound
	// operations have the handles of each operation, and others those of what is of none.
	operations []handles
	others     handles
	// request is the one under way, which the settings below are of.
	request  *workload.Request
	settings settings
	// retry lets a transaction be repeated when the server says that it may help.
	retry bool
	// inside says that a transaction is under way.
	inside bool
	// cursors are those that were not read to their end.
	cursors crud.Cursors
	feeds   feed.Readers
	// causal is the session that all other operations of the worker are done in; nil for one of each.
	causal *driver.Session
	// snapshots says that reads are done in a session that reads from one snapshot: in snapshot, which is nil before the
	// first.
	snapshots bool
	snapshot  *driver.Session
	// transactions is the session of the worker's transactions; nil before the first.
	transactions *driver.Session
}

var (
	_ loadgen.Drainer     = (*Session)(nil)
	_ loadgen.Snapshotter = (*Session)(nil)
	_ loadgen.Telling     = (*Session)(nil)
	_ loadgen.Transactor  = (*Session)(nil)
)

// Session opens a handle.
func (o *Opener) Session(use loadgen.Use) (*Session, error) {
	builder, err := command.NewBuilder(o.Terms, use.Step)
	if err != nil {
		return nil, err
	}
	s := &Session{
		opener: o, database: o.Client.Database(use.Database), build: builder, bound: bound{timeout: o.Timeout},
		retry: use.Step.Retry != benchv1alpha1.RetryNever, snapshots: use.Step.Session == benchv1alpha1.SessionSnapshot,
	}
	if use.Step.Session == benchv1alpha1.SessionCausal {
		if s.causal, err = o.Client.StartSession(options.Session().SetCausalConsistency(true)); err != nil {
			return nil, fmt.Errorf("starting the causally consistent session: %w", err)
		}
	}
	s.settings = newSettings(s)
	s.feeds = feed.New(len(use.Step.Operations), s.openFeed, func(news feed.Feed) error {
		var document bson.D
		return news.Decode(&document)
	})
	s.feeds.Timeout = o.Timeout
	s.others = handles{byName: map[string]*driver.Collection{}}
	for i := range use.Step.Operations {
		s.operations = append(s.operations, s.handles(&use.Step.Operations[i], i))
	}
	return s, nil
}

// Fill opens the connections that so many sessions use at a time, to the servers that the step's operations go to.
func (o *Opener) Fill(ctx context.Context, use loadgen.Use, sessions int) error {
	builder, err := command.NewBuilder(o.Terms, use.Step)
	if err != nil {
		return err
	}
	if size := o.Sends.PoolSize; size > 0 {
		sessions = int(min(int64(sessions), size))
	}
	filled := map[string]bool{}
	for i := range use.Step.Operations {
		preference := builder.Terms(&workload.Request{Operation: i}).Preference
		if filled[preference.String()] {
			continue
		}
		filled[preference.String()] = true
		ask := func(ctx context.Context) error { return o.Client.Ping(ctx, preference) }
		if err := o.Pool.Fill(ctx, sessions, ask); err != nil {
			return err
		}
	}
	return nil
}

// handles are the driver's handles of the collections of one operation, with its concerns and read preference.
type handles struct {
	own    []options.Lister[options.CollectionOptions]
	byName map[string]*driver.Collection
}

// handles are those of an operation. One that is always acknowledged is so whatever the connection string says.
func (s *Session) handles(declared *planv1.Operation, index int) handles {
	terms := s.build.Terms(&workload.Request{Operation: index})
	own := options.Collection().SetReadPreference(terms.Preference)
	if declared.ReadConcern != "" {
		own.SetReadConcern(&readconcern.ReadConcern{Level: command.ServerName(declared.ReadConcern)})
	}
	switch {
	case declared.WriteConcern != nil:
		own.SetWriteConcern(crud.WriteConcern(*declared.WriteConcern))
	case s.opener.Terms.Unacknowledged && !terms.Unacknowledged:
		own.SetWriteConcern(crud.WriteConcern(planv1.WriteConcern{}))
	}
	return handles{own: []options.Lister[options.CollectionOptions]{own}, byName: map[string]*driver.Collection{}}
}

// collection is the handle of a request's collection.
func (s *Session) collection(r *workload.Request) *driver.Collection {
	of := &s.others
	if r.Operation < len(s.operations) {
		of = &s.operations[r.Operation]
	}
	found := of.byName[r.Collection]
	if found == nil {
		found = s.database.Collection(r.Collection, of.own...)
		of.byName[r.Collection] = found
	}
	return found
}

// Client names the driver.
func (s *Session) Client() string {
	return driversession.DriverName()
}

// Sent says what goes with each operation.
func (s *Session) Sent() (terms string, poolSize int64) {
	return s.opener.Sends.String(), s.opener.Sends.PoolSize
}

// Close ends what is open at the server. Connections are the driver's.
func (s *Session) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	s.Settle(ctx)
	s.feeds.Close(ctx)
	if s.transactions != nil {
		s.endTransactions(ctx)
	}
	if s.causal != nil {
		s.causal.EndSession(ctx)
	}
	s.NewSnapshot()
	s.bound.close()
}

// Settle closes the cursors that were left open.
func (s *Session) Settle(ctx context.Context) {
	s.cursors.Settle(ctx)
}

// Execute sends one operation.
func (s *Session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	if r.Kind == operation.ChangeStream || r.Kind == operation.Tail {
		// They wait as long as they are told to.
		return s.feeds.Await(ctx, r, reply)
	}
	if r.Kind == operation.InsertThenWatch {
		half := *r
		half.Kind = operation.InsertOne
		return s.feeds.Follow(ctx, r, reply, func() error { return s.send(ctx, &half, reply) })
	}
	return s.send(ctx, r, reply)
}

// send does an operation within the time that each has.
func (s *Session) send(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	bounded := s.bound.begin(ctx)
	var err error
	if r.Kind == operation.Transaction {
		err = s.transact(bounded, r, reply, s.parts(r, reply))
	} else {
		bounded, err = s.within(bounded, r)
		if err == nil {
			err = s.execute(bounded, r, reply)
		}
	}
	reply.Retries += s.bound.retries(err)
	return s.bound.end(err)
}

// execute sends an operation that may be part of a transaction.
func (s *Session) execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	if limit := r.MaxTime(); limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	s.request = r
	do := methods[r.Kind]
	if do == nil {
		return fmt.Errorf("the Application client does not know operations of kind %s here", r.Kind)
	}
	if !s.inside && s.build.Terms(r).Unacknowledged && r.Kind.Row().Effect != operation.Reads {
		s.opener.Pool.Sends()
	}
	return do(ctx, s, r, reply)
}

// written adds what a write changed, unless the server was asked not to tell.
func written(reply *loadgen.Reply, told loadgen.Reply, acknowledged bool, err error) error {
	reply.Unacknowledged = reply.Unacknowledged || !acknowledged && err == nil
	if acknowledged {
		reply.Add(told)
	}
	return err
}

// single decodes the one document of a result, if it has one, and has a flow take it.
func single(r *workload.Request, result *driver.SingleResult) (documents int64, _ error) {
	var document bson.D
	switch err := result.Decode(&document); {
	case err == nil && r.Taking != nil:
		raw, err := result.Raw()
		r.Taking.Document(raw)
		return 1, err
	case err == nil:
		return 1, nil
	case errors.Is(err, driver.ErrNoDocuments):
		return 0, nil
	default:
		return 0, err
	}
}

// read decodes the documents of a cursor: all of them, or those of its first batch.
func (s *Session) read(
	ctx context.Context, cursor *driver.Cursor, r *workload.Request, firstOnly bool, reply *loadgen.Reply,
) error {
	if reply.First.IsZero() && r.Kind != operation.RunCommand {
		reply.First = time.Now()
	}
	s.cursors = append(s.cursors, cursor)
	for (!firstOnly || cursor.RemainingBatchLength() > 0) && cursor.Next(ctx) {
		var document bson.D
		if err := cursor.Decode(&document); err != nil {
			return fmt.Errorf("decoding a document: %w", err)
		}
		r.Taking.Document(cursor.Current)
		reply.Documents++
	}
	return cursor.Err()
}

// Unacknowledged says whether an operation's writes go without a reply.
func (s *Session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over all of the client's connections: which of them carried the session's writes is not known.
func (s *Session) Drain(ctx context.Context) error {
	return s.opener.Pool.Drain(ctx, s.opener.Client)
}

// errLoads is a mistake of the caller's.
var errLoads = errors.New("the Application client loads nothing; loading goes by another session")

// Encode is of loads, which go by another session.
func (s *Session) Encode(string, loadgen.Documents, int64, int64) int64 { return 1 }

// Send is of loads.
func (s *Session) Send(context.Context) error { return errLoads }

// Acknowledge is of loads.
func (s *Session) Acknowledge(context.Context) error { return errLoads }

// Pipeline is of loads.
func (s *Session) Pipeline() int { return 1 }
