package sql

import (
	"context"
	"errors"
	"slices"

	"github.com/go-sql-driver/mysql"
)

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
