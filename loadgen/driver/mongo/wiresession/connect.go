package wiresession

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Opener opens a target's wire sessions, knows where their connections lead to and counts what went over them. The
// driver is only asked which server is the primary.
type Opener struct {
	client  *driver.Client
	options *options.ClientOptions
	// terms are those of the connection string.
	terms  *command.Terms
	config wire.Config

	// finding is held while the primary is looked for, so that many sessions that lost it ask once.
	finding sync.Mutex
	// routers says that the deployment has mongos, any of which will do. Each connection takes the next host.
	routers bool
	host    int
	// one has all of them go to the same, for as long as it can be reached.
	one bool
	// primary is empty when it is not known.
	primary string

	watch wire.Watch
}

// NewOpener is the opener of a target with these terms.
func NewOpener(client *driver.Client, o *options.ClientOptions, defaults *command.Terms) *Opener {
	return &Opener{
		client: client, options: o, terms: defaults, config: connection.WireConfig(o), watch: wire.Watch{Timeout: *o.Timeout},
	}
}

// ToOneRouter has all connections go to the same mongos, which alone knows the cursors and transactions that came by
// it.
func (o *Opener) ToOneRouter() *Opener {
	o.one = true
	return o
}

// dial connects to a server that takes writes. While there is none it tries again, for as long as the driver would look
// for one.
func (o *Opener) dial(ctx context.Context) (*wire.Conn, error) {
	conn, err := wire.UntilReached(ctx, *o.options.ServerSelectionTimeout, o.try)
	if err != nil {
		return nil, errorclass.WithoutSecrets(commandError(err))
	}
	return conn, nil
}

// try connects once.
func (o *Opener) try(ctx context.Context) (*wire.Conn, error) {
	address, err := o.address(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dial(ctx, address, o.config)
	if err != nil {
		o.forget(address)
		return nil, err
	}
	if !conn.Hello().Writable && !o.direct() {
		conn.Close()
		o.forget(address)
		return nil, fmt.Errorf("server %s is no primary", address)
	}
	return conn, nil
}

func (o *Opener) direct() bool {
	return o.options.Direct != nil && *o.options.Direct
}

// address is where to connect to: the one server that the connection string insists on, the present primary, or one
// mongos after the other.
func (o *Opener) address(ctx context.Context) (string, error) {
	hosts := o.options.Hosts
	if o.direct() {
		return hosts[0], nil
	}
	o.finding.Lock()
	defer o.finding.Unlock()
	if o.primary == "" && !o.routers {
		if err := o.find(ctx); err != nil {
			return "", err
		}
	}
	if o.routers {
		if !o.one {
			o.host++
		}
		return hosts[o.host%len(hosts)], nil
	}
	return o.primary, nil
}

// find asks the driver, which follows the deployment all the time.
func (o *Opener) find(ctx context.Context) error {
	primary := options.RunCmd().SetReadPreference(readpref.Primary())
	reply, err := o.client.Database("admin").RunCommand(ctx, lookup.IsMaster, primary).Raw()
	if err != nil {
		return fmt.Errorf("looking for the primary: %w", err)
	}
	writable, _ := reply.Lookup("ismaster").BooleanOK()
	switch {
	case lookup.IsMongos(reply):
		o.routers = true
	case !writable:
		return errors.New("the primary is stepping down")
	case lookup.Text(reply, "setName") != "" && lookup.Text(reply, "me") != "":
		o.primary = lookup.Text(reply, "me")
	default:
		o.primary = o.options.Hosts[0]
	}
	return nil
}

// forget makes the next connection look for the primary again, unless another one already did.
func (o *Opener) forget(address string) {
	o.finding.Lock()
	defer o.finding.Unlock()
	if o.primary == address {
		o.primary = ""
	}
	if o.one && o.routers && o.options.Hosts[o.host%len(o.options.Hosts)] == address {
		o.host++
	}
}

// Traffic is what went over the connections of all sessions so far, without what TLS adds.
func (o *Opener) Traffic() (bytesIn, bytesOut int64) { return o.watch.Traffic() }

// codeTooLarge is the server's code of a request that is larger than it takes.
const codeTooLarge = 10334

// commandError gives an error of the wire the form that the driver's errors have, so that both are in the same classes.
func commandError(err error) error {
	var refused *wire.ServerError
	switch {
	case errors.As(err, &refused):
		return driver.CommandError{Code: refused.Code, Name: refused.Name, Message: err.Error()}
	case errors.Is(err, wire.ErrTooLarge):
		return driver.CommandError{Code: codeTooLarge, Name: "BSONObjectTooLarge", Message: err.Error()}
	default:
		return err
	}
}

// mayHelp says whether an operation may succeed when it is sent once more.
func mayHelp(err error) bool {
	if server, ok := errors.AsType[driver.ServerError](err); ok {
		return errorclass.Retryable(server)
	}
	return !driver.IsTimeout(err)
}

// NeedsDriver says why a step cannot be done by the wire client, nil if it can. A Load always can, if the connection
// string can.
func (o *Opener) NeedsDriver(step planv1.Step) error {
	if reason := beyondWire(o.options); reason != "" {
		return fmt.Errorf("the connection string has %s", reason)
	}
	if step.Session == benchv1alpha1.SessionCausal {
		return errors.New("a causally consistent session is the driver's")
	}
	for _, declared := range step.Operations {
		if reason := o.operationBeyondWire(declared); reason != "" {
			return fmt.Errorf("operation %q %s", declared.Name, reason)
		}
	}
	return nil
}

// operationBeyondWire says what about an operation the wire client does not know, empty for nothing.
func (o *Opener) operationBeyondWire(declared planv1.Operation) string {
	row := operation.Of(declared.Kind)
	switch {
	case !row.SentBy(operation.Wire):
		return "is of kind " + string(declared.Kind)
	case operation.ToSeveral(&declared):
		return "writes to several collections together"
	case declared.Kind == benchv1alpha1.OperationFlow:
		return "" // It is what its parts are.
	case row.Takes(operation.WriteConcern) && !row.Takes(operation.ReadPreference):
		// Writes go to the primary, whatever is preferred for reads.
		return ""
	}
	preference := command.ServerName(declared.ReadPreference)
	if preference == "" {
		preference = o.terms.Preference.Mode().String()
	}
	if !strings.EqualFold(preference, readpref.PrimaryMode.String()) {
		return "has the read preference " + preference
	}
	return ""
}

// beyondWire says what in a connection string the wire client does not know, empty for nothing.
func beyondWire(o *options.ClientOptions) string {
	switch {
	case len(o.Compressors) > 0:
		return "compressors"
	case o.ServerAPIOptions != nil:
		return "a version of the server's API"
	}
	return beyondConnecting(o)
}

// beyondConnecting says what of it the wire client does not know how to connect by, empty for nothing.
func beyondConnecting(o *options.ClientOptions) string {
	switch {
	case o.Auth != nil && !wire.Supports(o.Auth.AuthMechanism):
		return "the authentication mechanism " + o.Auth.AuthMechanism
	case o.LoadBalanced != nil && *o.LoadBalanced:
		return "a load balancer"
	}
	for _, host := range o.Hosts {
		if strings.HasSuffix(host, ".sock") {
			return "a Unix socket"
		}
	}
	return ""
}
