package mongo_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestTheClientIsChosenByWhatAStepNeeds(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	for name, tc := range map[string]struct {
		option    string
		operation planv1.Operation
		// driver is what the driver is needed for, empty where the wire client will do.
		driver string
	}{
		"a read":        {"", planv1.Operation{Request: planv1.Request{Kind: "FindOne"}}, ""},
		"a bulk write":  {"", planv1.Operation{Request: planv1.Request{Kind: "BulkWrite"}}, ""},
		"a transaction": {"", planv1.Operation{Request: planv1.Request{Kind: "Transaction"}}, "Transaction"},
		"a change stream": {"", planv1.Operation{
			Request: planv1.Request{Kind: "ChangeStream"},
		}, "ChangeStream"},
		"a tail": {"", planv1.Operation{Request: planv1.Request{Kind: "Tail"}}, "Tail"},
		"a read of the primary": {"", planv1.Operation{
			Request: planv1.Request{Kind: "Find"}, WholeSettings: planv1.WholeSettings{ReadPreference: "Primary"},
		}, ""},
		"a read of any server": {"", planv1.Operation{
			Request: planv1.Request{Kind: "Find"}, WholeSettings: planv1.WholeSettings{ReadPreference: "Nearest"},
		}, "nearest"},
		"a read, and others by URI": {"&readPreference=secondary", planv1.Operation{
			Request: planv1.Request{Kind: "Aggregate"},
		}, "secondary"},
		"a write, and others by URI": {"&readPreference=secondary", planv1.Operation{
			Request: planv1.Request{Kind: "UpdateOne"},
		}, ""},
		"a read of the primary alone": {
			"&readPreference=secondary", planv1.Operation{
				Request: planv1.Request{Kind: "Find"}, WholeSettings: planv1.WholeSettings{ReadPreference: "Primary"},
			}, "",
		},
		"compressed messages": {"&compressors=zlib", planv1.Operation{
			Request: planv1.Request{Kind: "FindOne"},
		}, "compressors"},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI() + tc.option}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = target.Close(context.Background()) }()
			tc.operation.Name = "it"
			step := planv1.Step{Operations: []planv1.Operation{tc.operation}}
			want := map[benchv1alpha1.Client]string{
				benchv1alpha1.ClientApplication: target.Driver(), benchv1alpha1.ClientWire: "wire",
				benchv1alpha1.ClientDriver: target.Driver(),
			}
			if tc.driver != "" {
				want[benchv1alpha1.ClientWire] = ""
			}
			for client, wantName := range want {
				checkClient(t, target, loadgen.Use{Database: "choice", Step: step, Client: client}, wantName, tc.driver)
			}
		})
	}
}

// checkClient opens a session and compares its client, or the error where none is wanted.
func checkClient(t *testing.T, target *mongo.Target, use loadgen.Use, want, reason string) {
	t.Helper()
	session, err := target.Session(t.Context(), use)
	if want == "" {
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("error %v, want one that says %q", err, reason)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if session.Client() != want {
		t.Errorf("client %s sends by %q, want %q", use.Client, session.Client(), want)
	}
}

// everything is a step with operations of all kinds that both clients know.
func everything() planv1.Step {
	const filter, touch = `{"_id": {"$param": "id"}}`, `{"$inc": {"touched": 1}}`
	return planv1.Step{Threads: 1, OperationCount: 600, Operations: []planv1.Operation{
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "inserts", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 120}},
		{Name: "find one", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: filter}},
		{
			Name: "find",
			Request: planv1.Request{
				Kind: "Find", Filter: `{}`, BatchSize: 30, Limit: 100,
				Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortAscending}},
			},
		},
		{
			Name:    "first",
			Request: planv1.Request{Kind: "Find", Filter: `{}`, BatchSize: 1, Fetch: benchv1alpha1.FetchFirstBatch},
		},
		{Name: "update", Parameters: byID, Request: planv1.Request{Kind: "UpdateOne", Filter: filter, Update: touch}},
		{Name: "many", Request: planv1.Request{Kind: "UpdateMany", Filter: `{"n": {"$lt": 20}}`, Update: touch}},
		{Name: "replace", Parameters: byID, Request: planv1.Request{Kind: "ReplaceOne", ReplaceKey: "id", Filter: filter}},
		{Name: "delete", Parameters: byID, Request: planv1.Request{Kind: "DeleteOne", Filter: filter}},
		{
			Name: "read and write", Parameters: byID,
			Request: planv1.Request{Kind: "ReadModifyWrite", Filter: filter, Update: touch},
		},
		{
			Name: "find and update", Parameters: byID,
			Request: planv1.Request{Kind: "FindOneAndUpdate", Filter: filter, Update: touch},
		},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"n": {"$lt": 100}}`}},
		{
			Name:    "aggregate",
			Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$group": {"_id": "$n"}}]`, BatchSize: 200},
		},
		{
			Name: "command", Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"count": "things"}`},
		},
		{Name: "error", Request: planv1.Request{Kind: "UpdateOne", Filter: `{}`, Update: `{"$inc": {"text": 1}}`}},
		{
			Name: "duplicate", Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"insert": "unique", "documents": [{"_id": 1}, {"_id": 1}]}`},
		},
	}}
}

