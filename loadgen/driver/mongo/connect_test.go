package mongo_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// credentials is a folder with a name and a password.
func credentials(t *testing.T, username, password string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"username": username, "password": password + "\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestCredentials(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			checkCredentials(t, mongotest.Shared(t, version))
		})
	}
}

// checkCredentials logs in with the right password and with wrong ones.
func checkCredentials(t *testing.T, server *mongotest.Server) {
	t.Helper()
	admin := database(t, server, "unused").Client().Database("admin")
	_ = admin.RunCommand(t.Context(), bson.D{{Key: "dropUser", Value: "load"}}).Err()
	if err := admin.RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: "load"},
		{Key: "pwd", Value: "right-secret"},
		{Key: "roles", Value: bson.A{"root"}},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	t.Run("the right password opens the server", func(t *testing.T) {
		target, err := mongo.Open(t.Context(), mongo.Config{
			URIs: []string{server.URI()}, Credentials: credentials(t, "load", "right-secret"),
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = target.Close(t.Context())
	})
	for name, config := range map[string]mongo.Config{
		"a wrong password from files": {
			URIs: []string{server.URI()}, Credentials: credentials(t, "load", "wrong-secret"),
		},
		"a wrong password in the connection string": {
			URIs: []string{"mongodb://load:wrong-secret@" + server.Address + "/?directConnection=true&authSource=admin"},
		},
	} {
		t.Run(name+" is refused without being told", func(t *testing.T) {
			_, err := mongo.Open(t.Context(), config)
			if err == nil || !strings.Contains(err.Error(), `user "load"`) {
				t.Fatalf("error %v, want one that names the user", err)
			}
			if strings.Contains(err.Error(), "wrong-secret") {
				t.Errorf("the error holds the password: %v", err)
			}
		})
	}
}

func TestUnreachableServerIsAnErrorWithinTheDeadline(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	begin := time.Now()
	_, err = mongo.Open(t.Context(), mongo.Config{
		URIs: []string{"mongodb://" + address}, SelectionTimeout: 500 * time.Millisecond,
	})
	if err == nil || !strings.Contains(err.Error(), "no server at "+address+" answered within 500ms") {
		t.Errorf("error %v, want one with the address and the time", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestConnectionStringsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ uri, want string }{
		"both acknowledgement and none": {"mongodb://127.0.0.1/?w=0&journal=true", "connection string"},
		"no connection string":          {"http://name:secret@127.0.0.1", "connection string"},
		"an unknown option":             {"mongodb://name:secret@127.0.0.1:99999", "connection string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{tc.uri}})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want one about %q without the password", err, tc.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			got, err := open(t, server).Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.CPUCores < 1 || got.MemoryLimitMebibytes < 1 || got.GitVersion == "" || len(got.StartupWarnings) == 0 {
				t.Errorf("something is missing in %+v", got)
			}
			want := reportv1.Server{
				Product: "MongoDB", Durability: "Memory",
				Version: server.Version, Topology: "Standalone", StorageEngine: "wiredTiger", CacheMebibytes: 256, Members: 1,
				DefaultWriteConcern: "w: 1", TLS: "Disabled", Persistence: "Durable",
				CPUCores: got.CPUCores, MemoryLimitMebibytes: got.MemoryLimitMebibytes,
				GitVersion: got.GitVersion, StartupWarnings: got.StartupWarnings,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("description (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorClasses(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			for name, tc := range map[string]struct {
				operation planv1.Operation
				want      string
			}{
				"an insert of a document that is there": {
					planv1.Operation{
						Request: planv1.Request{Kind: "RunCommand"},
						WholeSettings: planv1.WholeSettings{
							Command: `{"insert": "unique", "documents": [{"_id": 1}, {"_id": 1}]}`,
						},
					},
					"duplicate key",
				},
				"a command that takes too long": {
					planv1.Operation{
						Request: planv1.Request{
							Kind: "Aggregate",
							Pipeline: `[{"$match": {"$expr": {"$function": {` +
								`"body": "function() { sleep(1000) }", "args": [], "lang": "js"}}}}]`,
						},
					},
					"timeout",
				},
				"a command that the server does not know": {
					planv1.Operation{
						Request:       planv1.Request{Kind: "RunCommand"},
						WholeSettings: planv1.WholeSettings{Command: `{"noSuchCommand": 1}`},
					}, "server",
				},
				"an update that the server refuses": {
					planv1.Operation{
						Request: planv1.Request{Kind: "UpdateOne", Filter: `{}`, Update: `{"$inc": {"text": 1}}`},
					}, "server",
				},
			} {
				t.Run(name, func(t *testing.T) {
					checkErrorClass(t, server, tc.operation, tc.want)
				})
			}
		})
	}
}

// checkErrorClass sends an operation that fails beside one that does not, and looks at the report.
func checkErrorClass(t *testing.T, server *mongotest.Server, operation planv1.Operation, want string) {
	t.Helper()
	db := database(t, server, "errors")
	target, err := mongo.Open(t.Context(), mongo.Config{
		URIs: []string{server.URI()}, Connections: 1, OperationTimeout: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	operation.Name = "bad"
	plan := planOf(db.Name(), planv1.Step{
		Threads: 1, OperationCount: 4,
		Operations: []planv1.Operation{operation, {Name: "good", Request: planv1.Request{Kind: "FindOne", Filter: `{}`}}},
	})
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	bad := reports[0].Steps[3].Operations[0]
	if bad.Count != 0 || bad.Errors == 0 || len(bad.ErrorClasses) != 1 || bad.ErrorClasses[0].Class != want {
		t.Errorf("%d successes, %d errors of classes %+v; want only errors of class %q",
			bad.Count, bad.Errors, bad.ErrorClasses, want)
	}
}

func TestConcernsOfTheConnectionStringAreSentWithEveryCommand(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			checkConcerns(t, mongotest.Shared(t, version))
		})
	}
}

// checkConcerns sends operations under a profiler, which keeps the commands as the server got them.
func checkConcerns(t *testing.T, server *mongotest.Server) {
	t.Helper()
	db := database(t, server, "concerns")
	target, err := mongo.Open(t.Context(), mongo.Config{
		URIs: []string{server.URI() + "&w=1&journal=true&readConcernLevel=local&readPreference=secondaryPreferred"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: 2}}).Err(); err != nil {
		t.Fatal(err)
	}
	plan := planOf(db.Name(), planv1.Step{Threads: 1, OperationCount: 40, Operations: []planv1.Operation{
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "update", Request: planv1.Request{Kind: "UpdateOne", Filter: `{}`, Update: `{"$inc": {"x": 1}}`}},
		{Name: "delete", Request: planv1.Request{Kind: "DeleteOne", Filter: `{}`}},
		{Name: "find", Request: planv1.Request{Kind: "Find", Filter: `{}`}},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{}`}},
		{Name: "aggregate", Request: planv1.Request{Kind: "Aggregate", Pipeline: `[]`}},
	}})
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range reports[0].Steps[3].Operations {
		if operation.Errors > 0 {
			t.Errorf("operation %s: %+v", operation.Name, operation.ErrorClasses)
		}
	}
	description, err := target.Describe(t.Context())
	if err != nil || !strings.HasPrefix(description.DefaultWriteConcern, "w: 1 j: true") {
		t.Errorf("write concern %q, %v; want the connection string's", description.DefaultWriteConcern, err)
	}
	checkProfile(t, db)
}

// checkProfile looks for the concerns in what the profiler kept.
func checkProfile(t *testing.T, db *driver.Database) {
	t.Helper()
	for kind, concern := range map[string]string{
		"insert": "command.writeConcern.j", "find": "command.readConcern.level", "aggregate": "command.readConcern.level",
	} {
		seen, err := db.Collection("system.profile").CountDocuments(t.Context(), bson.D{
			{Key: "command." + kind, Value: "things"}, {Key: concern, Value: bson.D{{Key: "$exists", Value: true}}},
		})
		if err != nil || seen == 0 {
			t.Errorf("the server saw %d commands %s with a concern, %v", seen, kind, err)
		}
	}
}
