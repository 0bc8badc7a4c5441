package handlersocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

// Name is what a session says that it sends by.
const Name = "handlersocket"

// Driver speaks HandlerSocket to a MariaDB.
var Driver = driver.Driver{
	Database: sql.Database,
	Takes: func(config driver.Config) bool {
		return sql.Takes(config) && config.Client == benchv1alpha1.ClientHandlerSocket
	},
	Open: func(ctx context.Context, config driver.Config) (driver.Target, error) {
		return Open(ctx, config)
	},
}

// Target is a server whose operations go over HandlerSocket, and everything else over SQL.
type Target struct {
	*sql.Target
	// read and write are the addresses of the two ports.
	read, write string
	secret      string
	// timeout bounds every operation, and selection the waiting for ports that take connections.
	timeout, selection time.Duration

	// mutex guards open, the connections of all sessions.
	mutex sync.Mutex
	open  map[*Conn]struct{}
}

// Open connects over SQL, and makes sure that both ports answer.
func Open(ctx context.Context, config driver.Config) (*Target, error) {
	if err := check(config); err != nil {
		return nil, err
	}
	target, err := sql.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	t := over(target, config)
	for _, address := range []string{t.read, t.write} {
		conn, err := t.dial(ctx, address)
		if err != nil {
			return nil, errors.Join(err, target.Close(ctx))
		}
		conn.Close()
	}
	return t, nil
}

// check refuses what HandlerSocket cannot be reached by, before anything is connected to.
func check(config driver.Config) error {
	location, err := sql.Locate(config)
	if err != nil {
		return err
	}
	if location.TLS != sql.TLSOff {
		return errors.New("TLS is asked for, and HandlerSocket has none: the secret and all rows would go over the network " +
			"as they are; leave TLS out, or set the client to Prepared or Text")
	}
	if ports := location.HandlerSocket; ports == nil || ports.Port == 0 || ports.WritePort == 0 {
		return errors.New("the connection string does not name both ports of HandlerSocket: it needs " +
			"handlersocketPort, handlersocketWritePort and, unless the server takes any, handlersocketSecret")
	}
	return nil
}

// over is a target over an SQL one.
func over(target *sql.Target, config driver.Config) *Target {
	location := target.Location()
	host, _, err := net.SplitHostPort(location.Address)
	if err != nil || location.Network != "tcp" {
		host = "127.0.0.1"
	}
	at := func(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
	ports := location.HandlerSocket
	timeout, selection := config.Timeouts()
	return &Target{
		Target: target, read: at(ports.Port), write: at(ports.WritePort), secret: ports.Secret,
		timeout: timeout, selection: selection, open: map[*Conn]struct{}{},
	}
}

// Driver names both clients.
func (t *Target) Driver() string {
	return Name + ", " + t.Target.Driver()
}

// Check refuses what the client cannot do of a plan, before anything is written.
func (t *Target) Check(plan planv1.Plan) error {
	if err := t.CheckPlan(plan); err != nil {
		return err
	}
	use := loadgen.Use{Database: plan.Database, Collections: plan.Collections}
	for _, step := range plan.Steps {
		for _, operation := range step.Operations {
			if _, err := bind(use, operation); err != nil {
				return fmt.Errorf("step %q: operation %q: %w", step.Name, operation.Name, err)
			}
		}
	}
	return nil
}

// Prepare makes a table, which no connection may have open.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	t.release()
	return t.Target.Prepare(ctx, database, collection)
}

// Index makes the indexes of a table, which no connection may have open.
func (t *Target) Index(ctx context.Context, database string, collection planv1.Collection) error {
	t.release()
	return t.Target.Index(ctx, database, collection)
}

// release closes the connections of all sessions, so that no table is open: the server changes none that is. A session
// that goes on reconnects.
func (t *Target) release() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for conn := range t.open {
		conn.Close()
	}
}

// Classify names the class of an error.
func (t *Target) Classify(err error) string {
	if class := classify(err); class != "" {
		return class
	}
	return t.Target.Classify(err)
}

// Session opens a worker's handle. Of a step that measures the indexes are open afterwards; of a Load they are opened
// with the first batch, since its tables may be made only now.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	s := &session{
		use:  use,
		read: link{target: t, address: t.read}, write: link{target: t, address: t.write},
	}
	for _, declared := range use.Step.Operations {
		bound, err := bind(use, declared)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", declared.Name, err)
		}
		bound.on(s)
		s.operations = append(s.operations, bound)
	}
	if err := s.begin(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
