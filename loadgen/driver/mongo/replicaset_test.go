package mongo_test

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// failable is the server of a version, alone, whose fail points may be used by one test at a time.
func failable(t *testing.T, version string) *mongotest.Server {
	t.Helper()
	return mongotest.SharedAs(t, "failable", version, "--setParameter", "enableTestCommands=1")
}

// replicaSet is the same as the one member of a replica set.
func replicaSet(t *testing.T, version string) *mongotest.Server {
	t.Helper()
	server := mongotest.SharedAs(t, "rs0", version, "--replSet", "rs0", "--setParameter", "enableTestCommands=1")
	if !helloSays(t, server, "ismaster") {
		initiate(t, server)
	}
	return server
}

// initiate makes a server the only member of a replica set, and returns once it is its primary.
func initiate(t *testing.T, server *mongotest.Server) {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	admin := client.Database("admin")
	member := bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: server.Address}}
	config := bson.D{{Key: "_id", Value: "rs0"}, {Key: "members", Value: bson.A{member}}}
	if err := admin.RunCommand(t.Context(), bson.D{{Key: "replSetInitiate", Value: config}}).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		hello, err := admin.RunCommand(t.Context(), bson.D{{Key: "isMaster", Value: 1}}).Raw()
		primary, _ := hello.Lookup("ismaster").BooleanOK()
		return err == nil && primary
	})
}

// quick makes the driver look after a server often: a fail point changes nothing that the server would tell by itself.
const quick = "&heartbeatFrequencyMS=500&serverMonitoringMode=poll"

// failing makes the server fail this command of the load generator, as often as it says.
func failing(t *testing.T, db *driver.Database, times int, data bson.D) {
	t.Helper()
	admin := db.Client().Database("admin")
	data = append(data, bson.E{Key: "appName", Value: "mongobench"})
	if err := admin.RunCommand(t.Context(), bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: bson.D{{Key: "times", Value: times}}},
		{Key: "data", Value: data},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = admin.RunCommand(context.Background(), bson.D{
			{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: "off"},
		}).Err()
	})
}

// Ways in which a command fails.
var (
	closed  = bson.E{Key: "closeConnection", Value: true}
	stepped = bson.E{Key: "errorCode", Value: 11602}
	refused = bson.E{Key: "errorCode", Value: 2}
	// NoSuchTransaction, WriteConflict and MaxTimeMSExpired.
	passing  = bson.E{Key: "errorCode", Value: 251}
	conflict = bson.E{Key: "errorCode", Value: 112}
	expired  = bson.E{Key: "errorCode", Value: 50}
	written  = bson.E{Key: "writeConcernError", Value: bson.D{
		{Key: "code", Value: 91},
		{Key: "errmsg", Value: "shutting down"},
		{Key: "errorLabels", Value: bson.A{"RetryableWriteError"}},
	}}
)

func failCommands(names ...string) bson.E {
	return bson.E{Key: "failCommands", Value: names}
}

// retryCase is a request, the failure of its command, and what comes of it with retries.
type retryCase struct {
	request workload.Request
	command string
	failure bson.E
	times   int
	// wantRetries, or else an error of a class; wantOff is the class without retries.
	wantRetries int
	wantClass   string
	wantOff     string
}

func retryCases(t *testing.T) map[string]retryCase {
	t.Helper()
	insert := request(operation.InsertOne, func(r *workload.Request) { r.Documents = []bson.Raw{raw(t, `{"_id": 50}`)} })
	many := request(operation.UpdateMany, func(r *workload.Request) { r.Update = raw(t, `{"$set": {"x": 1}}`) })
	find := request(operation.FindOne, nil)
	cursor := request(operation.Find, func(r *workload.Request) { r.BatchSize = 3 })
	change := request(operation.FindOneAndUpdate, func(r *workload.Request) { r.Update = raw(t, `{"$set": {"x": 1}}`) })
	command := request(operation.RunCommand, func(r *workload.Request) { r.Command = raw(t, `{"count": "things"}`) })
	return map[string]retryCase{
		"a read whose connection ends":         {find, "find", closed, 1, 1, "", "network"},
		"a read twice is one too many":         {find, "find", closed, 2, 1, "network", "network"},
		"a read while the primary steps down":  {find, "find", stepped, 1, 1, "", "not primary"},
		"a read that is wrong":                 {find, "find", refused, 1, 0, "server", "server"},
		"a cursor whose connection ends":       {cursor, "find", closed, 1, 1, "", "network"},
		"the rest of a cursor":                 {cursor, "getMore", closed, 1, 0, "network", "network"},
		"a write whose connection ends":        {insert, "insert", closed, 1, 1, "", "network"},
		"a write while the primary steps down": {insert, "insert", stepped, 1, 1, "", "not primary"},
		doneAlready:                            {insert, "insert", written, 1, 1, "", "not primary"},
		"a document while the primary ends":    {change, "findAndModify", stepped, 1, 1, "", "not primary"},
		"a write of many documents":            {many, "update", closed, 1, 0, "network", "network"},
		"an unknown command":                   {command, "count", closed, 1, 0, "network", "network"},
	}
}

