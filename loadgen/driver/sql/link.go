package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
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
	ctx, cancel := context.WithTimeout(ctx, t.selection)
	defer cancel()
	var opened *link
	err := Reach(ctx, isFinal, func() error {
		var err error
		opened, err = t.try(ctx)
		return err
	})
	return opened, err
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
