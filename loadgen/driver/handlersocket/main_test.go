package handlersocket_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

func TestMain(m *testing.M) {
	os.Exit(mariadbtest.Main(m))
}

// secret is that of the servers of the tests. One whose bytes have to be escaped is never right: the server compares
// the lengths before it takes the escapes away.
const secret = "s3cret of the port"

// server is a MariaDB that takes HandlerSocket, and where.
type server struct {
	*mariadbtest.Server
	port, writePort int
}

// shared is the server of all tests that do it no harm.
var shared = struct {
	sync.Mutex
	server server
}{}

func sharedServer(tb testing.TB) server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server.Server == nil {
		port, writePort := ports(tb)
		shared.server = server{
			mariadbtest.SharedAs(tb, "HandlerSocket", mariadbtest.HandlerSocket(port, writePort, secret)...), port, writePort,
		}
	}
	return shared.server
}

// ownServer is a server for a test that harms it.
func ownServer(tb testing.TB) server {
	tb.Helper()
	port, writePort := ports(tb)
	return server{mariadbtest.Start(tb, mariadbtest.HandlerSocket(port, writePort, secret)...), port, writePort}
}

func ports(tb testing.TB) (port, writePort int) {
	tb.Helper()
	for _, free := range []*int{&port, &writePort} {
		found, err := process.FreePort()
		if err != nil {
			tb.Fatal(err)
		}
		*free = found
	}
	return port, writePort
}

// uri is a connection string with these ports and this secret.
func (s server) uri(port, writePort int, escapedSecret string) string {
	return fmt.Sprintf("%s?handlersocketPort=%d&handlersocketWritePort=%d&handlersocketSecret=%s",
		s.URI(), port, writePort, escapedSecret)
}

func (s server) config() driver.Config {
	return driver.Config{URIs: []string{s.uri(s.port, s.writePort, "s3cret%20of%20the%20port")}}
}

func (s server) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

func (s server) writeAddress() string { return fmt.Sprintf("127.0.0.1:%d", s.writePort) }

// open connects what is tested.
func open(tb testing.TB, config driver.Config) *handlersocket.Target {
	tb.Helper()
	target, err := handlersocket.Open(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// look is a plain connection for looking at what was done, to an empty database of that name.
func look(tb testing.TB, s server, name string) *sql.Member {
	tb.Helper()
	target, err := sql.Open(tb.Context(), driver.Config{URIs: []string{s.URI()}})
	if err != nil {
		tb.Fatal(err)
	}
	member := sql.MemberOf(target)
	tb.Cleanup(func() {
		member.Close()
		_ = target.Close(context.Background())
	})
	must(tb, member, "DROP DATABASE IF EXISTS "+name)
	must(tb, member, "CREATE DATABASE "+name)
	return member
}

// must carries out a statement.
func must(tb testing.TB, db *sql.Member, statement string) {
	tb.Helper()
	if _, err := db.List(tb.Context(), statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// text is the one value of an expression, of rows or of none.
func text(tb testing.TB, db *sql.Member, expression string) string {
	tb.Helper()
	rows, err := db.List(tb.Context(), "SELECT 'value', "+expression)
	if err != nil {
		tb.Fatalf("%s: %v", expression, err)
	}
	return rows["value"]
}

// engineOf follows a plan as its only pod.
func engineOf(target loadgen.Target, plan planv1.Plan) *engine.Engine {
	return &engine.Engine{
		Plan: plan, PlanHash: "hash", Target: target, Reporter: &drivertest.Reporter{}, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	}
}

// follow follows a plan to its end.
func follow(ctx context.Context, target loadgen.Target, plan planv1.Plan) (reportv1.Report, error) {
	return engineOf(target, plan).Run(ctx)
}
