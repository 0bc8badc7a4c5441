package connection

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// authSource is the database that users are made in, unless the connection string says otherwise.
const authSource = "admin"

// Options are those of the connection string, with all that a measurement fixes.
func Options(config driver.Config) (*options.ClientOptions, error) {
	timeout, selection := config.Timeouts()
	o := options.Client().ApplyURI(config.URIs[0]).
		SetAppName("mongobench").
		SetRetryReads(false).
		SetRetryWrites(false).
		SetTimeout(timeout).
		SetServerSelectionTimeout(min(selection, timeout)).
		SetMaxPoolSize(uint64(max(1, config.Connections))).
		SetMaxConnecting(uint64(min(max(2, config.Connections), 16))).
		SetMaxConnIdleTime(0)
	if config.Credentials != "" {
		credential, err := readCredentials(config.Credentials)
		if err != nil {
			return nil, err
		}
		if o.Auth != nil {
			return nil, errors.New("the connection string has credentials, and others were given beside it; use one of them")
		}
		o.SetAuth(credential)
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("connection string: %w", errorclass.WithoutSecrets(err))
	}
	if config.CAFile == "" {
		return o, nil
	}
	secured, err := TLSConfig(config.CAFile)
	if err != nil {
		return nil, err
	}
	if o.TLSConfig != nil {
		// The connection string may have brought a certificate of the client's own.
		secured.Certificates = o.TLSConfig.Certificates
	}
	return o.SetTLSConfig(secured), nil
}

// readCredentials are the credentials of a folder, as the driver takes them.
func readCredentials(folder string) (options.Credential, error) {
	credential := options.Credential{AuthSource: authSource}
	var err error
	credential.Username, credential.Password, err = loadgen.Credentials(folder)
	return credential, err
}

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

// NewServers reads the connection string and the files that go with it.
func NewServers(config driver.Config) (Servers, error) {
	o, err := Options(config)
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

// TLSConfig trusts the authorities of a file, in PEM, and no others. The name in a server's certificate is verified
// against the address that was connected to. Without a file there is no TLS, and it returns nil.
func TLSConfig(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil //nolint:nilnil // The driver takes nil for a connection without TLS too.
	}
	content, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the authorities of the servers' certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate in PEM; give the authority that signed the servers' certificates",
			caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// TLSName is how a report says whether the load's connections are encrypted.
func TLSName(encrypted bool) string {
	if encrypted {
		return "On"
	}
	return "Off"
}
