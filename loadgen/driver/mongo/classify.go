package mongo

import (
	"context"
	"errors"
	"slices"
	"strings"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// The classes of errors, as the report lists them.
const (
	classTimeout        = "timeout"
	classNetwork        = "network"
	classWriteConflict  = "write conflict"
	classDuplicateKey   = "duplicate key"
	classNotPrimary     = "not primary"
	classAuthentication = "authentication"
	classTransaction    = "transaction"
	classServer         = "server"
)

// classCodes are the server's error codes of the classes that it decides about.
var classCodes = []struct {
	class string
	codes []int
}{
	{classDuplicateKey, []int{11000, 11001, 12582}},
	// WriteConflict.
	{classWriteConflict, []int{112}},
	// NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary, PrimarySteppedDown, InterruptedAtShutdown,
	// InterruptedDueToReplStateChange, ShutdownInProgress.
	{classNotPrimary, []int{10107, 13435, 13436, 189, 11600, 11602, 91}},
	// Unauthorized, AuthenticationFailed.
	{classAuthentication, []int{13, 18}},
	// MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit, ExceededTimeLimit, and WriteConcernFailed, which is a write
	// that too few members confirmed in time.
	{classTimeout, []int{50, 202, 262, 64}},
	// TransactionTooOld, SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction, TransactionExceededLifetimeLimitSeconds,
	// and LockTimeout, which outside of a transaction no operation gets.
	{classTransaction, []int{225, 239, 246, 251, 290, 24}},
}

// Classify names the class of an error.
func (t *Target) Classify(err error) string {
	return classify(err)
}

func classify(err error) string {
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
		return classAuthentication
	case driver.IsTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return classTimeout
	case driver.IsNetworkError(err):
		return classNetwork
	case hasLabel(err, labelTransient) && server != nil, hasLabel(err, labelUnknownCommit):
		return classTransaction
	case server != nil:
		return classServer
	default:
		return classNetwork
	}
}

// isAuthentication knows a failed handshake, for which the driver has no public type, by its text.
func isAuthentication(err error) bool {
	text := err.Error()
	return strings.Contains(text, "unable to authenticate") || strings.Contains(text, "auth error")
}
