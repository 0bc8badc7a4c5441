package driversession

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/version"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/crud"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/drain"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/feed"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// closeTimeout bounds what a session does to end what it has open at the server.
const closeTimeout = 2 * time.Second

// Session is one worker's handle by the driver.
type Session struct {
	build    command.Builder
	opener   *Opener
	database *driver.Database
	retry    retry
	// ordered lets a batch of a load end at its first error, and resume lets documents be there already.
	ordered, resume bool
	// cursors are those that were not read to their end.
	cursors crud.Cursors
	// feeds are the open change streams and tailing cursors.
	feeds feed.Readers
	// transactions is the session that all transactions of the worker are done in; nil before the first.
	transactions *driver.Session
}

// Opener are all that a target opens by the driver.
type Opener struct {
	Client *driver.Client
	Pool   *drain.Pool
	// Terms are those of the connection string.
	Terms *command.Terms
	// Timeout bounds every operation.
	Timeout time.Duration
	// Connect opens connections beside those of the driver.
	Connect *wiresession.Opener
}

// Session opens a handle that sends by the driver.
func (o *Opener) Session(ctx context.Context, use loadgen.Use) (*Session, error) {
	if err := refuse(use.Step); err != nil {
		return nil, err
	}
	builder, err := command.NewBuilder(o.Terms, use.Step)
	if err != nil {
		return nil, err
	}
	s := &Session{
		build: builder, opener: o, database: o.Client.Database(use.Database),
		// The rest of an ordered batch would be lost behind a document that is there already.
		ordered: use.Step.Ordered && !use.Resume, resume: use.Resume,
	}
	s.feeds = feed.New(len(use.Step.Operations), s.openFeed, nil)
	s.feeds.Timeout = o.Timeout
	if use.Step.Retry == benchv1alpha1.RetryOnce {
		if err := s.retry.enable(ctx, o.Client); err != nil {
			return nil, errorclass.WithoutSecrets(err)
		}
	}
	return s, nil
}

// Client names the driver.
func (s *Session) Client() string {
	return DriverName()
}

// Sent says what goes with each operation.
func (s *Session) Sent() (terms string, poolSize int64) {
	retries := "retries off"
	switch {
	case s.retry.session != nil:
		retries = "one retry, writes with txnNumber"
	case s.retry.enabled:
		retries = "one retry of reads"
	}
	return "prepared commands, " + retries + ", lsid, maxTimeMS, nothing decoded, a connection for each thread", 0
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
}

// Settle closes the cursors that were left open.
func (s *Session) Settle(ctx context.Context) {
	s.cursors.Settle(ctx)
}

// Execute sends one operation.
func (s *Session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	if s.build.InTransaction {
		ctx = driver.NewSessionContext(ctx, s.transactions)
	}
	if r.Kind == operation.Transaction {
		return s.transact(ctx, r, reply, parts(s, r, reply))
	}
	if r.Kind == operation.ChangeStream || r.Kind == operation.Tail {
		return s.feeds.Await(ctx, r, reply)
	}
	if r.Kind == operation.Connect {
		return s.opener.Connect.Connect(ctx, r.Declared.ConnectUntil)
	}
	if r.Kind == operation.InsertThenFind {
		return command.InsertThenFind(r, func(half *workload.Request) error { return s.execute(ctx, half, reply) })
	}
	if r.Kind == operation.InsertThenWatch {
		half := *r
		half.Kind = operation.InsertOne
		return s.feeds.Follow(ctx, r, reply, func() error { return s.execute(ctx, &half, reply) })
	}
	return s.execute(ctx, r, reply)
}

// execute sends an operation that may be part of a transaction.
func (s *Session) execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	if limit := r.MaxTime(); limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	return s.do(ctx, r, reply)
}

