package legacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const (
	// FirstModern is the wire version of MongoDB 4.2, the oldest server that the driver speaks to.
	FirstModern = 8
	// firstWithWriteCommands is the wire version of MongoDB 2.6.
	firstWithWriteCommands = 2
	// speaksTimeout bounds the question how old servers are: whoever asks has waited for them before, in vain.
	speaksTimeout = 5 * time.Second
)

// Driver speaks to servers that the driver of today does not.
var Driver = driver.Driver{
	Database: mongo.Database,
	Takes:    func(config driver.Config) bool { return config.WireVersion != nil },
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, config)
	},
	Rescues: func(ctx context.Context, config driver.Config) bool {
		if len(config.URIs) > 1 || config.WireVersion != nil {
			return false
		}
		ctx, cancel := context.WithTimeout(ctx, speaksTimeout)
		defer cancel()
		old, _ := Speaks(ctx, config)
		return old
	},
}

var _ loadgen.Estimator = (*Target)(nil)

// Target is a deployment of old servers: one alone, or a replica set.
type Target struct {
	servers connection.Servers
	// version is the wire version that is spoken: the server's, or a lower one that was asked for.
	version int

	// control is a connection for what is not measured, and admin guards it.
	admin   sync.Mutex
	control *conn

	// watch looks at the sessions.
	watch wire.Watch

	// primary is the last known one; nil before one was found.
	primary atomic.Pointer[string]
}

// Speaks says whether the servers of a connection string are too old for the driver. The first that answers says it.
func Speaks(ctx context.Context, config driver.Config) (bool, error) {
	servers, err := connection.NewServers(config)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		old bool
		err error
	}
	answers := make(chan answer, len(servers.Hosts))
	for _, host := range servers.Hosts {
		go func() {
			found, err := dial(ctx, host, servers.Wire)
			if err != nil {
				answers <- answer{err: err}
				return
			}
			found.Close()
			answers <- answer{old: found.hello.Version < FirstModern}
		}()
	}
	for range servers.Hosts {
		first := <-answers
		if first.err == nil {
			return first.old, nil
		}
		err = errors.Join(err, first.err)
	}
	return false, err
}

// Open connects to a deployment and makes sure that it answers. A wire version that is not nil is spoken to servers
// that know higher ones as well: MongoDB up to 5.0. Errors hold no credentials.
func Open(ctx context.Context, config driver.Config) (*Target, error) {
	servers, err := connection.NewServers(config)
	if err != nil {
		return nil, err
	}
	target := &Target{servers: servers, watch: wire.Watch{Timeout: servers.Timeout}}
	target.control, err = target.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("no server takes requests of the time before OP_MSG; check the address, that the server "+
			"runs, the network, and that its version is no more than 5.0: %w", err)
	}
	target.version = target.control.hello.Version
	if config.WireVersion != nil {
		target.version = min(target.version, *config.WireVersion)
	}
	return target, nil
}

// Close ends all connections.
func (t *Target) Close(context.Context) error {
	t.admin.Lock()
	defer t.admin.Unlock()
	if t.control != nil {
		t.control.Close()
		t.control = nil
	}
	return nil
}

// Driver names the client and the version of the protocol that it speaks.
func (t *Target) Driver() string {
	return fmt.Sprintf("legacy wire, version %d", t.version)
}

// Classify names the class of an error.
func (t *Target) Classify(err error) string { return errorclass.Of(err) }

// Traffic is what went over the connections of sessions since the target was opened, without what TLS adds.
func (t *Target) Traffic() (traffic reportv1.Traffic) {
	traffic.BytesIn, traffic.BytesOut = t.watch.Traffic()
	return traffic
}

// dial connects to a server that takes writes. While there is none it tries again, for as long as one may be looked
// for.
func (t *Target) dial(ctx context.Context) (*conn, error) {
	return wire.UntilReached(ctx, t.servers.SelectionTimeout, t.try)
}

