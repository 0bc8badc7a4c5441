package handlersocket

import (
	"context"
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle: a connection to each port that its operations need. After an error of the network the
// next operation reconnects.
type session struct {
	use         loadgen.Use
	operations  []*boundOperation
	read, write link

	// lines is what is sent.
	lines   []byte
	scratch scratch

	load loading
}

// begin connects. Indexes of a Load are not opened yet: its tables may be made only now.
func (s *session) begin(ctx context.Context) error {
	if s.use.Step.Kind == planv1.StepLoad {
		return s.write.connect(ctx)
	}
	for _, link := range s.links() {
		if len(link.openings) == 0 {
			continue
		}
		if err := link.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) links() []*link {
	return []*link{&s.read, &s.write}
}

// Client says that it is this client.
func (s *session) Client() string {
	return Name
}

// Close ends the connections.
func (s *session) Close() {
	for _, link := range s.links() {
		link.close()
	}
}

// Settle has nothing to do: a reply is read to its end.
func (s *session) Settle(context.Context) {}

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	if r.Operation >= len(s.operations) {
		return fmt.Errorf("%w: it is operation %d", errRequest, r.Operation)
	}
	o := s.operations[r.Operation]
	var err error
	if s.lines, err = o.appendLines(s.lines[:0], &s.scratch, r); err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	if err := o.link.enter(ctx); err != nil {
		return o.link.leave(ctx, err)
	}
	conn := o.link.conn
	if err := conn.Send(s.lines); err != nil {
		return o.link.leave(ctx, conn.broken(err))
	}
	return o.link.leave(ctx, o.collect(conn, r, reply))
}

const (
	// pipeline is how many batches are under way: while the server writes one, the next is made and sent.
	pipeline = 2
	// maxBatchBytes and maxBatchRows bound what is sent without reading a reply, so that neither side ever waits for
	// the other to read.
	maxBatchBytes = 1 << 20
	maxBatchRows  = 10_000
)

// loading is what a Load needs of a session.
type loading struct {
	// inserts are bound by collection.
	inserts map[string]*boundOperation
	// batches are used in turn; turn is the one to be encoded or sent next.
	batches [pipeline]batch
	turn    int
	// outstanding is how many were sent over conn and not acknowledged, and sent the rows of each: when a batch is
	// acknowledged, the next one may be encoded in its place already.
	outstanding int
	sent        [pipeline]int64
	conn        *Conn
	document    []byte
}

// batch is rows that are sent together.
type batch struct {
	lines []byte
	rows  int64
	// err is why it cannot be sent.
	err error
}

// errNothingSent is a mistake of the caller's.
var errNothingSent = errors.New("no batch waits to be acknowledged")

// errLost is of a batch whose connection broke before it was acknowledged.
var errLost = errors.New("the connection broke before the batch was acknowledged")

// Pipeline is how many batches may be under way.
func (s *session) Pipeline() int {
	return pipeline
}

// insert is the operation that writes a collection's rows.
func (s *session) insert(collection string) (*boundOperation, error) {
	if known := s.load.inserts[collection]; known != nil {
		return known, nil
	}
	declared, err := s.use.Collection(collection)
	if err != nil {
		return nil, err
	}
	bound, err := bindInsert(s.use, declared)
	if err != nil {
		return nil, err
	}
	bound.on(s)
	if s.load.inserts == nil {
		s.load.inserts = map[string]*boundOperation{}
	}
	s.load.inserts[collection] = bound
	return bound, nil
}

// Encode writes one line per document, as many as fit into a batch. What is wrong with them Send says.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	b := &s.load.batches[s.load.turn]
	b.lines, b.rows = b.lines[:0], 0
	var insert *boundOperation
	if insert, b.err = s.insert(collection); b.err != nil {
		return count
	}
	most := min(count, maxBatchRows)
	for b.rows < most {
		before := len(b.lines)
		s.load.document = documents.Append(s.load.document[:0], first+b.rows)
		b.lines, b.err = insert.appendRow(b.lines, &s.scratch, s.load.document)
		if b.err != nil {
			b.err = fmt.Errorf("%w: record %d: %w", errRequest, first+b.rows, b.err)
			return count
		}
		if len(b.lines) > maxBatchBytes && b.rows > 0 {
			b.lines = b.lines[:before]
			break
		}
		b.rows++
	}
	return b.rows
}

// Send sends what Encode wrote, without waiting for the replies.
func (s *session) Send(ctx context.Context) error {
	b := &s.load.batches[s.load.turn]
	if b.err != nil {
		return b.err
	}
	if s.load.outstanding > 0 && s.lost() {
		return s.write.leave(ctx, fmt.Errorf("sending a batch: %w", errLost))
	}
	if err := s.write.enter(ctx); err != nil {
		return s.write.leave(ctx, err)
	}
	s.load.conn = s.write.conn
	if err := s.load.conn.Send(b.lines); err != nil {
		return s.write.leave(ctx, s.load.conn.broken(err))
	}
	s.load.sent[s.load.turn] = b.rows
	s.load.turn = (s.load.turn + 1) % pipeline
	s.load.outstanding++
	return nil
}

// lost says whether the connection of the batches that are under way is no more.
func (s *session) lost() bool {
	return s.load.conn != s.write.conn || s.load.conn.closed.Load()
}

// Acknowledge waits for the replies to the oldest batch that has none.
func (s *session) Acknowledge(ctx context.Context) error {
	if s.load.outstanding == 0 {
		return errNothingSent
	}
	rows := s.load.sent[(s.load.turn+pipeline-s.load.outstanding)%pipeline]
	s.load.outstanding--
	if s.lost() {
		s.load.outstanding = 0
		return s.write.leave(ctx, fmt.Errorf("waiting for a batch: %w", errLost))
	}
	_, err := receiveInserted(s.load.conn, rows, s.use.Resume)
	return s.write.leave(ctx, err)
}
