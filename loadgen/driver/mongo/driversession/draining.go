package driversession

import (
	"context"
	"fmt"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

var _ loadgen.Drainer = (*Session)(nil)

// gatherPause is how long a question is waited for to have a connection before another one is asked.
const gatherPause = 10 * time.Millisecond

// Unacknowledged says whether an operation's writes go without a reply.
func (s *Session) Unacknowledged(operation int) bool {
	return s.build.UnacknowledgedWrites(operation)
}

// Drain asks over all of the driver's connections: which of them carried the session's writes is not known.
func (s *Session) Drain(ctx context.Context) error {
	return s.opener.drain(ctx)
}

// drain returns when the servers have taken in what was sent over the driver's connections. Who comes while another one
// drains finds nothing left to do: what it has sent was sent before that began.
func (o *Opener) drain(ctx context.Context) error {
	o.Pool.draining.Lock()
	defer o.Pool.draining.Unlock()
	ended, some := o.Pool.begin()
	if !some {
		return nil
	}
	err := o.pingAll(ctx)
	if err == nil {
		err = o.Pool.brokenSince(ended)
	} else {
		// The next one will not know either.
		o.Pool.fail(ended)
	}
	if deadline, bounded := ctx.Deadline(); err != nil && bounded && !time.Now().Before(deadline) {
		// The driver ends what waits at a deadline by itself, which may be before the context does.
		<-ctx.Done()
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errorclass.WithoutSecrets(err)
}

// pingAll asks one question over each connection that writes may have gone over.
func (o *Opener) pingAll(ctx context.Context) error {
	admin := o.Client.Database("admin")
	primary := options.RunCmd().SetReadPreference(readpref.Primary())
	reply, err := admin.RunCommand(ctx, lookup.IsMaster, primary).Raw()
	if err != nil {
		return fmt.Errorf("asking what the deployment is: %w", err)
	}
	group, asking := errgroup.WithContext(ctx)
	gathered := o.Pool.gather(asking, lookup.IsMongos(reply))
	defer o.Pool.gathering.Store(nil)
	pause := time.NewTicker(gatherPause)
	defer pause.Stop()
	for !gathered.complete() && asking.Err() == nil {
		group.Go(func() error { return ping(asking, admin, primary) })
		select {
		case <-gathered.taken:
		case <-gathered.all:
		case <-pause.C:
		case <-asking.Done():
		}
	}
	return group.Wait()
}

func ping(ctx context.Context, admin *driver.Database, primary *options.RunCmdOptionsBuilder) error {
	return admin.RunCommand(ctx, command.Ping, primary).Err()
}
