package driver

import (
	"cmp"
	"context"
	"errors"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// Target is what a load generator connects to: one deployment, or several that are shards of one.
type Target interface {
	loadgen.Target
	Close(ctx context.Context) error
}

// Config says what to connect to, and how.
type Config struct {
	// URIs are connection strings: one, or those of the shards in their order.
	URIs []string
	// Credentials is a folder with the files username and password, for URIs without credentials. Empty: none.
	Credentials string
	// ObserverCredentials and ActionCredentials are folders of the same form, of the users that look at the servers and
	// that carry out actions. Empty: the load's own user.
	ObserverCredentials, ActionCredentials string
	// CAFile holds the authorities, in PEM, that the servers' certificates are signed by. Empty: what the URI says.
	CAFile string
	// ClientCertificate is a folder with the files tls.crt and tls.key, in PEM: what is shown to the servers. Empty: what
	// the URI says.
	ClientCertificate string
	// Connections is the number of workers, each of which has a connection.
	Connections int
	// OperationTimeout bounds every operation, and SelectionTimeout the search for a server that can take it. Zero is the
	// default.
	OperationTimeout, SelectionTimeout time.Duration
	// WireVersion of MongoDB's protocol that is asked for; nil is the server's.
	WireVersion *int
	// Client that a plan asks for; empty without a plan.
	Client benchv1alpha1.Client
}

// Default limits.
const (
	DefaultOperationTimeout = 60 * time.Second
	DefaultSelectionTimeout = 30 * time.Second
)

// Timeouts are those that were asked for, or the defaults.
func (c Config) Timeouts() (operation, selection time.Duration) {
	return cmp.Or(c.OperationTimeout, DefaultOperationTimeout), cmp.Or(c.SelectionTimeout, DefaultSelectionTimeout)
}

// Driver speaks to the servers of one kind.
type Driver struct {
	// Database is what it speaks to, in messages.
	Database string
	// Takes says whether a target is the driver's, by its connection strings and what is asked for.
	Takes func(Config) bool
	// Open connects, and makes sure that the servers answer. Errors hold no credentials.
	Open func(context.Context, Config) (Target, error)
	// Rescues says, once another driver has failed to open a target, whether this one can. Nil is never.
	Rescues func(context.Context, Config) bool
}

// For is the first driver that takes a target.
func For(drivers []Driver, config Config) (Driver, error) {
	for _, candidate := range drivers {
		if candidate.Takes(config) {
			return candidate, nil
		}
	}
	return Driver{}, errors.New("no driver takes this connection string")
}

// Open connects by the first driver that takes a target, or by another that rescues it.
func Open(ctx context.Context, drivers []Driver, config Config) (Target, error) {
	first, err := For(drivers, config)
	if err != nil {
		return nil, err
	}
	opened, err := first.Open(ctx, config)
	if err == nil {
		return opened, nil
	}
	for _, other := range drivers {
		if other.Rescues != nil && other.Rescues(ctx, config) {
			return other.Open(ctx, config)
		}
	}
	return nil, err
}
