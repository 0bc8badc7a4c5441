package mongo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// secured is a server that knows three users and encrypts, and the configuration that reaches it.
func secured(t *testing.T, version string) (*mongotest.Server, mongo.Config) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "server.pem")
	if err := os.WriteFile(file, mongotest.Certificate(t), 0o600); err != nil {
		t.Fatal(err)
	}
	server := mongotest.Start(t, version, "--auth", "--tlsMode", "preferTLS", "--tlsCertificateKeyFile", file,
		"--tlsCAFile", file, "--tlsAllowConnectionsWithoutCertificates")
	anonymous, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = anonymous.Disconnect(context.Background()) })
	// The localhost exception lets an anonymous client make the first user.
	admin := anonymous.Database("admin")
	for _, user := range []string{"root", "load", "observer", "action"} {
		roles := map[string]bson.A{
			"root": {"root"}, "load": {bson.D{{Key: "role", Value: "readWrite"}, {Key: "db", Value: "secured"}}},
			"observer": {"clusterMonitor"}, "action": {"clusterManager"},
		}
		create := bson.D{
			{Key: "createUser", Value: user}, {Key: "pwd", Value: user + "-secret"}, {Key: "roles", Value: roles[user]},
		}
		if user != "root" {
			admin = as(t, server, "root")
		}
		if err := admin.RunCommand(t.Context(), create).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return server, mongo.Config{
		URIs: []string{server.URI()}, CAFile: file, Connections: 2,
		Credentials:         credentials(t, "load", "load-secret"),
		ObserverCredentials: credentials(t, "observer", "observer-secret"),
		ActionCredentials:   credentials(t, "action", "action-secret"),
	}
}

// as is the admin database as a user of secured.
func as(t *testing.T, server *mongotest.Server, user string) *driver.Database {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{
		URIs: []string{server.URI()}, Credentials: credentials(t, user, user+"-secret"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	client, err := mongo.ActionClient(target)
	if err != nil {
		t.Fatal(err)
	}
	return client.Database("admin")
}

// name is who the server says that a client is, and whether the connection is encrypted.
func name(t *testing.T, client *driver.Client, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := client.Database("admin").RunCommand(t.Context(), bson.D{{Key: "connectionStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	var status struct {
		AuthInfo struct {
			Users []struct {
				User string `bson:"user"`
			} `bson:"authenticatedUsers"`
		} `bson:"authInfo"`
	}
	if err := bson.Unmarshal(reply, &status); err != nil || len(status.AuthInfo.Users) != 1 {
		t.Fatalf("users %+v, %v", status.AuthInfo.Users, err)
	}
	return status.AuthInfo.Users[0].User
}

func TestEachPurposeHasItsOwnUserAndAllConnectionsAreEncrypted(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server, config := secured(t, version)
			target, err := mongo.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = target.Close(context.Background()) })
			checkUsers(t, target, server.Address)
			checkObserver(t, target)
			for _, client := range everyClient {
				checkWork(t, target, client)
			}
			checkEncrypted(t, server)
			if version != mongotest.Newest() {
				return
			}
			t.Run("a server that an authority did not sign is refused", func(t *testing.T) { checkRefused(t, config) })
			t.Run("sizes of a user who may not ask for a checkpoint are told apart", func(t *testing.T) {
				checkUnsettled(t, server, target)
			})
		})
	}
}

// checkUsers wants the user of each purpose to be the one that it was given.
func checkUsers(t *testing.T, target *mongo.Target, address string) {
	t.Helper()
	observer, err := mongo.ObserverClient(target)
	if got := name(t, observer, err); got != "observer" {
		t.Errorf("the observer is %s", got)
	}
	action, err := mongo.ActionClient(target)
	if got := name(t, action, err); got != "action" {
		t.Errorf("who acts is %s", got)
	}
	member, err := mongo.ActionMember(target, address)
	if got := name(t, member, err); got != "action" {
		t.Errorf("who acts at a member is %s", got)
	}
	t.Cleanup(func() { _ = member.Disconnect(context.Background()) })
}

// checkObserver looks at the server as the observer does.
func checkObserver(t *testing.T, target *mongo.Target) {
	t.Helper()
	found := members(t.Context(), t, target)
	status, err := bson.Marshal(bson.D{{Key: "serverStatus", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found[0].(observe.Commander).Ask(t.Context(), "admin", status); err != nil {
		t.Errorf("the observer may not look at the server: %v", err)
	}
}

// checkWork loads and measures a little.
func checkWork(t *testing.T, target *mongo.Target, client benchv1alpha1.Client) {
	t.Helper()
	plan := planOf("secured", planv1.Step{Threads: 1, OperationCount: 10, Operations: []planv1.Operation{
		{Name: "find", Request: planv1.Request{Kind: "FindOne", Filter: `{}`}},
	}})
	plan.Client = client
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	if operation := reports[0].Steps[3].Operations[0]; operation.Count != 10 {
		t.Errorf("%s: %d operations, %+v", client, operation.Count, operation.ErrorClasses)
	}
}

// checkEncrypted asks the server which of its load's connections are not encrypted: it logs their names.
func checkEncrypted(t *testing.T, server *mongotest.Server) {
	t.Helper()
	status, err := as(t, server, "observer").RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	encrypted := int64(0)
	versions, _ := status.Lookup("transportSecurity").DocumentOK()
	elements, _ := versions.Elements()
	for _, element := range elements {
		count, _ := element.Value().AsInt64OK()
		encrypted += count
	}
	if encrypted < 5 {
		t.Errorf("the server saw %d encrypted connections, want those of the load, the observer and the actions", encrypted)
	}
}

// checkRefused opens a server with what is not right.
func checkRefused(t *testing.T, config mongo.Config) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other.pem")
	if err := os.WriteFile(other, mongotest.Certificate(t), 0o600); err != nil {
		t.Fatal(err)
	}
	nothing := filepath.Join(t.TempDir(), "nothing.pem")
	if err := os.WriteFile(nothing, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(*mongo.Config)
		want   string
	}{
		"another authority": {func(c *mongo.Config) { c.CAFile = other }, "certificate"},
		"another name": {
			func(c *mongo.Config) { c.URIs = []string{strings.Replace(c.URIs[0], "127.0.0.1", "localhost", 1)} }, "localhost",
		},
		"no authority at all":     {func(c *mongo.Config) { c.CAFile = nothing }, "holds no certificate"},
		"a file that is missing":  {func(c *mongo.Config) { c.CAFile = "/nowhere/ca.crt" }, "/nowhere/ca.crt"},
		"a folder without a user": {func(c *mongo.Config) { c.ObserverCredentials = "/nowhere" }, "reading credentials"},
		"an action user nowhere":  {func(c *mongo.Config) { c.ActionCredentials = "/nowhere" }, "reading credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			config := config
			tc.change(&config)
			err := openPatiently(t, config)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "-secret") {
				t.Errorf("error %v, want one about %q", err, tc.want)
			}
		})
	}
}

// openPatiently opens a server, and gives it more time as long as nothing is known but that it did not answer in time.
func openPatiently(t *testing.T, config mongo.Config) error {
	t.Helper()
	for config.SelectionTimeout = 500 * time.Millisecond; ; config.SelectionTimeout *= 4 {
		_, err := mongo.Open(t.Context(), config)
		known := err == nil || !strings.Contains(err.Error(), "Type: Unknown }") // Without a last error.
		if known || config.SelectionTimeout > time.Minute {
			return err
		}
	}
}
