package errorclass

import (
	"context"
	"errors"
	"slices"
	"strings"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

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
	Server         = "server"
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
}

// Of names the class of an error: one of those that reportv1.ErrorClass lists.
func Of(err error) string {
	var server driver.ServerError
	if errors.As(err, &server) {
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
	case server != nil:
		return Server
	default:
		return Network
	}
}

// isAuthentication knows a failed handshake, for which the driver has no public type, by its text.
func isAuthentication(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unable to authenticate") || strings.Contains(text, "auth error")
}

// Refused is the error of a server that did not do what it was asked to, in the form of the driver's.
func Refused(code int32, message string) error {
	return driver.CommandError{Code: code, Message: message}
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
