package errorclass

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	xdriver "go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// The classes of errors, as the report lists them.
const (
	Timeout        = "timeout"
	Network        = "network"
	WriteConflict  = "write conflict"
	DuplicateKey   = "duplicate key"
	NotPrimary     = "not primary"
	Authentication = "authentication"
	Transaction    = "transaction"
	// Overload is a server that takes no more work for now, as MongoDB does from 8.2 on, and Memory an operation that
	// needed more than it may have.
	Overload = "overload"
	Memory   = "memory"
	Server   = "server"
)

// Codes of the server's that those who ask it know.
const (
	NamespaceNotFound = 26
	NamespaceExists   = 48
	CommandNotFound   = 59
	SearchNotEnabled  = 31082
	codeTimeExpired   = 50
)

// classCodes are the server's error codes of the classes that it decides about.
var classCodes = []struct {
	class string
	codes []int
}{
	{DuplicateKey, []int{11000, 11001, 12582}},
	// WriteConflict.
	{WriteConflict, []int{112}},
	// NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary, PrimarySteppedDown, InterruptedAtShutdown,
	// InterruptedDueToReplStateChange, ShutdownInProgress.
	{NotPrimary, []int{10107, 13435, 13436, 189, 11600, 11602, 91}},
	// Unauthorized, AuthenticationFailed.
	{Authentication, []int{13, 18}},
	// MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit, ExceededTimeLimit, and WriteConcernFailed, which is a write
	// that too few members confirmed in time.
	{Timeout, []int{50, 202, 262, 64}},
	// TransactionTooOld, SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction, TransactionExceededLifetimeLimitSeconds,
	// and LockTimeout, which outside of a transaction no operation gets.
	{Transaction, []int{225, 239, 246, 251, 290, 24}},
	// ExceededMemoryLimit, QueryExceededMemoryLimitNoDiskUseAllowed.
	{Memory, []int{146, 292}},
}

// Of names the class of an error: one of those that reportv1.ErrorClass lists.
func Of(err error) string {
	var server driver.ServerError
	if errors.As(err, &server) {
		if overloaded(err) {
			return Overload
		}
		for _, known := range classCodes {
			if slices.ContainsFunc(known.codes, server.HasErrorCode) {
				return known.class
			}
		}
	}
	switch {
	case isAuthentication(err):
		return Authentication
	case driver.IsTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case driver.IsNetworkError(err):
		return Network
	case HasLabel(err, LabelTransient) && server != nil, HasLabel(err, LabelUnknownCommit):
		return Transaction
	case server != nil, errors.Is(err, xdriver.ErrDocumentTooLarge):
		// The driver does not send what the server would refuse.
		return Server
	default:
		return Network
	}
}

// isAuthentication knows a failed handshake, for which the driver has no public type, by its text.
// overloaded says whether a server takes no more for now. The driver gives the label to connections that break, too.
func overloaded(err error) bool {
	return HasLabel(err, xdriver.ErrSystemOverloadedError) && !HasLabel(err, xdriver.NetworkError)
}

func isAuthentication(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unable to authenticate") || strings.Contains(text, "auth error")
}

// Refused is the error of a server that did not do what it was asked to, in the form of the driver's.
func Refused(code int64, message string) error {
	return driver.CommandError{Code: int32(codeOf(code, message)), Message: message}
}

// HasCode says whether an error is a server's with this code.
func HasCode(err error, code int) bool {
	var server driver.ServerError
	return errors.As(err, &server) && server.HasErrorCode(code)
}

// OfReply is the error that a reply tells, as the driver would have it. It is nil for a reply without errors.
func OfReply(document bson.Raw, reply wire.Reply) error {
	if reply.OK && !reply.Errors {
		return nil
	}
	document = bytes.Clone(document)
	code, message, name := told(document)
	if !reply.OK {
		refused := driver.CommandError{
			Code: int32(code), Message: message, Name: name, Labels: lookup.Texts(document, "errorLabels"), Raw: document,
		}
		if code == codeTimeExpired {
			refused.Wrapped = context.DeadlineExceeded
		}
		return refused
	}
	failed := driver.WriteException{Labels: lookup.Texts(document, "errorLabels"), Raw: document}
	if concern, ok := document.Lookup("writeConcernError").DocumentOK(); ok {
		code, message, name = told(concern)
		failed.WriteConcernError = &driver.WriteConcernError{Code: code, Message: message, Name: name, Raw: concern}
		failed.Labels = append(failed.Labels, lookup.Texts(concern, "errorLabels")...)
	}
	for _, one := range lookup.Documents(document, "writeErrors") {
		code, message, _ = told(one)
		failed.WriteErrors = append(failed.WriteErrors, driver.WriteError{
			Index: int(lookup.Number(one, "index")), Code: code, Message: message, Raw: one,
		})
	}
	return failed
}

// told is what a document says of an error.
func told(document bson.Raw) (code int, message, name string) {
	message = lookup.Text(document, "errmsg")
	return codeOf(lookup.Number(document, "code"), message), message, lookup.Text(document, "codeName")
}

// inWords are the codes of what servers before 2.6 say in words only.
var inWords = []struct {
	begins string
	code   int
}{
	{"not master", 10107},
	{"no such cmd", CommandNotFound},
	{"no such command", CommandNotFound},
	{"ns not found", NamespaceNotFound},
	{"collection already exists", NamespaceExists},
}

// codeOf is a code, or what the message means where there is none.
func codeOf(code int64, message string) int {
	for _, known := range inWords {
		if code == 0 && strings.HasPrefix(message, known.begins) {
			return known.code
		}
	}
	return int(code)
}

// secretless is an error whose text has no credentials in it.
type secretless struct {
	error
}

func (s secretless) Error() string {
	return measure.Redact(s.error.Error())
}

func (s secretless) Unwrap() error {
	return s.error
}

// WithoutSecrets takes credentials out of an error's text; no error stays none.
func WithoutSecrets(err error) error {
	if err == nil {
		return nil
	}
	return secretless{err}
}

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
