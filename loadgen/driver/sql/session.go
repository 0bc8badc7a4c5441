package sql

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle: one connection, which it owns. After an error of the network the next operation
// reconnects; nothing is sent twice.
type session struct {
	target *Target
	// text says that values are sent in the text of statements.
	text       bool
	operations []boundOperation
	load       loading

	// link is nil when there is none.
	link *link
	// done belongs to the context that ends what is waited for on the connection watched, until stop is called.
	done    <-chan struct{}
	watched *link
	stop    func() bool

	// What a request is made with.
	values    []Value
	arguments []driver.Value
	dates     []byte
	limit     [8]byte
	statement []byte
	row       []driver.Value
}

// Session opens a handle, binds the step's operations and prepares their statements.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if err := checkClient(use.Client); err != nil {
		return nil, err
	}
	if use.Step.Retry == benchv1alpha1.RetryOnce {
		return nil, errRetry
	}
	if use.Step.Session != "" {
		return nil, errSession
	}
	s := &session{target: t, text: use.Client == benchv1alpha1.ClientText}
	columns := 0
	for _, declared := range use.Step.Operations {
		bound, err := bindOperation(use, declared)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", declared.Name, err)
		}
		s.operations = append(s.operations, bound)
		columns = max(columns, bound.columns)
	}
	s.row = make([]driver.Value, columns)
	var err error
	if s.load, err = t.newLoading(use); err != nil {
		return nil, err
	}
	if err := s.connect(ctx); err != nil {
		return nil, fmt.Errorf("opening a connection: %w", err)
	}
	return s, nil
}

// Client names the driver, and how statements are sent.
func (s *session) Client() string {
	switch {
	case len(s.operations) == 0:
		return s.target.Driver() + ", rows as text"
	case s.text:
		return s.target.Driver() + ", text"
	default:
		return s.target.Driver() + ", prepared"
	}
}

// Close ends the connection.
func (s *session) Close() {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	s.drop()
}

// connect makes sure that there is a connection, with all statements prepared.
func (s *session) connect(ctx context.Context) error {
	if s.link != nil {
		return nil
	}
	opened, err := s.target.open(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = opened.socket.Close() })
	err = s.prepare(opened)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = opened.Close()
		return err
	}
	s.link = opened
	return nil
}

// prepare prepares what the operations need.
func (s *session) prepare(l *link) error {
	if s.text || len(s.operations) == 0 {
		return nil
	}
	if err := l.socket.SetDeadline(time.Now().Add(s.target.timeout)); err != nil {
		return err
	}
	l.prepared, l.shorter = make([]statement, len(s.operations)), make([]statement, len(s.operations))
	for i := range s.operations {
		o := &s.operations[i]
		var err error
		if l.prepared[i], err = l.prepare(o.query.prepared()); err != nil {
			return err
		}
		if o.insert == nil || o.insert.rows%o.insert.most == 0 {
			continue
		}
		shorter := o.insert.query(o.insert.rows % o.insert.most)
		if l.shorter[i], err = l.prepare(shorter.prepared()); err != nil {
			return err
		}
	}
	return nil
}

// drop gives up the connection.
func (s *session) drop() {
	if s.link != nil {
		_ = s.link.Close()
		_ = s.link.socket.Close()
		s.link = nil
	}
}

