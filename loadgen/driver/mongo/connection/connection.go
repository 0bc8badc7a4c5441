package connection

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/dialer"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// authSource is the database that users are made in, unless the connection string says otherwise.
const authSource = "admin"

// defaultAppName is what a server's log names the load's connections where the connection string does not.
const defaultAppName = "mongobench"

// ApplicationOptions are those of the connection string to the letter, and for what it leaves open the driver's own
// defaults. What was given beside it, credentials and authorities, is added. A retry policy other than the connection
// string's takes the place of retryWrites and retryReads.
func ApplicationOptions(config driver.Config, retry benchv1alpha1.RetryPolicy) (*options.ClientOptions, error) {
	o := options.Client().ApplyURI(config.URIs[0])
	if o.AppName == nil {
		o.SetAppName(defaultAppName)
	}
	if config.SelectionTimeout > 0 && o.ServerSelectionTimeout == nil {
		o.SetServerSelectionTimeout(config.SelectionTimeout)
	}
	if retry == benchv1alpha1.RetryOnce || retry == benchv1alpha1.RetryNever {
		once := retry == benchv1alpha1.RetryOnce
		o.SetRetryWrites(once).SetRetryReads(once)
	}
	return secure(o, config)
}

// Options are those of the connection string, with all that a measurement fixes. The size of the pool is that of the
// workers, whatever the connection string says.
func Options(config driver.Config) (*options.ClientOptions, error) {
	timeout, selection := config.Timeouts()
	o := options.Client().ApplyURI(config.URIs[0]).
		SetAppName(defaultAppName).
		SetRetryReads(false).
		SetRetryWrites(false).
		SetTimeout(timeout).
		SetServerSelectionTimeout(min(selection, timeout)).
		SetMinPoolSize(0).
		SetMaxPoolSize(uint64(max(1, config.Connections))).
		SetMaxConnecting(uint64(min(max(2, config.Connections), 16))).
		SetMaxConnIdleTime(0)
	return secure(o, config)
}

// secure adds the credentials, the authorities and the client's certificate that were given beside the connection
// string.
func secure(o *options.ClientOptions, config driver.Config) (*options.ClientOptions, error) {
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
	secured, err := secureTLS(o.TLSConfig, config)
	if err != nil || secured == nil {
		return o, err
	}
	return o.SetTLSConfig(secured), nil
}

// secureTLS is how connections are encrypted where the connection string says it one way, or nil, and files beside it
// more. It is nil where neither says anything.
func secureTLS(said *tls.Config, config driver.Config) (*tls.Config, error) {
	secured, err := TLSConfig(config.CAFile)
	switch {
	case err != nil:
		return nil, err
	case secured == nil && said != nil:
		secured = said
	case secured == nil && config.ClientCertificate != "":
		secured = &tls.Config{MinVersion: tls.VersionTLS12}
	case secured != nil && said != nil:
		// The connection string may have brought a certificate of the client's own.
		secured.Certificates = said.Certificates
	}
	if config.ClientCertificate == "" {
		return secured, nil
	}
	shown, err := readCertificate(config.ClientCertificate)
	secured.Certificates = []tls.Certificate{shown}
	return secured, err
}

// readCertificate reads a certificate and its key from a folder, with the names that a Secret of type kubernetes.io/tls
// has.
func readCertificate(folder string) (tls.Certificate, error) {
	found, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	if err != nil {
		return found, fmt.Errorf("reading the client's certificate, tls.crt and tls.key of %s: %w", folder, err)
	}
	return found, nil
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
	if traffic, counted := o.Dialer.(*Traffic); counted {
		config.Dialer = &traffic.Dialer
	}
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
		return string(benchv1alpha1.Enabled)
	}
	return string(benchv1alpha1.Disabled)
}

const (
	// ObserverName is what a server's log names connections for looking at it.
	ObserverName = "mongobench-observer"
	// ActionName is what it names those that carry out actions.
	ActionName = "mongobench-action"
)

// MemberTimeout bounds the search for a member and the first question to it; later ones are bounded by their caller.
const MemberTimeout = 5 * time.Second

// Login is another user than the load's, and a client of the deployment as that user.
type Login struct {
	name string
	// Main is the load's client, and options are what it was made with.
	Main    *mongo.Client
	Options *options.ClientOptions
	// credential is nil for the load's own user.
	credential *options.Credential

	mutex  sync.Mutex
	client *mongo.Client
}