// doneAlready is a write whose error is the write concern's.
const doneAlready = "a write that was done already"

func TestRetries(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := replicaSet(t, version)
		db := database(t, server, "retries")
		for name, tc := range retryCases(t) {
			if client == benchv1alpha1.ClientApplication && strings.HasPrefix(name, doneAlready) {
				// The driver does not tell of a retry after an error of the write concern.
				tc.wantRetries = 0
			}
			use := loadgen.Use{Database: db.Name(), Client: client, Step: planv1.Step{Retry: benchv1alpha1.RetryOnce}}
			t.Run(name, func(t *testing.T) { checkRetry(t, server, db, use, tc) })
			use.Step.Retry, tc.wantRetries, tc.wantClass = benchv1alpha1.RetryNever, 0, tc.wantOff
			t.Run(name+", without retries", func(t *testing.T) { checkRetry(t, server, db, use, tc) })
		}
	})
}

func checkRetry(t *testing.T, server *mongotest.Server, db *driver.Database, use loadgen.Use, tc retryCase) {
	t.Helper()
	ten(t, db)
	session, target := sessionOf(t, server.URI()+quick, use)
	failing(t, db, tc.times, bson.D{failCommands(tc.command), tc.failure})
	var reply loadgen.Reply
	err := session.Execute(t.Context(), &tc.request, &reply)
	got := ""
	if err != nil {
		got = target.Classify(err)
	}
	if got != tc.wantClass || reply.Retries != tc.wantRetries {
		t.Errorf("error %v of class %q after %d retries; want %q after %d",
			err, got, reply.Retries, tc.wantClass, tc.wantRetries)
	}
}

func TestAServerThatIsAloneRemembersNoWrites(t *testing.T) {
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := failable(t, version)
		db := database(t, server, "alone")
		session, target := sessionOf(t, server.URI()+quick, loadgen.Use{
			Database: db.Name(), Client: client, Step: planv1.Step{Retry: benchv1alpha1.RetryOnce},
		})
		checkAlone(t, db, session, target)
	})
}

// checkAlone lets a read and a write fail once each.
func checkAlone(t *testing.T, db *driver.Database, session loadgen.Session, target *mongo.Target) {
	t.Helper()
	for name, wantClass := range map[string]string{
		"a read whose connection ends": "", "a write whose connection ends": "network",
	} {
		t.Run(name, func(t *testing.T) {
			tc := retryCases(t)[name]
			ten(t, db)
			failing(t, db, 1, bson.D{failCommands(tc.command), tc.failure})
			var reply loadgen.Reply
			err := session.Execute(t.Context(), &tc.request, &reply)
			if wantClass == "" && (err != nil || reply.Retries != 1) {
				t.Errorf("error %v after %d retries, want none after one", err, reply.Retries)
			}
			if wantClass != "" && (err == nil || target.Classify(err) != wantClass || reply.Retries != 0) {
				t.Errorf("error %v after %d retries, want class %q after none", err, reply.Retries, wantClass)
			}
		})
	}
}