// try asks the servers in turn, the last known primary first, and follows them to their primary.
func (t *Target) try(ctx context.Context) (*conn, error) {
	hosts := t.servers.Hosts[:1]
	if !t.servers.Direct {
		hosts = slices.Clone(t.servers.Hosts)
	}
	if primary := t.primary.Load(); primary != nil && !t.servers.Direct {
		hosts = slices.Insert(hosts, 0, *primary)
	}
	var failures error
	for tried := 0; tried < len(hosts); tried++ {
		found, err := dial(ctx, hosts[tried], t.servers.Wire)
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		if found.hello.Writable || t.servers.Direct {
			t.primary.Store(new(found.Address()))
			return found, nil
		}
		failures = errors.Join(failures, fmt.Errorf("server %s is no primary", found.Address()))
		if primary := found.hello.Primary; primary != "" && tried < len(t.servers.Hosts) {
			hosts = append(hosts, primary)
		}
		found.Close()
	}
	return nil, failures
}

// Session opens a handle and makes sure that the server answers it.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if use.Client != benchv1alpha1.ClientWire && use.Client != "" {
		return nil, errors.New("MongoDB's driver does not speak to servers older than 4.2; set the client to Wire")
	}
	if use.Step.Retry == benchv1alpha1.RetryOnce {
		return nil, errors.New("servers older than 3.6 cannot tell a write from its repetition; leave out the step's retry")
	}
	if use.Step.Session != "" {
		return nil, errors.New("servers older than 3.6 have no causally consistent sessions, and older than 5.0 no " +
			"snapshots; leave out the step's session")
	}
	for _, declared := range use.Step.Operations {
		if err := t.refuses(declared); err != nil {
			return nil, fmt.Errorf("operation %q: %w", declared.Name, err)
		}
	}
	build, err := command.NewBuilder(t.servers.Terms, use.Step)
	if err != nil {
		return nil, err
	}
	var header messages
	header.query(use.Database, commandCollection, 0, -1)
	build.Command.Lead = len(header.bytes)
	s := &session{
		target: t, database: use.Database, build: build, header: header.bytes,
		load: loading{ordered: use.Step.Ordered && !use.Resume, resume: use.Resume},
	}
	if err := s.connect(ctx); err != nil {
		return nil, fmt.Errorf("opening a connection: %w", err)
	}
	t.watch.Over(&s.held)
	return s, nil
}

// refuses says what about an operation these servers, or this client, do not know.
func (t *Target) refuses(declared planv1.Operation) error {
	switch {
	case !operation.Of(declared.Kind).SentBy(operation.Legacy):
		return fmt.Errorf("servers of wire version %d are not sent operations of kind %s", t.version, declared.Kind)
	case declared.ReadConcern != "":
		return errors.New("readConcern came with MongoDB 3.2; leave it out")
	case declared.ReadPreference != "" && declared.ReadPreference != benchv1alpha1.ReadPrimary:
		return fmt.Errorf("it is read from the primary only, and its read preference is %s",
			command.ServerName(declared.ReadPreference))
	case operation.ToSeveral(&declared):
		return errors.New("a BulkWrite to several collections came with MongoDB 8.0; write to one")
	}
	for i := range declared.Operations {
		if err := refusesOptions(declared.Operations[i]); err != nil {
			return err
		}
	}
	return refusesOptions(declared.Request)
}

// refusesOptions refuses what has a place in newer commands alone.
func refusesOptions(r planv1.Request) error {
	sorts := len(r.Sort) > 0 && operation.Of(r.Kind).Since(operation.Sort) != ""
	if sorts || r.RequestOptions != (planv1.RequestOptions{}) {
		return errors.New("servers older than 3.6 are asked without hint, arrayFilters, collation, let, maxTimeMillis, " +
			"comment, and sort of an update; leave them out")
	}
	return nil
}
