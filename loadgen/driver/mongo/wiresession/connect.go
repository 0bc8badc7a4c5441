package wiresession

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const (
	// connectPause lies between two attempts to reach a server that takes writes.
	connectPause = 50 * time.Millisecond
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
	// primary is empty when it is not known.
	primary string

	watch watch
}

// NewOpener is the opener of a target with these terms.
func NewOpener(client *driver.Client, o *options.ClientOptions, defaults *command.Terms) *Opener {
	return &Opener{
		client: client, options: o, terms: defaults, config: connection.WireConfig(o), watch: watch{timeout: *o.Timeout},
	}
}

// dial connects to a server that takes writes. While there is none it tries again, for as long as the driver would look
// for one.
func (o *Opener) dial(ctx context.Context) (*wire.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, *o.options.ServerSelectionTimeout)
	defer cancel()
	for {
		conn, err := o.try(ctx)
		if err == nil {
			return conn, nil
		}
		if login := (*wire.LoginError)(nil); errors.As(err, &login) {
			return nil, commandError(err)
		}
		select {
		case <-ctx.Done():
			return nil, errorclass.WithoutSecrets(commandError(err))
		case <-time.After(connectPause):
		}
	}
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
		o.host++
		return hosts[o.host%len(hosts)], nil
	}
	return o.primary, nil
}

// find asks the driver, which follows the deployment all the time.
func (o *Opener) find(ctx context.Context) error {
	reply, err := o.client.Database("admin").RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}},
		options.RunCmd().SetReadPreference(readpref.Primary())).Raw()
	if err != nil {
		return fmt.Errorf("looking for the primary: %w", err)
	}
	writable, _ := reply.Lookup("ismaster").BooleanOK()
	switch {
	case lookup.Text(reply, "msg") == "isdbgrid":
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
}

// Traffic is what went over the connections of all sessions so far, without what TLS adds.
func (o *Opener) Traffic() (bytesIn, bytesOut int64) { return o.watch.traffic() }