// enter begins an operation: it ends in time, and with its context.
func (s *session) enter(ctx context.Context) error {
	if s.stop != nil && (ctx.Done() != s.done || s.watched != s.link) {
		if !s.stop() && s.watched == s.link {
			s.drop() // It ended with the context before.
		}
		s.stop = nil
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if s.stop == nil {
		s.done, s.watched = ctx.Done(), s.link
		socket := s.link.socket
		s.stop = context.AfterFunc(ctx, func() { _ = socket.Close() })
	}
	return s.link.socket.SetDeadline(time.Now().Add(s.target.timeout))
}

// leave looks at how an operation ended.
func (s *session) leave(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if s.link != nil {
		err = s.link.explain(err)
	}
	if !isRefusal(err) {
		s.drop()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Execute sends one operation.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	err := s.enter(ctx)
	if err == nil {
		err = s.execute(r, reply)
	}
	return s.leave(ctx, err)
}

// Settle has nothing to do: results are read to their end.
func (s *session) Settle(context.Context) {}

func (s *session) execute(r *workload.Request, reply *loadgen.Reply) error {
	o := &s.operations[r.Operation]
	if o.kind == operation.InsertMany {
		return s.insert(o, r, reply)
	}
	var err error
	s.values = s.values[:0]
	if o.kind == operation.UpdateOne {
		s.values, err = Flatten(s.values, r.Update)
	}
	if err == nil {
		s.values, err = Flatten(s.values, r.Filter)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	if o.limit {
		binary.LittleEndian.PutUint64(s.limit[:], uint64(r.Limit))
		s.values = append(s.values, Value{bson.TypeInt64, s.limit[:]})
	}
	if o.kind.Row().Effect == operation.Reads {
		return s.read(o, r, reply)
	}
	changed, err := s.change(o, r)
	reply.Wrote(o.kind.Row().Effect, changed, 0, 0)
	return err
}

// fits says whether the request has the values that the statement takes.
func (s *session) fits(q *query) error {
	if len(s.values) != q.values() {
		return fmt.Errorf("%w: it has %d values in place of %d", errRequest, len(s.values), q.values())
	}
	return nil
}

// change sends a statement that changes rows, and returns how many.
func (s *session) change(o *boundOperation, r *workload.Request) (int64, error) {
	if err := s.fits(&o.query); err != nil {
		return 0, err
	}
	if s.text {
		return affected(s.link.Exec(s.fill(&o.query), nil))
	}
	return affected(s.link.prepared[r.Operation].Exec(s.fillArguments()))
}

// affected is how many rows a statement has changed.
func affected(result driver.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// read sends a query and reads all of its rows.
func (s *session) read(o *boundOperation, r *workload.Request, reply *loadgen.Reply) error {
	if err := s.fits(&o.query); err != nil {
		return err
	}
	var rows driver.Rows
	var err error
	if s.text {
		rows, err = s.link.Query(s.fill(&o.query), nil)
	} else {
		rows, err = s.link.prepared[r.Operation].Query(s.fillArguments())
	}
	if err != nil {
		return err
	}
	for {
		err = rows.Next(s.row[:o.columns])
		if o.kind == operation.Find && reply.First.IsZero() {
			reply.First = time.Now()
		}
		if err != nil {
			break
		}
		reply.Documents++
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return rows.Close()
}

// insert sends the rows of a request, as many at a time as fit into a statement.
func (s *session) insert(o *boundOperation, r *workload.Request, reply *loadgen.Reply) error {
	if s.text {
		return s.insertText(o, r, reply)
	}
	for documents := r.Documents; len(documents) > 0; {
		rows := min(len(documents), o.insert.most)
		s.values = s.values[:0]
		var err error
		for _, document := range documents[:rows] {
			if s.values, err = Flatten(s.values, document); err != nil {
				return fmt.Errorf("%w: %w", errRequest, err)
			}
		}
		if len(s.values) != rows*o.insert.columns {
			return fmt.Errorf("%w: %d rows have %d values", errRequest, rows, len(s.values))
		}
		prepared := s.link.prepared[r.Operation]
		if rows < o.insert.most {
			prepared = s.link.shorter[r.Operation]
		}
		changed, err := affected(prepared.Exec(s.fillArguments()))
		if err != nil {
			return err
		}
		reply.Wrote(operation.Inserts, changed, 0, 0)
		documents = documents[rows:]
	}
	return nil
}

// insertText is insert with the values in the text.
func (s *session) insertText(o *boundOperation, r *workload.Request, reply *loadgen.Reply) error {
	rows := &s.load.rows
	for documents := r.Documents; len(documents) > 0; {
		rows.begin(o.insert)
		for _, document := range documents {
			if !rows.add(document) {
				break
			}
		}
		if rows.failure != nil {
			return rows.failure
		}
		changed, err := affected(s.link.Exec(asText(rows.bytes), nil))
		if err != nil {
			return err
		}
		reply.Wrote(operation.Inserts, changed, 0, 0)
		documents = documents[rows.count:]
	}
	return nil
}

// fillArguments are the values as arguments.
func (s *session) fillArguments() []driver.Value {
	s.arguments, s.dates = s.arguments[:0], s.dates[:0]
	for _, v := range s.values {
		var argument driver.Value
		argument, s.dates = v.argument(s.dates)
		s.arguments = append(s.arguments, argument)
	}
	return s.arguments
}

// fill is the text of a statement with the values in it, valid until the next.
func (s *session) fill(q *query) string {
	s.statement = append(s.statement[:0], q.pieces[0]...)
	for i, v := range s.values {
		s.statement = append(v.appendLiteral(s.statement), q.pieces[i+1]...)
	}
	return asText(s.statement)
}
