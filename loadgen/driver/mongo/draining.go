package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen"
)

var (
	_ loadgen.Drainer   = (*session)(nil)
	_ loadgen.Drainer   = (*wireSession)(nil)
	_ loadgen.Drainer   = (*Stream)(nil)
	_ loadgen.Estimator = (*Target)(nil)
)

// gatherPause is how long a question is waited for to have a connection before another one is asked.
const gatherPause = 10 * time.Millisecond

// pingCommand is what any server answers.
var pingCommand = bson.Raw(bsoncore.NewDocumentBuilder().AppendInt32("ping", 1).Build())

// ErrBroken is of a connection that there is no asking over any more.
var ErrBroken = errors.New("a connection broke with writes on it that nobody answers, and what came of them is unknown")

// Unacknowledged says whether an operation's writes go without a reply.
func (b *builder) Unacknowledged(operation int) bool {
	return operation < len(b.operations) && b.operations[operation].unacknowledged
}

// Drain asks over the session's connection whether all before was taken in.
func (s *wireSession) Drain(ctx context.Context) error {
	unanswered, broken := s.unanswered, s.broken
	s.unanswered, s.broken = false, false
	if broken {
		return ErrBroken
	}
	if !unanswered {
		return nil
	}
	s.beginOnce()
	s.command.copyOpen(pingCommand)
	s.command.end()
	// What is on its way may take the server longer than an operation may: the watch sees nothing of it.
	s.endWith(ctx)
	_, err := s.judge(s.conn.Call(s.command.bytes))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Drain asks over all of the driver's connections: which of them the session's writes went over nobody knows.
func (s *session) Drain(ctx context.Context) error {
	return s.target.drain(ctx)
}

// drain returns when the servers have taken in what was sent over the driver's connections. Who comes while another one
// drains finds nothing left to do: what it has sent was sent before that began.
func (t *Target) drain(ctx context.Context) error {
	t.pool.draining.Lock()
	defer t.pool.draining.Unlock()
	ended, some := t.pool.begin()
	if !some {
		return nil
	}
	err := t.pingAll(ctx)
	if err == nil {
		err = t.pool.brokenSince(ended)
	} else {
		// The next one will not know either.
		t.pool.fail(ended)
	}
	if deadline, bounded := ctx.Deadline(); err != nil && bounded && !time.Now().Before(deadline) {
		// The driver ends what waits at a deadline by itself, which may be before the context does.
		<-ctx.Done()
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return withoutSecrets(err)
}

// pingAll asks one question over each connection that writes may have gone over.
func (t *Target) pingAll(ctx context.Context) error {
	admin := t.client.Database("admin")
	primary := options.RunCmd().SetReadPreference(readpref.Primary())
	reply, err := admin.RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}}, primary).Raw()
	if err != nil {
		return fmt.Errorf("asking what the deployment is: %w", err)
	}
	group, asking := errgroup.WithContext(ctx)
	gathered := t.pool.gather(asking, text(reply, "msg") == "isdbgrid")
	defer t.pool.gathering.Store(nil)
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
	return admin.RunCommand(ctx, pingCommand, primary).Err()
}

// Estimate returns the number of documents that the server remembers, which is at once as good as its last write. With
// shards those of moved chunks that are still to be deleted are among them.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	ofPrimary := options.Collection().SetReadPreference(readpref.Primary())
	number, err := t.client.Database(database).Collection(collection, ofPrimary).EstimatedDocumentCount(ctx)
	return number, withoutSecrets(err)
}