func TestAllClientsDoTheSame(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			var hashes [3][32]byte
			var operations [3][]reportv1.Operation
			for i, client := range everyClient {
				db := database(t, server, "both")
				plan := planOf(db.Name(), everything())
				plan.Client = client
				reports, err := drivertest.Run(t.Context(), plan, open(t, server))
				if err != nil {
					t.Fatal(err)
				}
				hashes[i] = hashOf(t, db, "things")
				operations[i] = counts(reports[0].Steps[3].Operations)
			}
			for i, client := range everyClient {
				if hashes[0] != hashes[i] {
					t.Errorf("the collections of %s and %s differ", everyClient[0], client)
				}
				checkSame(t, client, operations[0], operations[i])
			}
		})
	}
}

// checkSame compares what a client reports with what the first of every client does.
func checkSame(t *testing.T, client benchv1alpha1.Client, first, others []reportv1.Operation) {
	t.Helper()
	if diff := cmp.Diff(first, others); diff != "" {
		t.Errorf("the reports (-%s +%s):\n%s", everyClient[0], client, diff)
	}
}

// counts leaves out of operations what time made of them.
func counts(operations []reportv1.Operation) []reportv1.Operation {
	counted := make([]reportv1.Operation, 0, len(operations))
	for _, o := range operations {
		classes := make([]reportv1.ErrorClass, 0, len(o.ErrorClasses))
		for _, class := range o.ErrorClasses {
			classes = append(classes, reportv1.ErrorClass{Class: class.Class, Count: class.Count})
		}
		counted = append(counted, reportv1.Operation{
			Name: o.Name, Kind: o.Kind, Count: o.Count, Documents: o.Documents, Errors: o.Errors, ErrorClasses: classes,
			Retries: o.Retries, Unacknowledged: o.Unacknowledged,
		})
	}
	return counted
}

// blocking makes the server wait before it does a command of the load generator.
func blocking(t *testing.T, db *driver.Database, command string, wait time.Duration) {
	t.Helper()
	failing(t, db, 1, bson.D{
		failCommands(command), {Key: "blockConnection", Value: true}, {Key: "blockTimeMS", Value: wait.Milliseconds()},
	})
}

func TestAnOperationThatTakesTooLongIsATimeout(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			server := failable(t, version)
			db := database(t, server, "timeout")
			ten(t, db)
			target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, OperationTimeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = target.Close(context.Background()) }()
			session, err := target.Session(t.Context(), loadgen.Use{Database: db.Name(), Client: benchv1alpha1.ClientWire})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			blocking(t, db, "find", 3*time.Second)
			find := request(operation.FindOne, nil)
			var reply loadgen.Reply
			err = session.Execute(t.Context(), &find, &reply)
			if err == nil || target.Classify(err) != "timeout" || !strings.Contains(err.Error(), "within 2s") {
				t.Errorf("error %v, want a timeout that names the time", err)
			}
			if reply := execute(t, session, find); reply.Documents != 1 {
				t.Errorf("reply %+v after the timeout", reply)
			}
		})
	}
}

func TestACancelledContextEndsTheOperationAndNotTheSession(t *testing.T) {
	server := failable(t, mongotest.Newest())
	db := database(t, server, "cancelled")
	ten(t, db)
	session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: benchv1alpha1.ClientWire})
	blocking(t, db, "find", 3*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	find := request(operation.FindOne, nil)
	var reply loadgen.Reply
	if err := session.Execute(ctx, &find, &reply); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if reply := execute(t, session, find); reply.Documents != 1 {
		t.Errorf("reply %+v after the cancellation", reply)
	}
}

func TestTheNewPrimaryIsFound(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "primary")
			session, target := sessionOf(t, "mongodb://"+server.Address+"/?replicaSet=rs0",
				loadgen.Use{Database: db.Name(), Client: benchv1alpha1.ClientWire})
			insert := request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{raw(t, `{"a": 1}`)} })
			execute(t, session, insert)
			// The answer may be an ended connection.
			_ = db.Client().Database("admin").RunCommand(t.Context(), bson.D{
				{Key: "replSetStepDown", Value: 2}, {Key: "secondaryCatchUpPeriodSecs", Value: 0}, {Key: "force", Value: true},
			}).Err()
			var reply loadgen.Reply
			err := session.Execute(t.Context(), &insert, &reply)
			if err == nil || target.Classify(err) != "not primary" && target.Classify(err) != "network" {
				t.Errorf("error %v of the first write after the primary stepped down", err)
			}
			// It waits for a primary to connect to.
			execute(t, session, insert)
			if found := count(t, db, `{"a": 1}`); found != 2 {
				t.Errorf("%d documents arrived, want 2", found)
			}
		})
	}
}