// do sends an operation within the time that it has.
func (s *Session) do(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	s.retry.beginRead(&s.build.Command, !s.build.InTransaction && r.Kind.Row().Repeatable)
	form := command.FormOf(r.Kind)
	switch {
	case form.Answer == command.Documents:
		return s.first(ctx, form.Write(&s.build, r), r, reply)
	case form.Answer == command.Number:
		return number(ctx, s, r, reply)
	case form.Answer == command.Cursor:
		return s.stream(ctx, form.Write(&s.build, r), r, reply)
	case r.Kind == operation.RunCommand:
		return s.runCommand(ctx, r, reply)
	case r.Kind == operation.ReadModifyWrite:
		read := *reply
		if err := s.first(ctx, s.build.FindOne(r), r, &read); err != nil {
			return err
		}
		reply.Retries = read.Retries
	}
	if s.build.Terms(r).Unacknowledged {
		return s.sendUnacknowledged(ctx, r, reply)
	}
	if r.Kind == operation.BulkWrite {
		return s.writeBulk(ctx, r, reply)
	}
	if form.Answer != command.Changes {
		return fmt.Errorf("the MongoDB driver does not know operations of kind %s here", r.Kind)
	}
	return command.EachInsert(r, command.MaxBatchDocuments, command.MaxBatchBytes, func(r *workload.Request) error {
		s.retry.beginWrite(&s.build.Command, !s.build.InTransaction && r.Kind.Row().Repeatable)
		return s.change(ctx, form.Write(&s.build, r), r, reply)
	})
}

// runCommand sends a command. Whether it may be sent twice is not known, so that it is not.
func (s *Session) runCommand(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	if crud.AnswersWithCursor(r.Command) {
		return s.stream(ctx, s.build.RunCommand(r), r, reply)
	}
	answer, err := s.send(ctx, s.build.RunCommand(r), s.build.Terms(r).Read, reply)
	if err == nil {
		r.Taking.Document(answer)
	}
	return err
}

// writeBulk sends the commands of a BulkWrite one after the other.
func (s *Session) writeBulk(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	return command.EachRun(r, func(from, end int) error {
		s.retry.beginWrite(&s.build.Command, !s.build.InTransaction && command.Repeatable(r.Parts[from:end]))
		return s.change(ctx, s.build.Bulk(r, from, end), &r.Parts[from], reply)
	})
}

// change sends a command that changes documents, and adds how many.
func (s *Session) change(
	ctx context.Context, document bson.Raw, r *workload.Request, reply *loadgen.Reply,
) error {
	raw, err := s.send(ctx, document, command.Within.Read, reply)
	if err != nil {
		return err
	}
	answer, err := wire.Parse(raw)
	reply.Wrote(r.Kind.Row().Effect, answer.N, answer.Modified, answer.Upserted)
	r.Taking.Document(answer.Value)
	return err
}

// first sends a command whose whole answer is in one reply, and adds how many documents it has.
func (s *Session) first(ctx context.Context, command bson.Raw, r *workload.Request, reply *loadgen.Reply) error {
	raw, err := s.send(ctx, command, s.build.Terms(r).Read, reply)
	if err != nil {
		return err
	}
	answer, err := wire.Parse(raw)
	if err == nil && answer.Batch == nil {
		err = fmt.Errorf("the reply holds no documents: %s", raw)
	}
	if err != nil {
		return err
	}
	documents, err := wire.Count(answer.Batch)
	reply.Documents += documents
	r.Taking.Batch(answer.Batch)
	return err
}

// stream sends a command that answers with a cursor, and reads as much of it as the request says.
func (s *Session) stream(ctx context.Context, command bson.Raw, r *workload.Request, reply *loadgen.Reply) error {
	read := s.build.Terms(r).Read
	cursor, err := s.database.RunCommandCursor(ctx, command, read)
	if err != nil && s.retry.again(err) {
		reply.Retries++
		cursor, err = s.database.RunCommandCursor(ctx, command, read)
	}
	if err != nil {
		return err
	}
	if reply.First.IsZero() {
		reply.First = time.Now()
	}
	s.cursors = append(s.cursors, cursor)
	firstOnly := r.FirstBatchOnly || r.Kind == operation.RunCommand
	if firstOnly && r.Taking == nil {
		reply.Documents += int64(cursor.RemainingBatchLength())
		return nil
	}
	cursor.SetBatchSize(r.BatchSize)
	for (!firstOnly || cursor.RemainingBatchLength() > 0) && cursor.Next(ctx) {
		reply.Documents++
		r.Taking.Document(cursor.Current)
	}
	return cursor.Err()
}

