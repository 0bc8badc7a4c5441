package handlersocket

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	api "github.com/mongobench/mongobench-operator/internal/product/handlersocket"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// boundOperation is an operation of a step: what is left to do for each request is to fill in the values.
type boundOperation struct {
	kind    operation.Kind
	opening opening
	link    *link
	// lead is the start of its line, up to the first value of the key or of the row.
	lead []byte
	// columns of a row that is inserted.
	columns int
	// walk, and tokens before the values of its filters, of all kinds that insert nothing.
	walk    api.Walk
	filters [][]byte
	// conditions and sets are how many values the filter and the update have.
	conditions, sets int
}

// What comes after the limit and the filters of a line that changes the row it finds.
const (
	modifierUpdate = "\tU"
	modifierDelete = "\tD"
)

// bind makes of an operation what is left to fill in for each request.
func bind(use loadgen.Use, declared planv1.Operation) (*boundOperation, error) {
	collection, err := use.Collection(declared.Collection)
	if err != nil {
		return nil, err
	}
	statement, refusal := portable.Bind(collection, declared)
	var walk api.Walk
	if refusal == nil {
		walk, refusal = api.Find(collection, statement)
	}
	switch {
	case refusal != nil:
		return nil, errors.New(refusal.String())
	case statement.Row().Effect == operation.Inserts:
		return bindInsert(use, collection)
	default:
		return bindWalk(use, collection, statement, walk)
	}
}

// bindInsert binds the inserting of rows.
func bindInsert(use loadgen.Use, collection planv1.Collection) (*boundOperation, error) {
	names, err := sql.ColumnNames(collection)
	if err != nil {
		return nil, err
	}
	return &boundOperation{
		kind: operation.InsertMany, columns: len(names),
		opening: opening{database: use.Database, table: collection.Name, index: api.Primary, columns: names},
		lead:    appendNumber([]byte("\t+"), int64(len(names))),
	}, nil
}

// bindWalk binds what finds rows, and maybe changes them.
func bindWalk(
	use loadgen.Use, collection planv1.Collection, statement portable.Statement, walk api.Walk,
) (*boundOperation, error) {
	kind, err := operation.Parse(statement.Kind)
	if err != nil {
		return nil, err
	}
	o := &boundOperation{kind: kind, walk: walk, conditions: len(statement.Where), sets: len(statement.Set)}
	o.opening = opening{database: use.Database, table: collection.Name, index: walk.Index, columns: statement.Columns}
	switch kind.Row().Effect {
	case operation.Reads:
	case operation.Updates:
		o.opening.columns = statement.Set
	case operation.Deletes:
		// None of it comes back, and the protocol wants one.
		o.opening.columns = []string{statement.Where[0].Column}
	case operation.Unknown, operation.Inserts, operation.ByPipeline, operation.ByParts, operation.Nothing:
		return nil, fmt.Errorf("HandlerSocket has nothing that does what an operation of kind %s does", kind)
	}
	if len(o.opening.columns) == 0 {
		if o.opening.columns, err = sql.ColumnNames(collection); err != nil {
			return nil, err
		}
	}
	o.lead = appendNumber([]byte("\t"+string(walk.Operator)), int64(len(walk.Key)))
	for i, filter := range walk.Filters {
		condition := statement.Where[filter.Condition]
		o.opening.filters = append(o.opening.filters, condition.Column)
		kind := "F"
		if filter.Ends {
			kind = "W"
		}
		o.filters = append(o.filters, fmt.Appendf(nil, "\t%s\t%s\t%d\t", kind, condition.Operator, i))
	}
	return o, nil
}

// writes says whether the operation needs the port that takes writes.
func (o *boundOperation) writes() bool {
	return o.kind.Row().Effect.Writes()
}

// on gives the operation its place on a session's connections.
func (o *boundOperation) on(s *session) {
	o.link = &s.read
	if o.writes() {
		o.link = &s.write
	}
	o.lead = append(strconv.AppendInt(nil, int64(o.link.add(o.opening)), 10), o.lead...)
}

// appendRow appends the line that inserts one document.
func (o *boundOperation) appendRow(dst []byte, scratch *scratch, document []byte) ([]byte, error) {
	values, err := sql.Flatten(scratch.filter[:0], document)
	if err != nil {
		return dst, err
	}
	scratch.filter = values
	if len(values) != o.columns {
		return dst, fmt.Errorf("a document has %d values, and the table %d columns", len(values), o.columns)
	}
	return appendValues(append(dst, o.lead...), values, lineEnd)
}

