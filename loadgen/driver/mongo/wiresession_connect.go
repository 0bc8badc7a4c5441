package mongo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const (
	// defaultConnectTimeout is the driver's.
	defaultConnectTimeout = 30 * time.Second
	// connectPause lies between two attempts to reach a server that takes writes.
	connectPause = 50 * time.Millisecond
)

// wires are the connections of a target's wire sessions: where they lead to, and what went over them. Each session owns
// its own; the driver is only asked which server is the primary.
type wires struct {
	target *Target
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

func newWires(t *Target) *wires {
	return &wires{target: t, config: wireConfig(t.options), watch: watch{timeout: t.timeout}}
}

// wireConfig is how connections are made that are not the driver's.
func wireConfig(o *options.ClientOptions) wire.Config {
	config := wire.Config{TLS: o.TLSConfig, Timeout: defaultConnectTimeout}
	if o.ConnectTimeout != nil && *o.ConnectTimeout > 0 {
		config.Timeout = *o.ConnectTimeout
	}
	config.Timeout = min(config.Timeout, *o.ServerSelectionTimeout)
	if o.AppName != nil {
		config.Application = *o.AppName
	}
	if o.Auth != nil {
		config.Login = &wire.Login{
			Username: o.Auth.Username, Password: o.Auth.Password,
			Source: o.Auth.AuthSource, Mechanism: o.Auth.AuthMechanism,
		}
		if config.Login.Source == "" {
			config.Login.Source = authSource
		}
	}
	return config
}

// dial connects to a server that takes writes. While there is none it tries again, for as long as the driver would look
// for one.
func (w *wires) dial(ctx context.Context) (*wire.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, *w.target.options.ServerSelectionTimeout)
	defer cancel()
	for {
		conn, err := w.try(ctx)
		if err == nil {
			return conn, nil
		}
		if login := (*wire.LoginError)(nil); errors.As(err, &login) {
			return nil, commandError(err)
		}
		select {
		case <-ctx.Done():
			return nil, withoutSecrets(commandError(err))
		case <-time.After(connectPause):
		}
	}
}

// try connects once.
func (w *wires) try(ctx context.Context) (*wire.Conn, error) {
	address, err := w.address(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := wire.Dial(ctx, address, w.config)
	if err != nil {
		w.forget(address)
		return nil, err
	}
	if !conn.Hello().Writable && !w.direct() {
		conn.Close()
		w.forget(address)
		return nil, fmt.Errorf("server %s is no primary", address)
	}
	return conn, nil
}

func (w *wires) direct() bool {
	return w.target.options.Direct != nil && *w.target.options.Direct
}

// address is where to connect to: the one server that the connection string insists on, the present primary, or one
// mongos after the other.
func (w *wires) address(ctx context.Context) (string, error) {
	hosts := w.target.options.Hosts
	if w.direct() {
		return hosts[0], nil
	}
	w.finding.Lock()
	defer w.finding.Unlock()
	if w.primary == "" && !w.routers {
		if err := w.find(ctx); err != nil {
			return "", err
		}
	}
	if w.routers {
		w.host++
		return hosts[w.host%len(hosts)], nil
	}
	return w.primary, nil
}

// find asks the driver, which follows the deployment all the time.
func (w *wires) find(ctx context.Context) error {
	reply, err := w.target.client.Database("admin").RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}},
		options.RunCmd().SetReadPreference(readpref.Primary())).Raw()
	if err != nil {
		return fmt.Errorf("looking for the primary: %w", err)
	}
	writable, _ := reply.Lookup("ismaster").BooleanOK()
	switch {
	case text(reply, "msg") == "isdbgrid":
		w.routers = true
	case !writable:
		return errors.New("the primary is stepping down")
	case text(reply, "setName") != "" && text(reply, "me") != "":
		w.primary = text(reply, "me")
	default:
		w.primary = w.target.options.Hosts[0]
	}
	return nil
}

// forget makes the next connection look for the primary anew, unless another one already did.
func (w *wires) forget(address string) {
	w.finding.Lock()
	defer w.finding.Unlock()
	if w.primary == address {
		w.primary = ""
	}
}

// wireTraffic is what went over the connections of wire sessions since the target was opened, without what TLS adds.
func (t *Target) wireTraffic() (bytesIn, bytesOut int64) {
	return t.wires.watch.traffic()
}
