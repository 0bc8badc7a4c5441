package wiresession

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// stages are how far a Connect goes.
var stages = map[benchv1alpha1.ConnectStage]wire.Stage{
	benchv1alpha1.ConnectTCP: wire.Reached, benchv1alpha1.ConnectTLS: wire.Secured,
	benchv1alpha1.ConnectHello: wire.Greeted, benchv1alpha1.ConnectReady: wire.Ready, "": wire.Ready,
}

// CanConnect says why the connections that a step wants beside those of its sessions cannot be opened; nil if they can.
func (o *Opener) CanConnect(step planv1.Step) error {
	connects := step.Connections != nil && step.Connections.Idle > 0
	for _, declared := range step.Operations {
		if declared.Kind != benchv1alpha1.OperationConnect {
			continue
		}
		connects = true
		if declared.ConnectUntil == benchv1alpha1.ConnectTLS && o.config.TLS == nil {
			return fmt.Errorf("operation %q connects until TLS, and the load's connections have none; set connectUntil to "+
				"TCP, or encrypt them", declared.Name)
		}
	}
	if reason := beyondConnecting(o.options); connects && reason != "" {
		return fmt.Errorf("connections beside those of the threads are the wire client's, and the connection string has %s",
			reason)
	}
	return nil
}

// Connect opens a connection to where the load goes, as far as a stage, and closes it. Nothing is tried twice.
func (o *Opener) Connect(ctx context.Context, until benchv1alpha1.ConnectStage) error {
	conn, err := o.beside(ctx, stages[until])
	if err != nil {
		return err
	}
	conn.Close()
	return nil
}

// beside opens a connection that no action on the load's own ends.
func (o *Opener) beside(ctx context.Context, until wire.Stage) (*wire.Conn, error) {
	address, err := o.address(ctx)
	if err != nil {
		return nil, errorclass.WithoutSecrets(commandError(err))
	}
	config := o.config
	config.Dialer, config.Until = nil, until
	conn, err := wire.Dial(ctx, address, config)
	if err != nil {
		o.forget(address)
		return nil, errorclass.WithoutSecrets(commandError(err))
	}
	return conn, nil
}

// Idle are connections that send nothing.
type Idle struct {
	connections []*wire.Conn
	// timeout bounds the question whether the server still has them.
	timeout time.Duration
}

// Idle opens so many connections, each ready for commands.
func (o *Opener) Idle(ctx context.Context, number int) (*Idle, error) {
	idle := &Idle{connections: make([]*wire.Conn, number), timeout: *o.options.Timeout}
	err := each(ctx, number, func(ctx context.Context, i int) (err error) {
		idle.connections[i], err = o.beside(ctx, wire.Ready)
		return err
	})
	if err != nil {
		idle.Close()
		return nil, fmt.Errorf("opening %d idle connections: %w", number, err)
	}
	return idle, nil
}

// Lost asks over each connection whether the server still has it, and returns how many it has not. A server that does
// not answer in the time of an operation has lost all that are left.
func (i *Idle) Lost(ctx context.Context) int64 {
	ctx, cancel := context.WithTimeout(ctx, i.timeout)
	defer cancel()
	var kept atomic.Int64
	_ = each(ctx, len(i.connections), func(ctx context.Context, at int) error {
		if answers(ctx, i.connections[at]) {
			kept.Add(1)
		}
		return nil
	})
	return int64(len(i.connections)) - kept.Load()
}

// answers says whether the server answers over a connection.
func answers(ctx context.Context, conn *wire.Conn) bool {
	defer context.AfterFunc(ctx, conn.Abort)()
	ping := command.Buffer{Lead: wire.Lead, Trailer: bsoncore.AppendStringElement(nil, "$db", "admin")}
	ping.CopyOpen(command.Ping)
	ping.End()
	document, err := conn.Call(ping.Bytes)
	if err != nil {
		return false
	}
	_, err = wire.Parse(document)
	return err == nil
}

// Close ends the connections.
func (i *Idle) Close() {
	for _, conn := range i.connections {
		if conn != nil {
			conn.Close()
		}
	}
}

// each does something for each number below count, as many at a time as may connect.
func each(ctx context.Context, count int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadgen.MostConnecting)
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
