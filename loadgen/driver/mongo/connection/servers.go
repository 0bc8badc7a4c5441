package connection

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Servers is what a Config says, for a client that speaks to the servers without the driver.
type Servers struct {
	// Hosts as host:port, and Direct when only the first of them is to be spoken to, whatever it is.
	Hosts  []string
	Direct bool
	// Wire is how connections are made.
	Wire wire.Config
	// Timeout bounds every operation, and SelectionTimeout the search for a server that can take it.
	Timeout, SelectionTimeout time.Duration
	// WriteConcern of operations that have none of their own; nil for the server's default. Terms has it encoded.
	WriteConcern *planv1.WriteConcern
	Terms        *command.Terms
}

// Servers reads the connection string and the files that go with it.
func (c Config) Servers() (Servers, error) {
	o, err := Options(c)
	if err != nil {
		return Servers{}, err
	}
	o.ReadConcern, o.ReadPreference = nil, nil // Who needs no driver knows neither.
	terms, declared, err := command.ConnectionTerms(o)
	return Servers{
		Hosts: o.Hosts, Direct: o.Direct != nil && *o.Direct, Wire: WireConfig(o),
		Timeout: *o.Timeout, SelectionTimeout: *o.ServerSelectionTimeout, WriteConcern: declared, Terms: &terms,
	}, err
}

// defaultConnectTimeout is the driver's.
const defaultConnectTimeout = 30 * time.Second

// WireConfig is how connections are made that are not the driver's.
func WireConfig(o *options.ClientOptions) wire.Config {
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
