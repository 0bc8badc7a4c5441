package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

// Traffic counts what goes over connections: all of them, those for what is not measured included. With TLS these are
// the encrypted bytes.
type Traffic struct {
	In, Out atomic.Int64
}

// socket counts its bytes, and keeps what the driver does not tell: why it broke.
type socket struct {
	net.Conn
	traffic *Traffic
	failure atomic.Pointer[error]
}

// dial opens a connection that is counted.
func (t *Target) dial(ctx context.Context, network, address string) (*socket, error) {
	connection, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &socket{Conn: connection, traffic: t.traffic}, nil
}

// Read reads, and counts.
func (s *socket) Read(into []byte) (int, error) {
	number, err := s.Conn.Read(into)
	s.traffic.In.Add(int64(number))
	if err != nil {
		s.failure.CompareAndSwap(nil, &err)
	}
	return number, err
}

// Write writes, and counts.
func (s *socket) Write(from []byte) (int, error) {
	number, err := s.Conn.Write(from)
	s.traffic.Out.Add(int64(number))
	if err != nil {
		s.failure.CompareAndSwap(nil, &err)
	}
	return number, err
}

// SyscallConn lets the driver see, before database/sql uses a connection again, that the server has closed it.
func (s *socket) SyscallConn() (syscall.RawConn, error) {
	able, ok := s.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return able.SyscallConn()
}

// connection is what the driver's connections can do: without contexts, which take a hand-over to another goroutine and
// back for every statement. A session ends what takes too long by itself.
type connection interface {
	Prepare(query string) (driver.Stmt, error)
	Exec(query string, arguments []driver.Value) (driver.Result, error)
	Query(query string, arguments []driver.Value) (driver.Rows, error)
	Close() error
}

// statement is what the driver's prepared statements can do.
type statement interface {
	Exec(arguments []driver.Value) (driver.Result, error)
	Query(arguments []driver.Value) (driver.Rows, error)
}

// link is one connection of a session, with what is prepared on it.
type link struct {
	connection

	socket *socket
	// prepared are the statements of the session's operations, and shorter those of an insertion's last rows.
	prepared, shorter []statement
}

// open makes a link. While the server takes no connections it tries again, for as long as a server may be waited for.
func (t *Target) open(ctx context.Context) (*link, error) {
	return Reach(ctx, t.selection, isFinal, t.try)
}

// try connects once.
func (t *Target) try(ctx context.Context) (*link, error) {
	opened := &link{}
	config := t.driver.Clone()
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed, err := t.dial(ctx, network, address)
		opened.socket = dialed
		return dialed, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	connected, err := connector.Connect(ctx)
	if err != nil {
		return nil, opened.explain(err)
	}
	plain, able := connected.(connection)
	if !able {
		return nil, errors.Join(fmt.Errorf("a connection of type %T does not take statements", connected),
			connected.Close())
	}
	opened.connection = plain
	return opened, nil
}

// prepare prepares a statement.
func (l *link) prepare(query string) (statement, error) {
	prepared, err := l.Prepare(query)
	if err != nil {
		return nil, fmt.Errorf("preparing %.200s: %w", query, l.explain(err))
	}
	able, ok := prepared.(statement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a statement of type %T does not take arguments", prepared), prepared.Close())
	}
	return able, nil
}

// errTimeout is the error of an operation that took too long.
var errTimeout = fmt.Errorf("the operation took too long: %w", context.DeadlineExceeded)

// explain says of an error of the driver what the connection knows.
func (l *link) explain(err error) error {
	if isRefusal(err) || l.socket == nil {
		return err
	}
	failure := l.socket.failure.Load()
	switch {
	case failure == nil:
		return err
	case errors.Is(*failure, os.ErrDeadlineExceeded):
		return errTimeout
	default:
		return fmt.Errorf("%w: %w", err, *failure)
	}
}

// The classes of errors, as the report lists them.
const (
	ClassTimeout        = "timeout"
	ClassNetwork        = "network"
	ClassWriteConflict  = "write conflict"
	ClassDuplicateKey   = "duplicate key"
	ClassNotPrimary     = "not primary"
	ClassAuthentication = "authentication"
	ClassServer         = "server"
)

// Numbers of the server's errors that more is done about than to count them.
const (
	tooManyConnections = 1040
	unknownDatabase    = 1049
	shutdownInProgress = 1053
	duplicateEntry     = 1062
	wrongSyntax        = 1064
	unknownTable       = 1146
	connectionKilled   = 1927
)

// classNumbers are the server's errors of each class.
var classNumbers = []struct {
	class   string
	numbers []uint16
}{
	{ClassDuplicateKey, []uint16{1022, duplicateEntry, 1586}},
	// ER_CHECKREAD, ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK.
	{ClassWriteConflict, []uint16{1020, 1205, 1213}},
	// ER_STATEMENT_TIMEOUT of MariaDB, ER_QUERY_TIMEOUT of MySQL.
	{ClassTimeout, []uint16{1969, 3024}},
	// ER_OPTION_PREVENTS_STATEMENT, which is --read-only, and ER_READ_ONLY_MODE.
	{ClassNotPrimary, []uint16{1290, 1836}},
	// Access denied: to a database, as a user, to a table, to a column, for want of a privilege, without a password.
	{ClassAuthentication, []uint16{1044, 1045, 1142, 1143, 1227, 1698}},
	// The connection ends with these.
	{ClassNetwork, []uint16{shutdownInProgress, connectionKilled}},
}

// Classify names the class of an error: one of those that reportv1.ErrorClass lists.
func (t *Target) Classify(err error) string {
	return classify(err)
}

func classify(err error) string {
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		for _, known := range classNumbers {
			if slices.Contains(known.numbers, refused.Number) {
				return known.class
			}
		}
		return ClassServer
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case isRefusal(err):
		return ClassServer
	default:
		return ClassNetwork
	}
}

// errRequest is a request that cannot be sent; nothing of it was.
var errRequest = errors.New("the request does not fit the statement that its operation is bound to")

// isRefusal says whether the server answered, or was not asked, and the connection is as good as before.
func isRefusal(err error) bool {
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return refused.Number != tooManyConnections && refused.Number != shutdownInProgress &&
			refused.Number != connectionKilled
	}
	return errors.Is(err, errRequest) || errors.Is(err, mysql.ErrPktTooLarge)
}

// isNumber says whether an error is the server's with this number.
func isNumber(err error, numbers ...uint16) bool {
	refused, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && slices.Contains(numbers, refused.Number)
}
