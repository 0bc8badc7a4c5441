package mongo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// readThings is an operation that reads one document.
var readThings = planv1.Operation{
	Name: "get", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
}

// connects is an operation that connects as far as a stage.
func connects(until benchv1alpha1.ConnectStage) planv1.Operation {
	return planv1.Operation{
		Name: "connect", Request: planv1.Request{Kind: benchv1alpha1.OperationConnect},
		WholeSettings: planv1.WholeSettings{ConnectUntil: until},
	}
}

// logins is how many logins by SCRAM-SHA-256 a server has seen.
func logins(t *testing.T, db *driver.Database) int64 {
	t.Helper()
	status, err := db.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	seen, found := status.Lookup("security", "authentication", "mechanisms", "SCRAM-SHA-256", "authenticate", "received").
		AsInt64OK()
	if !found {
		t.Fatal("the server does not count logins")
	}
	return seen
}

// TestConnectGoesAsFarAsItIsTold counts at a server with TLS and users what each stage costs it.
func TestConnectGoesAsFarAsItIsTold(t *testing.T) {
	server, config := secured(t, mongotest.Newest())
	root := as(t, server, "root")
	target, err := mongo.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	for _, client := range everyClient {
		for _, until := range []benchv1alpha1.ConnectStage{
			benchv1alpha1.ConnectTCP, benchv1alpha1.ConnectTLS, benchv1alpha1.ConnectHello, benchv1alpha1.ConnectReady,
		} {
			t.Run(string(client)+" until "+string(until), func(t *testing.T) { checkConnect(t, target, root, client, until) })
		}
	}
}

// checkConnect connects as often as operations are sent.
func checkConnect(
	t *testing.T, target *mongo.Target, root *driver.Database, client benchv1alpha1.Client,
	until benchv1alpha1.ConnectStage,
) {
	t.Helper()
	plan := planOf("secured", planv1.Step{
		Threads: 2, OperationCount: sent, Operations: []planv1.Operation{connects(until)},
	})
	plan.Client = client
	before, known := connectionsMade(t, root), logins(t, root)
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	connected := reports[0].Steps[3].Operations[0]
	if connected.Count != sent || connected.Errors != 0 || connected.Documents != 0 || connected.Empty != 0 {
		t.Errorf("%+v; want %d that came upon nothing", connected, sent)
	}
	// A connection that is closed at once may be gone before the server looks at it.
	if made := connectionsMade(t, root) - before; made < sent && until != benchv1alpha1.ConnectTCP {
		t.Errorf("the server accepted %d connections, want at least %d", made, sent)
	}
	// The plan's own sessions log in, too, but fewer.
	authenticates := until == benchv1alpha1.ConnectReady
	if seen := logins(t, root) - known; (seen >= sent) != authenticates {
		t.Errorf("%d logins in %d operations, want them: %t", seen, sent, authenticates)
	}
}

