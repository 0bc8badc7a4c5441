package connection

import (
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// Default limits.
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

// Options are those of the connection string, with all that a measurement fixes.
func Options(config Config) (*options.ClientOptions, error) {
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
