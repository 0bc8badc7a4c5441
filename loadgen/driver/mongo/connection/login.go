package connection

import (
	"context"
	"fmt"
	"sync"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

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
	Main    *driver.Client
	Options *options.ClientOptions
	// credential is nil for the load's own user.
	credential *options.Credential

	mutex  sync.Mutex
	client *driver.Client
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
func (l *Login) ConnectMember(host string) (*driver.Client, error) {
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
	client, err := driver.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting to member %s: %w", host, errorclass.WithoutSecrets(err))
	}
	return client, nil
}

// Deployment is a client of the deployment as the user, connected when it is needed for the first time. It belongs to
// the login, and its traffic is not the load's.
func (l *Login) Deployment() (*driver.Client, error) {
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
	client, err := driver.Connect(o)
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
