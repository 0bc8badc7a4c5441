package handlersocket

import (
	"context"
	"fmt"
	"strings"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// opening is an index that a connection has open, with the columns that go back and forth over it.
type opening struct {
	database, table, index string
	columns                []string
	// filters are the columns that filters look at.
	filters []string
}

// appendOpen appends the line that opens an index under a number.
func appendOpen(dst []byte, number int, o opening) []byte {
	dst = appendNumber(append(dst, 'P'), int64(number))
	for _, name := range []string{o.database, o.table, o.index, strings.Join(o.columns, ",")} {
		dst = appendToken(dst, name)
	}
	if len(o.filters) > 0 {
		dst = appendToken(dst, strings.Join(o.filters, ","))
	}
	return append(dst, lineEnd)
}

// link is what a session reaches one of the two ports by: a connection with indexes open, replaced when it breaks.
type link struct {
	target  *Target
	address string
	// openings by their numbers. The first opened of them are open on the connection.
	openings []opening
	opened   int
	// conn is nil when there is none.
	conn *Conn
	// done belongs to the context that ends what is waited for on the connection watched, until stop is called.
	done    <-chan struct{}
	watched *Conn
	stop    func() bool
}

// add gives an index that is to be open a number.
func (l *link) add(o opening) (number int) {
	l.openings = append(l.openings, o)
	return len(l.openings) - 1
}

// connect makes sure that there is a connection.
func (l *link) connect(ctx context.Context) error {
	if l.conn != nil && !l.conn.closed.Load() {
		return nil
	}
	l.drop()
	conn, err := l.target.dial(ctx, l.address)
	if err != nil {
		return err
	}
	l.conn, l.opened = conn, 0
	l.target.mutex.Lock()
	defer l.target.mutex.Unlock()
	l.target.open[conn] = struct{}{}
	return nil
}

// dial connects to a port. While the server takes no connections it tries again, for as long as a server may be waited
// for.
func (t *Target) dial(ctx context.Context, address string) (*Conn, error) {
	return sql.Reach(ctx, t.selection, isServerError, func(ctx context.Context) (*Conn, error) {
		return Dial(ctx, address, t.secret, t.timeout, t.Counter())
	})
}

// ready makes sure that there is a connection on which every index is open.
func (l *link) ready(ctx context.Context) error {
	if err := l.connect(ctx); err != nil {
		return err
	}
	if l.opened == len(l.openings) {
		return nil
	}
	stop := context.AfterFunc(ctx, l.conn.Close)
	err := l.open()
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		l.drop()
	}
	return err
}

// open opens the indexes that are not open yet, all with one exchange.
func (l *link) open() error {
	var lines []byte
	for number := l.opened; number < len(l.openings); number++ {
		lines = appendOpen(lines, number, l.openings[number])
	}
	if err := l.conn.Send(lines); err != nil {
		return l.conn.broken(err)
	}
	for ; l.opened < len(l.openings); l.opened++ {
		if _, err := l.conn.Receive(); err != nil {
			o := l.openings[l.opened]
			return fmt.Errorf("opening index %s of table %s.%s: %w", o.index, o.database, o.table, l.conn.broken(err))
		}
	}
	return nil
}

// enter makes the connection ready for an operation, which ends with its context.
func (l *link) enter(ctx context.Context) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	if l.stop != nil {
		if l.watched == l.conn && l.done == ctx.Done() {
			return nil
		}
		if !l.stop() && l.watched == l.conn {
			// It ended with the context before.
			l.drop()
			if err := l.ready(ctx); err != nil {
				return err
			}
		}
	}
	l.done, l.watched = ctx.Done(), l.conn
	l.stop = context.AfterFunc(ctx, l.conn.Close)
	return nil
}

// leave looks at how an operation ended. After what the server answered the connection is as good as before.
func (l *link) leave(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if !isServerError(err) {
		l.drop()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// close gives the connection back.
func (l *link) close() {
	if l.stop != nil {
		l.stop()
	}
	l.drop()
}

// drop gives up the connection.
func (l *link) drop() {
	if l.conn == nil {
		return
	}
	l.conn.Close()
	l.target.mutex.Lock()
	defer l.target.mutex.Unlock()
	delete(l.target.open, l.conn)
	l.conn = nil
}
