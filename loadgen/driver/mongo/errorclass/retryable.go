package errorclass

import (
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// The labels by which servers and driver say what may be sent again.
const (
	labelRetryableWrite = "RetryableWriteError"
	LabelTransient      = "TransientTransactionError"
	LabelUnknownCommit  = "UnknownTransactionCommitResult"
)

// retryableCodes are the server's codes after which a command may be sent once more, to another member that is primary
// then: HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, ExceededTimeLimit,
// SocketException, NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
// NotPrimaryOrSecondary.
var retryableCodes = []int{6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436}

// Retryable says whether an error is one after which the same command may succeed at once.
func Retryable(err driver.ServerError) bool {
	return err.HasErrorLabel(labelRetryableWrite) || slices.ContainsFunc(retryableCodes, err.HasErrorCode)
}

// HasLabel says whether an error has a label.
func HasLabel(err error, label string) bool {
	var labelled driver.LabeledError
	return errors.As(err, &labelled) && labelled.HasErrorLabel(label)
}

// duplicateKey is the server's code for a key of a unique index that is there already.
const duplicateKey = 11000

// OnlyThereAlready says of an insert's error that all that was wrong with it are documents of the same _id that are
// there already. A unique index of the dataset's own is another matter: what it refuses was never loaded.
func OnlyThereAlready(err error) bool {
	var refused driver.WriteException
	if !errors.As(err, &refused) || refused.WriteConcernError != nil || len(refused.WriteErrors) == 0 {
		return false
	}
	return !slices.ContainsFunc(refused.WriteErrors, func(e driver.WriteError) bool {
		return e.Code != duplicateKey || !ofID(e.Raw)
	})
}

// ofID says of a duplicate key whether it is the _id. Servers before 4.4 say so in the text only.
func ofID(refused bson.Raw) bool {
	if pattern, ok := refused.Lookup("keyPattern").DocumentOK(); ok {
		elements, err := pattern.Elements()
		return err == nil && len(elements) == 1 && elements[0].Key() == "_id"
	}
	_, index, found := strings.Cut(lookup.Text(refused, "errmsg"), " index: ")
	return found && strings.HasPrefix(index, "_id_ ")
}

// ErrBroken says that a connection broke before its unacknowledged writes were drained.
var ErrBroken = errors.New("a connection broke with unacknowledged writes on it; their outcome is unknown")
