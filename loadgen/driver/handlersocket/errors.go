package handlersocket

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

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

// connectionError is what ended a connection.
type connectionError struct {
	doing string
	err   error
}

// Error tells what was being done.
func (e *connectionError) Error() string { return e.doing + ": " + e.err.Error() }

// Unwrap is the cause.
func (e *connectionError) Unwrap() error { return e.err }

// classify names the class of an error of this client; empty of any other.
func classify(err error) string {
	if failed, ok := errors.AsType[*ServerError](err); ok {
		return failed.class()
	}
	_, broken := errors.AsType[*connectionError](err)
	switch {
	case errors.Is(err, errRequest):
		return sql.ClassServer
	case !broken:
		return ""
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return sql.ClassTimeout
	default:
		return sql.ClassNetwork
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
