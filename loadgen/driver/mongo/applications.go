package mongo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/appsession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/drain"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
)

// applications are the driver's clients as an application makes them, one for each retry policy and size of the pool,
// for these are a client's own. Each is made when a step needs it first.
type applications struct {
	config  Config
	traffic *connection.Traffic
	// connect opens connections beside the clients'.
	connect *wiresession.Opener
	// terms are those of the connection string.
	terms *command.Terms

	mutex   sync.Mutex
	openers map[clientKey]*appsession.Opener
	// ballast is never touched, so that it takes no memory itself. Go's collector takes it for memory in use, and lets as
	// much garbage come together before it begins. Without it the collector began a dozen times a second and more, for a
	// load generator has little in use, and took a fifth of its CPU time.
	ballast []byte
}

// clientKey is what the clients differ in. A poolSize of 0 is that of the connection string.
type clientKey struct {
	retry    benchv1alpha1.RetryPolicy
	poolSize int
}

// ballastBytes is about what a small application has in use. Garbage takes up to so much more memory.
const ballastBytes = 32 << 20

// opener is the one that a step needs. Its server has answered.
func (a *applications) opener(ctx context.Context, step planv1.Step) (*appsession.Opener, error) {
	key := clientKey{retry: step.Retry, poolSize: step.PoolSize()}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if known := a.openers[key]; known != nil {
		return known, nil
	}
	o, err := connection.ApplicationOptions(a.config, key.retry)
	if err != nil {
		return nil, err
	}
	if key.poolSize > 0 {
		o.SetMaxPoolSize(uint64(key.poolSize))
	}
	timeout, _ := a.config.Timeouts()
	opener := &appsession.Opener{Pool: &drain.Pool{}, Terms: a.terms, Timeout: timeout, Connect: a.connect}
	o.SetDialer(a.traffic).SetPoolMonitor(a.traffic.Monitor(opener.Pool.Observe)).SetMonitor(appsession.Monitor())
	opener.Client, err = mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", errorclass.WithoutSecrets(err))
	}
	if err := opener.Client.Ping(ctx, a.terms.Preference); err != nil {
		_ = opener.Client.Disconnect(context.WithoutCancel(ctx))
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, fmt.Errorf("asking the server for an answer: %w", errorclass.WithoutSecrets(err))
	}
	answer, err := lookup.Admin(ctx, opener.Client)(lookup.IsMaster)
	if err != nil {
		_ = opener.Client.Disconnect(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("asking what the deployment is: %w", errorclass.WithoutSecrets(err))
	}
	opener.Sends = appsession.SendsOf(o, answer)
	if a.openers == nil {
		a.openers = map[clientKey]*appsession.Opener{}
		a.ballast = make([]byte, ballastBytes)
	}
	a.openers[key] = opener
	return opener, nil
}

// disconnect ends all of them.
func (a *applications) disconnect(ctx context.Context) (err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, opener := range a.openers {
		err = errors.Join(err, opener.Client.Disconnect(ctx))
	}
	runtime.KeepAlive(a.ballast)
	a.ballast = nil
	return err
}
