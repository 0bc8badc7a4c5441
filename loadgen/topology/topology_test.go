package topology

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// A keyfile may be broken into lines; the password of __system is its text without them.
const keyfile = "bW9uZ29iZW5jaA\nZm9yVGVzdHM\n"

func secrets() Secrets {
	return Secrets{
		Keyfile:  keyfile,
		Admin:    Credentials{Username: "root", Password: "admin-password"},
		Load:     Credentials{Username: "load", Password: "load-password"},
		Observer: Credentials{Username: "observer", Password: "observer-password"},
		Action:   Credentials{Username: "action", Password: "action-password"},
	}
}

func testBuilder() *builder {
	return &builder{secrets: secrets()}
}

// startMembers starts servers that share the keyfile.
func startMembers(t *testing.T, version string, count int, arguments ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyfile")
	if err := os.WriteFile(path, []byte(keyfile), 0o400); err != nil {
		t.Fatal(err)
	}
	hosts := make([]string, count)
	for i := range hosts {
		hosts[i] = mongotest.Start(t, version, append([]string{"--keyFile", path}, arguments...)...).Address
	}
	return hosts
}

func standalone(hosts []string) planv1.Topology {
	return planv1.Topology{
		Kind: benchv1alpha1.TopologyStandalone, Sets: []planv1.ReplicaSet{{Role: planv1.RoleData, Members: hosts}},
		Databases: []string{"bench", "observed"},
	}
}

func replicaSet(hosts []string) planv1.Topology {
	return planv1.Topology{
		Kind:      benchv1alpha1.TopologyReplicaSet,
		Sets:      []planv1.ReplicaSet{{Name: "rs0", Role: planv1.RoleData, Members: hosts}},
		Databases: []string{"bench", "observed"},
	}
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestStandalone(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 2*time.Minute)
			wanted := standalone(startMembers(t, version, 1))
			// The second time is what a restarted Job does.
			for range 2 {
				server, err := Build(ctx, wanted, secrets())
				if err != nil {
					t.Fatal(err)
				}
				if server.Version != version || server.Topology != "Standalone" || server.StorageEngine != "wiredTiger" {
					t.Errorf("found %+v, want a standalone %s", server, version)
				}
			}
			checkUsers(ctx, t, "mongodb://"+wanted.Sets[0].Members[0]+"/?directConnection=true")
		})
	}
}

func TestReplicaSet(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 3*time.Minute)
			hosts := startMembers(t, version, 3, "--replSet", "rs0", "--oplogSize", "64")
			wanted := replicaSet(hosts)
			for range 2 {
				server, err := Build(ctx, wanted, secrets())
				if err != nil {
					t.Fatal(err)
				}
				if server.Version != version || server.Topology != "ReplicaSet" || server.Members != 3 {
					t.Errorf("found %+v, want a replica set of 3", server)
				}
			}
			checkUsers(ctx, t, "mongodb://"+strings.Join(hosts, ",")+"/?replicaSet=rs0")
			checkSettings(ctx, t, hosts)
			checkObserved(ctx, t, hosts)
		})
	}
}

// TestReplicaSetAfterAnInterruption: a Job that was killed right after it had initiated the set left fast settings and
// no users.
func TestReplicaSetAfterAnInterruption(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	hosts := startMembers(t, "6.0.5", 1, "--replSet", "rs0", "--oplogSize", "64")
	all, err := testBuilder().memberDialer().connect(ctx, hosts)
	if err != nil {
		t.Fatal(err)
	}
	defer all.close(ctx)
	if err := initiate(ctx, planv1.ReplicaSet{Name: "rs0", Role: planv1.RoleData}, all); err != nil {
		t.Fatal(err)
	}
	wanted := replicaSet(hosts)
	if _, err := Build(ctx, wanted, secrets()); err != nil {
		t.Fatal(err)
	}
	checkUsers(ctx, t, "mongodb://"+hosts[0]+"/?replicaSet=rs0")
	checkSettings(ctx, t, hosts)
}

func TestCausesAreNamed(t *testing.T) {
	t.Parallel()
	hosts := startMembers(t, "6.0.5", 1, "--replSet", "rs0", "--oplogSize", "64")
	wrong := secrets()
	wrong.Keyfile = "c29tZXRoaW5nRWxzZQ"
	tests := map[string]struct {
		members []string
		secrets Secrets
		want    string
	}{
		"a member that is not there": {
			members: []string{hosts[0], "127.0.0.1:1"}, secrets: secrets(), want: "member 127.0.0.1:1 does not answer",
		},
		"another keyfile": {
			members: hosts, secrets: wrong, want: "logging in to member " + hosts[0],
		},
		"a set that cannot elect a primary": {
			// The member knows itself by another name only, so that the set it is given is not its own.
			members: []string{strings.Replace(hosts[0], "127.0.0.1", "127.0.0.2", 1)}, secrets: secrets(),
			want: "127.0.0.2",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 3*time.Second)
			wanted := replicaSet(tc.members)
			_, err := Build(ctx, wanted, tc.secrets)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want one with %q", err, tc.want)
			}
			if text := err.Error(); strings.Contains(text, "c29tZXRo") || strings.Contains(text, "bW9uZ29") {
				t.Errorf("the error tells the keyfile: %s", text)
			}
		})
	}
}

// checkUsers logs in as both users and tries what they may and may not do.
func checkUsers(ctx context.Context, t *testing.T, uri string) {
	t.Helper()
	load := login(ctx, t, uri, secrets().Load)
	if _, err := load.Database("bench").Collection("c").InsertOne(ctx, bson.M{"a": 1}); err != nil {
		t.Errorf("the load user cannot write: %v", err)
	}
	dropUser := bson.D{{Key: "dropUser", Value: "root"}}
	if err := load.Database("admin").RunCommand(ctx, dropUser).Err(); err == nil {
		t.Error("the load user may drop users")
	}
	admin := login(ctx, t, uri, secrets().Admin)
	if err := admin.Database("admin").RunCommand(ctx, bson.D{{Key: "getCmdLineOpts", Value: 1}}).Err(); err != nil {
		t.Errorf("the admin user may not look at the server: %v", err)
	}
}

func login(ctx context.Context, t *testing.T, uri string, user Credentials) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetAuth(options.Credential{
		AuthSource: "admin", Username: user.Username, Password: user.Password,
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(ctx)) })
	return client
}

// checkSettings checks that the set is measured with MongoDB's own election settings.
func checkSettings(ctx context.Context, t *testing.T, hosts []string) {
	t.Helper()
	all, err := testBuilder().memberDialer().connect(ctx, hosts)
	if err != nil {
		t.Fatal(err)
	}
	defer all.close(ctx)
	reply, err := all[0].admin(ctx, bson.D{{Key: "replSetGetConfig", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Config struct {
			Settings settings `bson:"settings"`
		} `bson:"config"`
	}
	if err := bson.Unmarshal(reply, &got); err != nil {
		t.Fatal(err)
	}
	if got.Config.Settings != measuringSettings {
		t.Errorf("settings %+v, want %+v", got.Config.Settings, measuringSettings)
	}
}