func TestWireSessionsLogInAndUseTLS(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "server.pem")
			if err := os.WriteFile(file, mongotest.Certificate(t), 0o600); err != nil {
				t.Fatal(err)
			}
			server := mongotest.Start(t, version, "--auth", "--tlsMode", "preferTLS", "--tlsCertificateKeyFile", file)
			uri := server.URI() + "&tls=true&tlsCAFile=" + url.QueryEscape(file)
			addUser(t, uri, "load", "right-secret")
			target, err := mongo.Open(t.Context(), mongo.Config{
				URIs: []string{uri}, Credentials: credentials(t, "load", "right-secret"),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = target.Close(context.Background()) }()
			checkSecured(t, target)
		})
	}
}

// addUser makes the first user of a server.
func addUser(t *testing.T, uri, name, password string) {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	if err := client.Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: name}, {Key: "pwd", Value: password}, {Key: "roles", Value: bson.A{"root"}},
	}).Err(); err != nil {
		t.Fatal(err)
	}
}

// checkSecured loads and reads by the wire client, and looks at what was sent and received.
func checkSecured(t *testing.T, target *mongo.Target) {
	t.Helper()
	plan := planOf("secured", planv1.Step{Threads: 3, OperationCount: 100, Operations: []planv1.Operation{
		{Name: "read", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`}},
	}})
	plan.Client = benchv1alpha1.ClientWire
	before := target.Traffic()
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	if got := reports[0].Steps[3]; got.Client != "wire" || got.Operations[0].Documents != 100 {
		t.Errorf("%d documents were read by %q", got.Operations[0].Documents, got.Client)
	}
	if after := target.Traffic(); after.BytesOut-before.BytesOut < 30_000 || after.BytesIn-before.BytesIn < 10_000 {
		t.Errorf("traffic %+v after %+v", after, before)
	}
}

func TestATooLargeDocumentIsTheServersError(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "large")
		session, target := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client})
		for name, bytes := range map[string]int{"beyond a document": 17 << 20, "beyond a message": 49 << 20} {
			if client == benchv1alpha1.ClientDriver && bytes > 48_000_000 {
				// The driver finds that out only as the connection ends.
				continue
			}
			large, err := bson.Marshal(bson.D{{Key: "payload", Value: make([]byte, bytes)}})
			if err != nil {
				t.Fatal(err)
			}
			insert := request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{large} })
			var reply loadgen.Reply
			if err := session.Execute(t.Context(), &insert, &reply); err == nil || target.Classify(err) != "server" {
				t.Errorf("%s: error %v, want one of the server", name, err)
			}
			execute(t, session, request(operation.FindOne, nil))
		}
	})
}

func TestOperationsOfTheWireClientAllocateNothing(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	db := database(t, server, "allocations")
	ten(t, db)
	session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: benchv1alpha1.ClientWire})
	for name, r := range map[string]workload.Request{
		"a read":   request(operation.FindOne, nil),
		"a cursor": request(operation.Find, func(r *workload.Request) { r.BatchSize = 3 }),
		"a write":  request(operation.UpdateOne, func(r *workload.Request) { r.Update = raw(t, `{"$set": {"x": 1}}`) }),
		"a document": request(operation.FindOneAndUpdate, func(r *workload.Request) {
			r.Update = raw(t, `{"$set": {"x": 1}}`)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			var reply loadgen.Reply
			if allocations := drivertest.Allocations(func() {
				if err := session.Execute(ctx, &r, &reply); err != nil {
					t.Fatal(err)
				}
				session.Settle(ctx)
			}); allocations > 0 {
				t.Errorf("it allocates %.0f times, want none", allocations)
			}
		})
	}
}

func TestAnInsertManyThatOneCommandCannotTakeIsSeveral(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "many")
		session, _ := sessionOf(t, server.URI(), loadgen.Use{Database: db.Name(), Client: client})
		documents := make([]bson.Raw, 52)
		for i := range documents {
			large, err := bson.Marshal(bson.D{{Key: "_id", Value: i}, {Key: "payload", Value: make([]byte, 1<<20)}})
			if err != nil {
				t.Fatal(err)
			}
			documents[i] = large
		}
		reply := execute(t, session, request(operation.InsertMany, func(r *workload.Request) { r.Documents = documents }))
		if there := count(t, db, `{}`); reply.Documents != 52 || there != 52 {
			t.Errorf("%d documents of 1 MiB were told to be inserted, and %d are there; want 52", reply.Documents, there)
		}
		// The last of them is there already, and is a later command's.
		err := session.Execute(t.Context(), new(request(operation.InsertMany, func(r *workload.Request) {
			r.Documents = slices.Clone(documents[51:])
		})), &reply)
		if err == nil {
			t.Error("a document that is there already was inserted")
		}
	})
}
