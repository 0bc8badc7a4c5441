package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/version"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Times that nobody waits longer for.
const (
	DefaultOperationTimeout = 60 * time.Second
	DefaultSelectionTimeout = 30 * time.Second
)

// authSource is the database that users are made in, unless the connection string says otherwise.
const authSource = "admin"

// Config says what to connect to.
type Config struct {
	// URI is a connection string.
	URI string
	// Credentials is a folder with the files username and password, for a URI without credentials. Empty: none.
	Credentials string
	// ObserverCredentials and ActionCredentials are folders of the same form, of the users that look at the servers and
	// that carry out actions. Empty: the load's own user.
	ObserverCredentials string
	ActionCredentials   string
	// CAFile holds the authorities, in PEM, that the servers' certificates are signed by; TLS is then used. Empty: what
	// the connection string says.
	CAFile string
	// Connections is the number of workers, each of which has a connection.
	Connections int
	// OperationTimeout bounds every operation, and SelectionTimeout the search for a server that can take it. Zero
	// means the default.
	OperationTimeout time.Duration
	SelectionTimeout time.Duration
}

// Target is a MongoDB deployment.
type Target struct {
	client *driver.Client
	// options are those of the client, for connections of their own beside it.
	options *options.ClientOptions
	// terms are those of the connection string.
	terms terms
	// timeout bounds every operation.
	timeout time.Duration
	traffic *traffic
	pool    *pool
	wires   *wires
	// observer looks at the servers, and action carries out actions.
	observer, action *login
	// explicitWrites is the write concern of the connection string, nil if it has none.
	explicitWrites *planv1.WriteConcern
}

// Open connects to a deployment and makes sure that it answers. Errors hold no credentials.
func Open(ctx context.Context, config Config) (*Target, error) {
	clientOptions, err := clientOptions(config)
	if err != nil {
		return nil, err
	}
	target := &Target{options: clientOptions, timeout: *clientOptions.Timeout, traffic: &traffic{}, pool: &pool{}}
	clientOptions.SetDialer(target.traffic).SetPoolMonitor(target.traffic.monitor(target.pool))
	if err := target.useConcerns(clientOptions); err != nil {
		return nil, err
	}
	if target.observer, err = newLogin(observerName, config.ObserverCredentials); err != nil {
		return nil, err
	}
	if target.action, err = newLogin(actionName, config.ActionCredentials); err != nil {
		return nil, err
	}
	target.wires = newWires(target)
	target.client, err = driver.Connect(clientOptions)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", withoutSecrets(err))
	}
	if err := target.client.Ping(ctx, target.terms.preference); err != nil {
		_ = target.client.Disconnect(context.WithoutCancel(ctx))
		return nil, explain(clientOptions, err)
	}
	return target, nil
}

// Close ends all connections.
func (t *Target) Close(ctx context.Context) error {
	if err := t.disconnect(ctx); err != nil {
		return fmt.Errorf("disconnecting: %w", err)
	}
	return nil
}

// Driver names the driver and its version.
func (t *Target) Driver() string {
	return "mongo-driver v" + strings.TrimPrefix(version.Driver, "v")
}

// clientOptions are those of the connection string, with all that a measurement fixes.
func clientOptions(config Config) (*options.ClientOptions, error) {
	timeout, selection := config.OperationTimeout, config.SelectionTimeout
	if timeout == 0 {
		timeout = DefaultOperationTimeout
	}
	if selection == 0 {
		selection = DefaultSelectionTimeout
	}
	o := options.Client().ApplyURI(config.URI).
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
		return nil, fmt.Errorf("connection string: %w", withoutSecrets(err))
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

// explain says in one sentence why a deployment cannot be used, and what to look at.
func explain(o *options.ClientOptions, err error) error {
	hosts := strings.Join(o.Hosts, ",")
	if classify(err) == classAuthentication {
		name := ""
		if o.Auth != nil {
			name = o.Auth.Username
		}
		return fmt.Errorf("authentication at %s as user %q failed; check the name, the password and the authSource: %w",
			hosts, name, withoutSecrets(err))
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("no server at %s answered within %s; check the address, that the server runs, the network, "+
		"and TLS: %w", hosts, *o.ServerSelectionTimeout, withoutSecrets(err))
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

// withoutSecrets takes credentials out of an error's text; no error stays none.
func withoutSecrets(err error) error {
	if err == nil {
		return nil
	}
	return secretless{err}
}
