package sql

import (
	"context"
	database "database/sql"
	"fmt"

	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// Member is the server as it is observed, with a connection of its own, as the observer's user. It is used by one
// goroutine at a time.
type Member struct {
	target *Target
	// connection is nil when there is none.
	connection *database.Conn
}

// Member is the one server of the deployment.
func (t *Target) Member() *Member {
	return &Member{target: t}
}

// Name is the server's host and port.
func (m *Member) Name() string { return m.target.location.Address }

// Role says that the server is alone.
func (m *Member) Role() string { return observe.RoleStandalone }

// List sends a statement and returns its rows, each a name and a value. The error is observe.ErrNotAllowed when the
// user may not log in, and observe.ErrRefused when the server took the statement and refused it.
func (m *Member) List(ctx context.Context, statement string) (map[string]string, error) {
	found, err := m.list(ctx, statement)
	switch {
	case err == nil:
		return found, nil
	case m.connection == nil && classify(err) == classAuthentication:
		return nil, fmt.Errorf("%w: %w", observe.ErrNotAllowed, err)
	case isRefusal(err):
		return nil, fmt.Errorf("%w: %w", observe.ErrRefused, err)
	}
	m.Close()
	return nil, err
}

func (m *Member) list(ctx context.Context, statement string) (map[string]string, error) {
	if err := m.connect(ctx); err != nil {
		return nil, err
	}
	found := map[string]string{}
	err := m.target.each(ctx, m.connection, func(row *database.Rows) error {
		var name string
		var value database.NullString
		err := row.Scan(&name, &value)
		if value.Valid {
			found[name] = value.String
		}
		return err
	}, statement)
	return found, err
}

// connect makes sure that there is a connection.
func (m *Member) connect(ctx context.Context) error {
	if m.connection != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.target.timeout)
	defer cancel()
	var err error
	m.connection, err = m.target.observer.Conn(ctx)
	return err
}

// Close gives the connection back.
func (m *Member) Close() {
	if m.connection != nil {
		_ = m.connection.Close()
		m.connection = nil
	}
}