// send sends a command, once more where that is allowed and makes sense, and returns the answer.
func (s *Session) send(
	ctx context.Context, command bson.Raw, read *options.RunCmdOptionsBuilder, reply *loadgen.Reply,
) (bson.Raw, error) {
	ctx = s.retry.context(ctx)
	raw, err := s.database.RunCommand(ctx, command, read).Raw()
	if err != nil && s.retry.again(err) {
		reply.Retries++
		return s.database.RunCommand(ctx, command, read).Raw()
	}
	return raw, err
}

// inserting is a request such as a batch of a load is.
var inserting = workload.Request{Kind: operation.InsertMany}

// DriverName names the driver and its version.
func DriverName() string {
	return "mongo-driver v" + strings.TrimPrefix(version.Driver, "v")
}

// Encode writes one insert of as many documents as it may hold.
func (s *Session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	// Servers that remember writes know a batch again; the trailing number is the same for whatever is in it.
	s.retry.beginWrite(&s.build.Command, true)
	return s.build.Load(command.Batch{
		Collection: collection, Ordered: s.ordered,
		MaxDocuments: command.MaxBatchDocuments, MaxBytes: command.MaxBatchBytes,
	}, documents, first, count)
}

// Pipeline is one batch: the driver waits for every reply.
func (s *Session) Pipeline() int {
	return 1
}

// Acknowledge has nothing to wait for: Send did.
func (s *Session) Acknowledge(context.Context) error {
	return nil
}

// Send sends what Encode wrote, and waits for the reply.
func (s *Session) Send(ctx context.Context) error {
	var reply loadgen.Reply
	err := s.change(ctx, s.build.Command.Bytes, &inserting, &reply)
	if s.resume && errorclass.OnlyThereAlready(err) {
		return nil
	}
	return err
}

// firstTxnNumber is larger than any number that the driver gave a transaction of the same server session before.
const firstTxnNumber = 1 << 40

// retry decides which commands are sent once more. The zero value sends nothing twice.
//
// A read may be sent again at any time. A write may be only where the servers remember what they did: a number in the
// command, together with the session, lets them know it again. Servers that are alone do not remember, and of an update
// or delete of many documents none does: such writes are never sent twice.
type retry struct {
	enabled bool
	// session whose writes are numbered; nil where servers do not remember.
	session *driver.Session
	number  int64
	element []byte
	// allowed and numbered say it of the command that is under way.
	allowed, numbered bool
}

// enable turns it on, and asks the server what it is.
func (y *retry) enable(ctx context.Context, client *driver.Client) error {
	y.enabled = true
	hello, err := lookup.Admin(ctx, client)(lookup.IsMaster)
	if err != nil {
		return fmt.Errorf("asking the server whether it remembers writes: %w", err)
	}
	if lookup.Text(hello, "setName") == "" && !lookup.IsMongos(hello) {
		return nil
	}
	// The session is never given back: its numbers are not those that the driver would go on with.
	y.session, err = client.StartSession(options.Session().SetCausalConsistency(false))
	if err != nil {
		return fmt.Errorf("starting the session of retryable writes: %w", err)
	}
	y.number = firstTxnNumber
	return nil
}

// beginRead is called before a command is written that changes nothing.
func (y *retry) beginRead(c *command.Buffer, may bool) {
	y.allowed, y.numbered = y.enabled && may, false
	c.Trailer = nil
}

// beginWrite is called before a command is written that changes something: it gets a number if it may be sent twice.
func (y *retry) beginWrite(c *command.Buffer, may bool) {
	y.numbered = y.session != nil && may
	y.allowed = y.numbered
	c.Trailer = nil
	if y.numbered {
		y.number++
		y.element = bsoncore.AppendInt64Element(y.element[:0], "txnNumber", y.number)
		c.Trailer = y.element
	}
}

// context is what the command has to be sent with.
func (y *retry) context(ctx context.Context) context.Context {
	if !y.numbered {
		return ctx
	}
	return driver.NewSessionContext(ctx, y.session)
}

// again says whether the command that failed is to be sent once more.
func (y *retry) again(err error) bool {
	if !y.allowed || errors.Is(err, context.Canceled) || driver.IsTimeout(err) {
		return false
	}
	if driver.IsNetworkError(err) {
		return true
	}
	var server driver.ServerError
	if !errors.As(err, &server) {
		return false
	}
	return errorclass.Retryable(server)
}
