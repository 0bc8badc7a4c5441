package handlersocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

const (
	// bufferBytes are read at a time: most replies come with one read.
	bufferBytes = 16 << 10
	// maxReplyBytes ends a connection whose server goes on for ever.
	maxReplyBytes = 1 << 30
	// deadlineParts: the deadline of a connection is moved when so much of the time that an operation may take has gone
	// by. A deadline for each operation would cost each of them two changes of a timer.
	deadlineParts = 10
)

// Conn is a connection to one of HandlerSocket's ports. It serves one goroutine, but for Close.
//
// After an error that is no ServerError nothing else may be done with it than Close.
type Conn struct {
	conn    net.Conn
	timeout time.Duration
	// due is when the deadline is to be moved again.
	due time.Time

	// in[start:end] was read and is not looked at yet.
	in         []byte
	start, end int
	parser     parser

	closed  atomic.Bool
	traffic *sql.Traffic
}

// Dial connects to a port and says the secret; a server without one takes any, so that an empty one is not said. Each
// later operation may take as long as the timeout, and a tenth more.
func Dial(
	ctx context.Context, address, secret string, timeout time.Duration, traffic *sql.Traffic,
) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	plain, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to HandlerSocket at %s: %w", address, err)
	}
	c := &Conn{conn: plain, timeout: timeout, in: make([]byte, bufferBytes), traffic: traffic}
	stop := context.AfterFunc(ctx, c.Close)
	if secret != "" {
		_, err = c.Call(append(appendToken([]byte("A\t1"), secret), lineEnd))
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return nil, fmt.Errorf("logging in to HandlerSocket at %s: %w", address, err)
	}
	return c, nil
}

// Call sends a line and returns its reply.
func (c *Conn) Call(line []byte) (Reply, error) {
	if err := c.Send(line); err != nil {
		return Reply{}, err
	}
	return c.Receive()
}

// Send sends lines without waiting for their replies, which come in the order of the lines: one each.
func (c *Conn) Send(lines []byte) error {
	if now := time.Now(); now.After(c.due) {
		c.due = now.Add(c.timeout / deadlineParts)
		if err := c.conn.SetDeadline(c.due.Add(c.timeout)); err != nil {
			return err
		}
	}
	written, err := c.conn.Write(lines)
	c.traffic.Out.Add(int64(written))
	return err
}

// Await waits until there is something of a reply.
func (c *Conn) Await() error {
	if c.start < c.end {
		return nil
	}
	return c.fill()
}

// Receive waits for the reply to the oldest line that has none. Its error is a ServerError when the line was not
// carried out.
func (c *Conn) Receive() (Reply, error) {
	c.parser.reset()
	for {
		if err := c.Await(); err != nil {
			return Reply{}, err
		}
		used, done, err := c.parser.feed(c.in[c.start:c.end])
		c.start += used
		switch {
		case err != nil:
			return Reply{}, err
		case done:
			return c.parser.reply, c.parser.reply.failure()
		case c.parser.reply.Bytes > maxReplyBytes:
			return Reply{}, fmt.Errorf("%w: it is longer than %d bytes", ErrProtocol, maxReplyBytes)
		}
	}
}

// fill reads once.
func (c *Conn) fill() error {
	read, err := c.conn.Read(c.in)
	c.start, c.end = 0, read
	c.traffic.In.Add(int64(read))
	if read > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// Close ends the connection, and what waits on it. Any goroutine may call it, more than once.
func (c *Conn) Close() {
	if !c.closed.Swap(true) {
		_ = c.conn.Close()
	}
}

// broken tells what ended a connection. What the server answered is told as it is.
func (c *Conn) broken(err error) error {
	switch {
	case isServerError(err):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no reply of HandlerSocket within %s: %w", c.timeout, err)
	default:
		return fmt.Errorf("the connection to HandlerSocket broke: %w", err)
	}
}

// Probe is a look into a table, which a server that is alive answers. The port of one that is dead may well take
// connections: its listener outlives the threads that would answer.
type Probe struct {
	// Address as host:port, and the port's secret.
	Address, Secret string
	// Database, Table and Column of what is looked into along its primary key, and the Key; a row need not be there.
	Database, Table, Column, Key string
	// Timeout of the whole.
	Timeout time.Duration
}

// Alive opens the table, looks for a row, and closes the connection again: for as long as it is open the table can be
// neither changed nor dropped.
func Alive(ctx context.Context, probe Probe) error {
	conn, err := Dial(ctx, probe.Address, probe.Secret, probe.Timeout, &sql.Traffic{})
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, conn.Close)
	defer stop()
	lines := appendOpen(nil, 0, opening{
		database: probe.Database, table: probe.Table, index: "PRIMARY", columns: []string{probe.Column},
	})
	lines = append(appendToken(append(lines, "0\t=\t1"...), probe.Key), lineEnd)
	if err := conn.Send(lines); err != nil {
		return fmt.Errorf("asking HandlerSocket at %s: %w", probe.Address, conn.broken(err))
	}
	for _, doing := range []string{"opening a table", "looking for a row"} {
		if _, err := conn.Receive(); err != nil {
			return fmt.Errorf("%s over HandlerSocket at %s: %w", doing, probe.Address, conn.broken(err))
		}
	}
	return nil
}

// Numbers of the storage engine's errors that have a class of their own (MariaDB, include/my_base.h).
const (
	engineDuplicate = 121
	engineLockWait  = 146
	engineDeadlock  = 149
)

// ServerError is a line that the server did not carry out. The connection is as good as before.
type ServerError struct {
	// Status is the first number of the reply, Text what followed, and Number that as the storage engine's error; 0 for
	// other errors.
	Status int
	Text   string
	Number int
}

// Error says it with words where there are some.
func (e *ServerError) Error() string {
	means := map[string]string{
		"121": "a row with this key is there already", "146": "a lock was waited for too long", "149": "a deadlock",
		"readonly": "the port is for reading only", "unauth": "the secret is wrong or was not said",
		"open_table": "there is no such table", "idxnum": "there is no such index", "fld": "there is no such column",
		"lock_tables": "the table could not be locked",
	}[e.Text]
	if means == "" {
		return fmt.Sprintf("HandlerSocket answered %d %q", e.Status, e.Text)
	}
	return fmt.Sprintf("HandlerSocket answered %d %q: %s", e.Status, e.Text, means)
}

// isDuplicate says whether all that is wrong is a row that is there already.
func isDuplicate(err error) bool {
	failed, ok := errors.AsType[*ServerError](err)
	return ok && failed.Number == engineDuplicate
}

// errRequest is a request that cannot be sent; nothing of it was.
var errRequest = errors.New("the request does not fit what its operation is bound to")

// classify names the class of an error of this client; empty where it is the same as over SQL.
func classify(err error) string {
	failed, refused := errors.AsType[*ServerError](err)
	switch {
	case refused:
		return failed.class()
	case errors.Is(err, errRequest):
		return sql.ClassServer
	case errors.Is(err, os.ErrDeadlineExceeded):
		return sql.ClassTimeout
	default:
		return ""
	}
}

func (e *ServerError) class() string {
	switch {
	case e.Status == statusLogin:
		return sql.ClassAuthentication
	case e.Number == engineDuplicate:
		return sql.ClassDuplicateKey
	case e.Number == engineLockWait, e.Number == engineDeadlock:
		return sql.ClassWriteConflict
	default:
		return sql.ClassServer
	}
}

// isServerError says whether the server answered, and the connection is as good as before.
func isServerError(err error) bool {
	_, ok := errors.AsType[*ServerError](err)
	return ok
}