// NewLogin reads the credentials of a folder; without a folder the user is the load's.
func NewLogin(name, folder string, o *options.ClientOptions) (*Login, error) {
	l := &Login{name: name, Options: o}
	if folder == "" {
		return l, nil
	}
	credential, err := readCredentials(folder)
	if err != nil {
		return nil, err
	}
	l.credential = &credential
	return l, nil
}

// ConnectMember connects to one server as the user. The caller disconnects it.
func (l *Login) ConnectMember(host string) (*mongo.Client, error) {
	o := options.Client().
		SetHosts([]string{host}).
		SetDirect(true).
		SetAppName(l.name).
		SetMaxPoolSize(1).
		SetServerMonitoringMode("poll").
		SetServerSelectionTimeout(MemberTimeout).
		SetTimeout(MemberTimeout).
		SetRetryReads(false)
	// Not the dialer, which counts the traffic of the load.
	o.Auth, o.TLSConfig, o.ServerAPIOptions = l.Options.Auth, l.Options.TLSConfig, l.Options.ServerAPIOptions
	if l.credential != nil {
		o.SetAuth(*l.credential)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting to member %s: %w", host, errorclass.WithoutSecrets(err))
	}
	return client, nil
}

// Deployment is a client of the deployment as the user, connected when it is needed for the first time. It belongs to
// the login, and its traffic is not the load's.
func (l *Login) Deployment() (*mongo.Client, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.credential == nil {
		return l.Main, nil
	}
	if l.client != nil {
		return l.client, nil
	}
	o := options.MergeClientOptions(l.Options).SetAppName(l.name).SetAuth(*l.credential).SetMaxPoolSize(1)
	o.Dialer, o.PoolMonitor = nil, nil
	client, err := mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting as user %q: %w", l.credential.Username, errorclass.WithoutSecrets(err))
	}
	l.client = client
	return client, nil
}

// Disconnect ends the connections of the user, unless they are the load's.
func (l *Login) Disconnect(ctx context.Context) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.client == nil {
		return nil
	}
	return l.client.Disconnect(ctx)
}

// Traffic counts what goes over connections: all of them, the driver's own for watching the servers included. With TLS
// these are the encrypted bytes.
type Traffic struct {
	// Dialer opens the connections of the load, by whatever client, and closes those to a server that is cut off.
	Dialer dialer.Dialer

	bytesIn, bytesOut                      atomic.Int64
	checkouts, checkoutNanos, longestNanos atomic.Int64
}

// Sum is what was counted so far.
func (t *Traffic) Sum() reportv1.Traffic {
	return reportv1.Traffic{
		BytesIn:           t.bytesIn.Load(),
		BytesOut:          t.bytesOut.Load(),
		Checkouts:         t.checkouts.Load(),
		CheckoutMicros:    t.checkoutNanos.Load() / int64(time.Microsecond),
		MaxCheckoutMicros: t.longestNanos.Load() / int64(time.Microsecond),
	}
}

// DialContext opens the connection that the driver would have opened, and counts what goes over it.
func (t *Traffic) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := t.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &countedConnection{Conn: connection, traffic: t, ahead: bufio.NewReader(connection)}, nil
}

// Monitor counts how long connections of the pool were waited for, and passes on all that happens to them.
func (t *Traffic) Monitor(observe func(*event.PoolEvent)) *event.PoolMonitor {
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) {
		observe(e)
		if e.Type != event.ConnectionCheckedOut && e.Type != event.ConnectionCheckOutFailed {
			return
		}
		t.checkouts.Add(1)
		t.checkoutNanos.Add(int64(e.Duration))
		for longest := t.longestNanos.Load(); int64(e.Duration) > longest; longest = t.longestNanos.Load() {
			if t.longestNanos.CompareAndSwap(longest, int64(e.Duration)) {
				return
			}
		}
	}}
}

// countedConnection counts its bytes. It reads ahead: the driver asks for the length of a reply and then for the rest,
// and of a reply of less than 4 KB one call of the system brings both.
type countedConnection struct {
	net.Conn
	traffic *Traffic
	ahead   *bufio.Reader
}

func (c *countedConnection) Read(into []byte) (int, error) {
	number, err := c.ahead.Read(into)
	c.traffic.bytesIn.Add(int64(number))
	return number, err
}

func (c *countedConnection) Write(from []byte) (int, error) {
	number, err := c.Conn.Write(from)
	c.traffic.bytesOut.Add(int64(number))
	return number, err
}