func TestTLSThatThereIsNotIsRefused(t *testing.T) {
	target := open(t, mongotest.Start(t, mongotest.Newest()))
	_, err := target.Session(t.Context(), loadgen.Use{Database: "x", Step: planv1.Step{
		Kind: planv1.StepMeasure, Operations: []planv1.Operation{connects(benchv1alpha1.ConnectTLS)},
	}})
	if want := `operation "connect" connects until TLS, and the load's connections have none`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// measureWith runs a plan whose only step reads with some connections, in so many pods.
func measureWith(
	t *testing.T, server *mongotest.Server, client benchv1alpha1.Client, pods int, connections planv1.Connections,
) []reportv1.Report {
	t.Helper()
	db := database(t, server, "connections")
	plan := planOf(db.Name(), planv1.Step{
		Threads: 4, OperationCount: sent, Connections: &connections, Operations: []planv1.Operation{readThings},
	})
	plan.Client, plan.Pods = client, pods
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func TestIdleConnectionsAreOpenBesideTheLoad(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	looking := database(t, server, "looking")
	for _, client := range everyClient {
		before := connectionsMade(t, looking)
		reports := measureWith(t, server, client, 2, planv1.Connections{Idle: 51})
		var open, lost int64
		for _, report := range reports {
			step := report.Steps[len(report.Steps)-1]
			open, lost = open+step.IdleConnections, lost+step.LostConnections
			if want := ", beside 51 idle connections"; !strings.HasSuffix(step.Sent, want) {
				t.Errorf("%s: sent %q, want it to end with %q", client, step.Sent, want)
			}
		}
		if made := connectionsMade(t, looking) - before; open != 51 || lost != 0 || made < 51 {
			t.Errorf("%s: %d were open and %d lost, and the server accepted %d; want 51, 0 and as many", client, open,
				lost, made)
		}
	}
}

// TestIdleConnectionsThatTheServerClosesAreLost ends the server under them.
func TestIdleConnectionsThatTheServerClosesAreLost(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	idle, err := open(t, server).Idle(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if lost := idle.Lost(t.Context()); lost != 0 {
		t.Errorf("%d are lost while the server is there", lost)
	}
	server.Stop()
	if lost := idle.Lost(t.Context()); lost != 7 {
		t.Errorf("%d are lost once it is not, want all 7", lost)
	}
}

// TestAServerThatStandsStillHasLostItsConnections: nobody waits for it longer than an operation may take.
func TestAServerThatStandsStillHasLostItsConnections(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, OperationTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	idle, err := target.Idle(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if err := server.Suspend(); err != nil {
		t.Fatal(err)
	}
	lost := idle.Lost(t.Context())
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	if lost != 3 {
		t.Errorf("%d are lost while the server stands still, want all 3", lost)
	}
}

// TestAServerThatTakesNoMoreConnectionsIsQuoted wants more idle ones than the server's limit.
func TestAServerThatTakesNoMoreConnectionsIsQuoted(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest(), "--maxConns", "20")
	if _, err := open(t, server).Idle(t.Context(), 50); err == nil ||
		!strings.Contains(err.Error(), "opening 50 idle connections") {
		t.Errorf("error %v, want one that says what was opened", err)
	}
}

func TestEachOperationMayHaveAConnectionOfItsOwn(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	looking := database(t, server, "looking")
	before := connectionsMade(t, looking)
	reports := measureWith(t, server, benchv1alpha1.ClientWire, 1, planv1.Connections{Fresh: true})
	step := reports[0].Steps[len(reports[0].Steps)-1]
	if made := connectionsMade(t, looking) - before; made < sent || step.Operations[0].Count != sent {
		t.Errorf("%d operations over %d connections, want %d of each", step.Operations[0].Count, made, sent)
	}
	if want := "a connection for each operation"; !strings.Contains(step.Sent, want) {
		t.Errorf("sent %q, want %q", step.Sent, want)
	}
}

func TestAStepMayHaveAPoolOfItsOwn(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	reports := measureWith(t, server, benchv1alpha1.ClientApplication, 1, planv1.Connections{PoolSize: 3})
	step := reports[0].Steps[len(reports[0].Steps)-1]
	if step.PoolSize != 3 || !strings.Contains(step.Sent, "maxPoolSize 3") || step.Operations[0].Count != sent {
		t.Errorf("a pool of %d, sent %q, %d operations", step.PoolSize, step.Sent, step.Operations[0].Count)
	}
}

// TestReconnectClosesWhatIsOpen has every thread of every pod connect once more.
func TestReconnectClosesWhatIsOpen(t *testing.T) {
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) { checkReconnect(t, client) })
	}
}

func checkReconnect(t *testing.T, client benchv1alpha1.Client) {
	t.Helper()
	server := mongotest.Start(t, mongotest.Newest())
	db := database(t, server, "reconnect")
	plan := planOf(db.Name(), planv1.Step{
		Threads: 4, DurationSeconds: 2, Operations: []planv1.Operation{readThings}, Retry: benchv1alpha1.RetryOnce,
		Actions: []planv1.Action{{Name: "storm", Type: benchv1alpha1.ActionReconnect, AfterSeconds: 1}},
	})
	plan.Client, plan.Pods = client, 2
	pods := drivertest.Pods(plan, open(t, server))
	pods[1].Target = open(t, server)
	before := connectionsMade(t, db)
	reports, err := drivertest.Follow(t.Context(), pods)
	if err != nil {
		t.Fatal(err)
	}
	for i, report := range reports {
		step := report.Steps[len(report.Steps)-1]
		if action := step.Actions[0]; action.Error != "" || action.Member != "" {
			t.Errorf("pod %d: %+v", i, action)
		}
		if failed := step.Operations[0].Errors; failed != 0 {
			t.Errorf("pod %d: %d failed; want each sent once more", i, failed)
		}
	}
	if made := connectionsMade(t, db) - before; made < 2*4 {
		t.Errorf("the server accepted %d connections, want those of 4 threads twice", made)
	}
}
