package sql

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/mongobench/mongobench-operator/internal/product/portable"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// resumed keeps a row that is there already as it is. Not so IGNORE, which would keep quiet about other errors too.
const resumed = " ON DUPLICATE KEY UPDATE `" + portable.PrimaryKey + "`=`" + portable.PrimaryKey + "`"

// loading is what a session loads with.
type loading struct {
	tables map[string]*insertion
	// suffix comes after the rows.
	suffix string
	rows   rowsWriter
	// document is where documents are made.
	document []byte
}

// newLoading makes ready for a step that loads.
func (t *Target) newLoading(use loadgen.Use) (loading, error) {
	l := loading{tables: map[string]*insertion{}}
	if use.Resume {
		l.suffix = resumed
	}
	l.rows.most = t.settings.maxStatement() - len(l.suffix)
	for _, collection := range use.Collections {
		insert, err := newInsertion(use.Database, collection, 1)
		if err != nil {
			return loading{}, err
		}
		l.tables[collection.Name] = insert
	}
	return l, nil
}

// rowsWriter writes the statement that inserts documents as rows.
type rowsWriter struct {
	*insertion

	// most is how long the statement may get, unless it is of one row.
	most    int
	bytes   []byte
	values  []Value
	count   int
	failure error
}

// begin begins a statement.
func (w *rowsWriter) begin(insert *insertion) {
	w.insertion = insert
	w.bytes, w.count, w.failure = append(w.bytes[:0], w.lead...), 0, nil
}

// add adds a row, unless it would not fit.
func (w *rowsWriter) add(document []byte) bool {
	before := len(w.bytes)
	var err error
	if w.values, err = Flatten(w.values[:0], document); err == nil && len(w.values) != w.columns {
		err = fmt.Errorf("a row has %d values", len(w.values))
	}
	if err != nil {
		w.failure = fmt.Errorf("%w: %w", errRequest, err)
		return false
	}
	if w.count > 0 {
		w.bytes = append(w.bytes, ',')
	}
	separator := byte('(')
	for _, v := range w.values {
		w.bytes = v.appendLiteral(append(w.bytes, separator))
		separator = ','
	}
	w.bytes = append(w.bytes, ')')
	if len(w.bytes) > w.most && w.count > 0 {
		w.bytes = w.bytes[:before]
		return false
	}
	w.count++
	return true
}

// Encode writes one INSERT of as many rows as it may hold.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	rows := &s.load.rows
	rows.begin(s.load.tables[collection])
	for int64(rows.count) < count {
		s.load.document = documents.Append(s.load.document[:0], first+int64(rows.count))
		if !rows.add(s.load.document) {
			break
		}
	}
	rows.bytes = append(rows.bytes, s.load.suffix...)
	// Of a document that cannot be written Send tells.
	return max(1, int64(rows.count))
}

// Pipeline is one batch: the protocol has one reply before the next request.
func (s *session) Pipeline() int {
	return 1
}

// Send sends what Encode wrote, and waits for the reply. A write conflict with another batch rolls the whole statement
// back, so the statement is sent again, until the context ends.
func (s *session) Send(ctx context.Context) error {
	if s.load.rows.failure != nil {
		return s.load.rows.failure
	}
	for {
		err := s.enter(ctx)
		if err == nil {
			_, err = s.link.Exec(asText(s.load.rows.bytes), nil)
		}
		if err = s.leave(ctx, err); classify(err) != ClassWriteConflict {
			return err
		}
	}
}

// Acknowledge has nothing to wait for: Send did.
func (s *session) Acknowledge(context.Context) error {
	return nil
}

// asText is a statement that the driver sends before it returns, without a copy of up to many megabytes.
func asText(statement []byte) string {
	return unsafe.String(unsafe.SliceData(statement), len(statement)) //nolint:gosec // The driver keeps nothing of it.
}
