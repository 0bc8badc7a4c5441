package limits

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/testing/cgrouptest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// newServer is one that keeps its diagnostic data, which others in tests do not.
func newServer(t *testing.T, arguments ...string) *mongotest.Server {
	t.Helper()
	server := mongotest.Start(t, mongotest.Newest(), arguments...)
	set(t, server, "diagnosticDataCollectionEnabled", true)
	return server
}

func alone(server *mongotest.Server) scene { return scene{uris: []string{server.URI()}} }

// connect is a client of a server's own.
func connect(t *testing.T, server *mongotest.Server) *driver.Client {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

// admin sends a command to a server.
func admin(t *testing.T, server *mongotest.Server, command bson.D) bson.Raw {
	t.Helper()
	reply, err := connect(t, server).Database("admin").RunCommand(t.Context(), command).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func set(t *testing.T, server *mongotest.Server, parameter string, value any) {
	t.Helper()
	admin(t, server, bson.D{{Key: "setParameter", Value: 1}, {Key: parameter, Value: value}})
}

// throttled is a server that may use this much of one core, in percent.
func throttled(t *testing.T, percent int) scene {
	t.Helper()
	server := newServer(t)
	pid, _ := admin(t, server, bson.D{{Key: "serverStatus", Value: 1}}).Lookup("pid").AsInt64OK()
	cgrouptest.Join(t, cgrouptest.Limited(t, percent), strconv.FormatInt(pid, 10))
	return scene{uris: []string{server.URI()}, limitMillicores: int64(percent) * 10}
}

// slowSyncs is a server whose files take so much longer to sync.
func slowSyncs(t *testing.T, longer time.Duration) *mongotest.Server {
	t.Helper()
	library := filepath.Join(t.TempDir(), "slowsync.so")
	made, err := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-O1", "-o", library,
		filepath.Join("testdata", "slowsync.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("compiling slowsync.c: %v: %s", err, made)
	}
	t.Setenv("LD_PRELOAD", library)
	t.Setenv("SYNC_MICROS", strconv.FormatInt(longer.Microseconds(), 10))
	defer func() { _ = os.Unsetenv("LD_PRELOAD") }()
	return newServer(t)
}

// lockWrites locks a server against all writes, for one time after another, until the test ends.
func lockWrites(t *testing.T, server *mongotest.Server, locked, free time.Duration) {
	t.Helper()
	db := connect(t, server).Database("admin")
	ctx, cancel := context.WithCancel(t.Context())
	var locking sync.WaitGroup
	locking.Go(func() {
		for ctx.Err() == nil {
			// Neither is cut short, or the lock would stay.
			until := context.WithoutCancel(ctx)
			if db.RunCommand(until, bson.D{{Key: "fsync", Value: 1}, {Key: "lock", Value: true}}).Err() != nil {
				return
			}
			<-time.After(locked)
			_ = db.RunCommand(until, bson.D{{Key: "fsyncUnlock", Value: 1}}).Err()
			<-time.After(free)
		}
	})
	t.Cleanup(func() {
		cancel()
		locking.Wait()
	})
}

// delayedSet is a replica set of two whose secondary applies everything a second late.
func delayedSet(t *testing.T, arguments ...string) scene {
	t.Helper()
	primary := newServer(t, append(arguments, "--replSet", "late", "--oplogSize", "64")...)
	secondary := newServer(t, append(arguments, "--replSet", "late", "--oplogSize", "64")...)
	admin(t, primary, bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: "late"},
		{Key: "members", Value: bson.A{
			bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: primary.Address}},
			bson.D{
				{Key: "_id", Value: 1},
				{Key: "host", Value: secondary.Address},
				{Key: "priority", Value: 0},
				{Key: "secondaryDelaySecs", Value: 1},
			},
		}},
		{Key: "settings", Value: bson.D{{Key: "electionTimeoutMillis", Value: 2000}}},
	}}})
	awaitState(t, primary, "isWritablePrimary")
	awaitState(t, secondary, "secondary")
	return scene{uris: []string{fmt.Sprintf("mongodb://%s,%s/?replicaSet=late", primary.Address, secondary.Address)}}
}

// heldBackSet is a delayedSet whose primary does not let its secondary be so far behind.
func heldBackSet(t *testing.T) scene {
	t.Helper()
	return delayedSet(t, "--setParameter", "flowControlTargetLagSeconds=1")
}

// awaitState returns once a server says that it is something.
func awaitState(t *testing.T, server *mongotest.Server, state string) {
	t.Helper()
	db := connect(t, server).Database("admin")
	for deadline := time.Now().Add(5 * time.Minute); ; {
		reply, err := db.RunCommand(t.Context(), bson.D{{Key: "hello", Value: 1}}).Raw()
		if is, _ := reply.Lookup(state).BooleanOK(); err == nil && is {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server never said %s: %v", state, err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// behind is a server behind a proxy that holds back each answer for a while, and lets no more than so many bytes a
// second through for all connections together; 0 is no bound.
func behind(t *testing.T, server *mongotest.Server, delay time.Duration, bytesPerSecond int) scene {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	gate := &gate{delay: delay, bytesPerSecond: bytesPerSecond}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go gate.carry(client, server.Address)
		}
	}()
	return scene{uris: []string{strings.Replace(server.URI(), server.Address, listener.Addr().String(), 1)}}
}

// gate is what all connections of a proxy go through.
type gate struct {
	delay          time.Duration
	bytesPerSecond int

	mutex sync.Mutex
	free  time.Time
}

func (g *gate) carry(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, client) }()
	_, _ = io.Copy(narrow{client, g}, server)
}

// pass says when so many bytes have gone through.
func (g *gate) pass(bytes int) time.Time {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	now := time.Now()
	if g.bytesPerSecond > 0 {
		if g.free.Before(now) {
			g.free = now
		}
		g.free = g.free.Add(time.Duration(bytes) * time.Second / time.Duration(g.bytesPerSecond))
		return g.free
	}
	return now.Add(g.delay)
}

// narrow writes what a gate lets through.
type narrow struct {
	io.Writer
	gate *gate
}

// Write waits first.
func (n narrow) Write(content []byte) (int, error) {
	<-time.After(time.Until(n.gate.pass(len(content))))
	return n.Writer.Write(content)
}