// appendValues appends values, each with a separator before it, and an end.
func appendValues(dst []byte, values []sql.Value, end ...byte) ([]byte, error) {
	var err error
	for _, value := range values {
		if dst, err = appendValue(append(dst, separator), value); err != nil {
			return dst, err
		}
	}
	return append(dst, end...), nil
}

// scratch is where the values of a request are looked up before they are written.
type scratch struct {
	filter, set []sql.Value
}

// appendLines appends the lines of a request: one of each document for an insert, otherwise one.
func (o *boundOperation) appendLines(dst []byte, scratch *scratch, r *workload.Request) ([]byte, error) {
	if o.columns == 0 {
		return o.appendWalk(dst, scratch, r)
	}
	var err error
	for _, document := range r.Documents {
		if dst, err = o.appendRow(dst, scratch, document); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendWalk appends the line that finds rows, and maybe changes one.
func (o *boundOperation) appendWalk(dst []byte, scratch *scratch, r *workload.Request) ([]byte, error) {
	var err error
	if scratch.filter, err = sql.Flatten(scratch.filter[:0], r.Filter); err != nil {
		return dst, err
	}
	if len(scratch.filter) != o.conditions {
		return dst, fmt.Errorf("a filter has %d values, and was to have %d", len(scratch.filter), o.conditions)
	}
	dst = append(dst, o.lead...)
	for _, place := range o.walk.Key {
		if dst, err = appendValue(append(dst, separator), scratch.filter[place]); err != nil {
			return dst, err
		}
	}
	if o.kind == operation.FindOne && len(o.filters) == 0 {
		return append(dst, lineEnd), nil
	}
	dst = append(appendNumber(dst, o.limit(r)), "\t0"...)
	for i, filter := range o.walk.Filters {
		if dst, err = appendValue(append(dst, o.filters[i]...), scratch.filter[filter.Condition]); err != nil {
			return dst, err
		}
	}
	return o.appendChange(dst, scratch, r)
}

// limit is how many rows are looked for.
func (o *boundOperation) limit(r *workload.Request) int64 {
	switch {
	case o.kind != operation.Find:
		return 1
	case r.Limit == 0:
		return api.Everything
	default:
		return r.Limit
	}
}

// appendChange appends what is to become of the row, and the end of the line.
func (o *boundOperation) appendChange(dst []byte, scratch *scratch, r *workload.Request) ([]byte, error) {
	switch o.kind.Row().Effect {
	case operation.Deletes:
		return append(append(dst, modifierDelete...), '\t', lineEnd), nil
	case operation.Updates:
		values, err := sql.Flatten(scratch.set[:0], r.Update)
		if err != nil {
			return dst, err
		}
		scratch.set = values
		if len(values) != o.sets {
			return dst, fmt.Errorf("an update has %d values, and was to have %d", len(values), o.sets)
		}
		return appendValues(append(dst, modifierUpdate...), values, lineEnd)
	case operation.Reads, operation.Unknown, operation.Inserts, operation.ByPipeline, operation.ByParts,
		operation.Nothing:
		// A read changes nothing, and the others are not bound.
	}
	return append(dst, lineEnd), nil
}

// collect takes the replies of a request's lines. Every line has its reply, also after one that failed.
func (o *boundOperation) collect(conn *Conn, r *workload.Request, reply *loadgen.Reply) error {
	if o.columns > 0 {
		inserted, err := receiveInserted(conn, int64(len(r.Documents)), false)
		reply.Wrote(operation.Inserts, inserted, 0, 0)
		return err
	}
	if o.kind == operation.Find {
		if err := conn.Await(); err != nil {
			return conn.broken(err)
		}
		reply.First = time.Now()
	}
	answer, err := conn.Receive()
	if err != nil {
		return conn.broken(err)
	}
	documents := answer.Rows()
	if o.writes() {
		if documents, err = answer.number(); err != nil {
			return conn.broken(err)
		}
		reply.Wrote(o.kind.Row().Effect, documents, 0, 0)
		return nil
	}
	reply.Documents += documents
	return nil
}

// receiveInserted takes the replies of inserts, and returns how many rows were written and the first error. Of those
// that are there already there is none when they are forgiven.
func receiveInserted(conn *Conn, rows int64, forgiven bool) (inserted int64, first error) {
	for range rows {
		_, err := conn.Receive()
		switch {
		case err == nil:
			inserted++
		case isServerError(err):
			if first == nil && (!forgiven || !isDuplicate(err)) {
				first = err
			}
		default:
			return inserted, conn.broken(err)
		}
	}
	return inserted, first
}
