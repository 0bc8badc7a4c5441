package mongo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// observerName and actionName are how connections for looking and for acting are told from those that carry load in a
	// server's logs.
	observerName = "mongobench-observer"
	actionName   = "mongobench-action"
)

// login is another user than the load's, and a client of the deployment as that user.
type login struct {
	name string
	// credential is nil for the load's own user.
	credential *options.Credential

	mutex  sync.Mutex
	client *driver.Client
}

// newLogin reads the credentials of a folder; without a folder the user is the load's.
func newLogin(name, folder string) (*login, error) {
	l := &login{name: name}
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

// observerClient is a client of the deployment as the user that looks at the servers. It belongs to the target.
func (t *Target) observerClient() (*driver.Client, error) {
	return t.clientAs(t.observer)
}

// actionClient is a client of the deployment as the user that carries out actions. It belongs to the target.
func (t *Target) actionClient() (*driver.Client, error) {
	return t.clientAs(t.action)
}

// actionMember connects to one server as the user that carries out actions. The caller disconnects it.
func (t *Target) actionMember(host string) (*driver.Client, error) {
	client, err := driver.Connect(t.memberOptions(t.action, host))
	if err != nil {
		return nil, fmt.Errorf("connecting to member %s: %w", host, withoutSecrets(err))
	}
	return client, nil
}

// clientAs connects as a user when that is needed for the first time. Its traffic is not the load's.
func (t *Target) clientAs(l *login) (*driver.Client, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.credential == nil {
		return t.client, nil
	}
	if l.client != nil {
		return l.client, nil
	}
	o := options.MergeClientOptions(t.options).SetAppName(l.name).SetAuth(*l.credential).SetMaxPoolSize(1)
	o.Dialer, o.PoolMonitor = nil, nil
	client, err := driver.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting as user %q: %w", l.credential.Username, withoutSecrets(err))
	}
	l.client = client
	return client, nil
}

// memberOptions are those of a connection to one server alone.
func (t *Target) memberOptions(as *login, host string) *options.ClientOptions {
	o := options.Client().
		SetHosts([]string{host}).
		SetDirect(true).
		SetAppName(as.name).
		SetMaxPoolSize(1).
		SetServerMonitoringMode("poll").
		SetServerSelectionTimeout(memberTimeout).
		SetTimeout(memberTimeout).
		SetRetryReads(false)
	// Not the dialer, which counts the traffic of the load.
	o.Auth, o.TLSConfig, o.ServerAPIOptions = t.options.Auth, t.options.TLSConfig, t.options.ServerAPIOptions
	if as.credential != nil {
		o.SetAuth(*as.credential)
	}
	return o
}

// disconnect ends all connections of the target.
func (t *Target) disconnect(ctx context.Context) error {
	var failures []error
	for _, l := range []*login{t.observer, t.action} {
		if l.client != nil {
			failures = append(failures, l.client.Disconnect(ctx))
		}
	}
	return errors.Join(append(failures, t.client.Disconnect(ctx))...)
}