// transfer is a transaction of a read and two writes to the ten documents.
func transfer(t *testing.T) workload.Request {
	t.Helper()
	update := func(filter, update string) workload.Request {
		return request(operation.UpdateOne, func(r *workload.Request) {
			r.Filter, r.Update = raw(t, filter), raw(t, update)
		})
	}
	return request(operation.Transaction, func(r *workload.Request) {
		r.Declared = &planv1.Operation{
			WholeSettings: planv1.WholeSettings{ReadConcern: "Snapshot", WriteConcern: &planv1.WriteConcern{W: "majority"}},
		}
		r.Parts = []workload.Request{
			request(operation.Find, func(r *workload.Request) { r.BatchSize = 4 }),
			update(`{"_id": 1}`, `{"$inc": {"n": -1}}`), update(`{"_id": 2}`, `{"$inc": {"n": 1}}`),
		}
	})
}

// transactionCase is what goes wrong in a transaction, and what comes of it.
type transactionCase struct {
	command     string
	failure     bson.E
	times       int
	retry       benchv1alpha1.RetryPolicy
	wantRetries int
	wantClass   string
}

var transactionCases = map[string]transactionCase{
	"it is committed":                      {},
	"a part that is refused ends it":       {"update", refused, 1, benchv1alpha1.RetryOnce, 0, "server"},
	"a passing error is one":               {"update", passing, 1, benchv1alpha1.RetryNever, 0, "transaction"},
	"a passing error is none with retries": {"update", passing, 1, benchv1alpha1.RetryOnce, 1, ""},
	"two of them are one too many":         {"update", passing, 2, benchv1alpha1.RetryOnce, 1, "transaction"},
	"a conflict has its own class":         {"update", conflict, 1, benchv1alpha1.RetryNever, 0, "write conflict"},
	"a commit of unknown end":              {"commitTransaction", expired, 1, benchv1alpha1.RetryNever, 0, "timeout"},
	"a commit of unknown end is repeated":  {"commitTransaction", expired, 1, benchv1alpha1.RetryOnce, 1, ""},
}

func TestTransactions(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "transactions")
			for name, tc := range transactionCases {
				for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver} {
					t.Run(name+", client "+string(client), func(t *testing.T) { checkTransaction(t, server, db, client, tc) })
				}
			}
		})
	}
}

// asApplications is the case with what the driver's own WithTransaction makes of it.
func (tc transactionCase) asApplications() transactionCase {
	switch {
	case tc.times == 2:
		// Applications repeat a transaction for as long as the server says that it may help.
		tc.wantRetries, tc.wantClass = 2, ""
	case tc.command == "commitTransaction":
		// A commit that took too long is not repeated.
		tc.wantRetries, tc.wantClass = 0, "timeout"
	}
	return tc
}

// checkTransaction does a transaction in which something goes wrong, and another one.
func checkTransaction(
	t *testing.T, server *mongotest.Server, db *driver.Database, client benchv1alpha1.Client, tc transactionCase,
) {
	t.Helper()
	if client == benchv1alpha1.ClientApplication {
		tc = tc.asApplications()
	}
	ten(t, db)
	session, target := sessionOf(t, server.URI()+quick, loadgen.Use{
		Database: db.Name(), Client: client, Step: planv1.Step{Retry: tc.retry},
	})
	if tc.times > 0 {
		failing(t, db, tc.times, bson.D{failCommands(tc.command), tc.failure})
	}
	r := transfer(t)
	var reply loadgen.Reply
	err := session.Execute(t.Context(), &r, &reply)
	class := ""
	if err != nil {
		class = target.Classify(err)
	}
	if class != tc.wantClass || reply.Retries != tc.wantRetries || err == nil && reply.Documents != 12 {
		t.Errorf("error %v of class %q, want %q; reply %+v", err, class, tc.wantClass, reply)
	}
	moved := count(t, db, `{"_id": 1, "n": 0}`) + count(t, db, `{"_id": 2, "n": 3}`)
	if moved == 1 || (moved == 2) != (tc.wantClass == "") {
		t.Errorf("%d of 2 writes of it are seen after error %v", moved, err)
	}
	// Whatever became of it, the next one is as if nothing had been.
	ten(t, db)
	if reply := execute(t, session, transfer(t)); reply.Documents != 12 || count(t, db, `{"_id": 2, "n": 3}`) != 1 {
		t.Errorf("the next transaction did not do its part: %+v", reply)
	}
}
