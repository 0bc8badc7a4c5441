package sql

import (
	"cmp"
	"context"
	"crypto/tls"
	database "database/sql"
	"errors"
	"time"

	"github.com/go-sql-driver/mysql"
)

// connectPause lies between two attempts to reach a server.
const connectPause = 50 * time.Millisecond

// asker is a pool of connections, or one of them.
type asker interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*database.Rows, error)
}

// each sends a query that is not measured, and gives every row of its answer to a function. It is given up when it
// takes longer than an operation may.
func (t *Target) each(
	ctx context.Context, of asker, row func(*database.Rows) error, query string, arguments ...any,
) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	rows, err := of.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// change sends a statement that is not measured and changes little. It is given up when it takes longer than an
// operation may.
func (t *Target) change(ctx context.Context, statement string, arguments ...any) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	_, err := t.admin.ExecContext(ctx, statement, arguments...)
	return err
}

// reach tries to reach the server until it takes connections, refuses them for good, or the context ends. The error is
// then what the server said last, if it said anything, and otherwise what was last in the way: that the time was up in
// the middle of an attempt says nothing.
func reach(ctx context.Context, try func() error) error {
	var said, inTheWay error
	for {
		err := try()
		if err == nil || isRefusal(err) || isDistrust(err) {
			return err
		}
		if refused := (*mysql.MySQLError)(nil); errors.As(err, &refused) {
			said = err
		}
		if ctx.Err() == nil {
			inTheWay = err
		}
		select {
		case <-ctx.Done():
			return cmp.Or(said, inTheWay, err)
		case <-time.After(connectPause):
		}
	}
}

// isDistrust says whether a certificate is none that the target trusts, which waiting does not change.
func isDistrust(err error) bool {
	distrust := (*tls.CertificateVerificationError)(nil)
	return errors.As(err, &distrust)
}
