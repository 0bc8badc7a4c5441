package topology

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// codeUnauthorized is the server's answer to what a user may not do.
const codeUnauthorized = 13

// attempt is a command that a user may or may not send.
type attempt struct {
	database string
	command  bson.D
}

func write(database string) attempt {
	return attempt{database, bson.D{{Key: "insert", Value: "things"}, {Key: "documents", Value: bson.A{bson.D{}}}}}
}

func find(database, collection string) attempt {
	return attempt{database, bson.D{{Key: "find", Value: collection}}}
}

func on(database, command string, value any, more ...bson.E) attempt {
	return attempt{database, append(bson.D{{Key: command, Value: value}}, more...)}
}

func createUser() attempt {
	return on("admin", "createUser", "x", bson.E{Key: "pwd", Value: "x"}, bson.E{Key: "roles", Value: bson.A{}})
}

func grantRoot(user string) attempt {
	return on("admin", "grantRolesToUser", user, bson.E{Key: "roles", Value: bson.A{"root"}})
}

// balancer is how the state of the balancer is written.
func balancer(collection string) attempt {
	return on("config", "update", collection, bson.E{Key: "updates", Value: bson.A{bson.D{
		{Key: "q", Value: bson.D{{Key: "_id", Value: "absent"}}},
		{Key: "u", Value: bson.D{{Key: "$set", Value: bson.D{{Key: "mode", Value: "off"}}}}},
	}}})
}

// refusedToAll is what only the administrator may do.
func refusedToAll() map[string]attempt {
	return map[string]attempt{
		"writing another database":         write("other"),
		"reading another database":         find("other", "things"),
		"reading the users":                find("admin", "system.users"),
		"listing the users":                on("admin", "usersInfo", 1),
		"making a user":                    createUser(),
		"giving itself more rights":        grantRoot("load"),
		"stopping the server":              on("admin", "shutdown", 1),
		"changing a server parameter":      on("admin", "setParameter", 1, bson.E{Key: "logLevel", Value: 0}),
		"writing the admin database":       write("admin"),
		"writing the cluster's metadata":   balancer("shards"),
		"acting as a member of the set":    on("admin", "replSetReconfig", bson.D{}),
		"dropping the load's own database": on("bench", "dropDatabase", 1),
	}
}

// TestEachUserMayDoItsWorkAndNothingElse on a replica set.
func TestEachUserMayDoItsWorkAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 2*time.Minute)
			m := started(ctx, t, "rs0", startMembers(t, version, 1, "--replSet", "rs0", "--oplogSize", "64"))
			wanted := replicaSet([]string{m.host})
			// The second time is what a restarted Job does.
			for range 2 {
				if err := makeUsers(ctx, m, wanted, wanted.Sets[0], secrets()); err != nil {
					t.Fatal(err)
				}
			}
			checkLoadUser(ctx, t, m)
			checkObserver(ctx, t, m)
			checkActionUser(ctx, t, m)
		})
	}
}

func checkLoadUser(ctx context.Context, t *testing.T, m member) {
	t.Helper()
	check(ctx, t, m, secrets().Load, rights{may: map[string]attempt{
		"writing":                write("bench"),
		"reading":                find("bench", "things"),
		"asking for sizes":       on("bench", "collStats", "things"),
		"making an index":        createIndex("bench"),
		"making a collection":    on("bench", "create", "others"),
		"~dropping a collection": on("bench", "drop", "others"),
	}, mayNot: map[string]attempt{
		"looking at the server":   on("admin", "serverStatus", 1),
		"making a primary resign": on("admin", "replSetStepDown", 1),
		"reading the oplog":       find("local", "oplog.rs"),
		"writing the balancer":    balancer("settings"),
	}})
}

func checkObserver(ctx context.Context, t *testing.T, m member) {
	t.Helper()
	check(ctx, t, m, secrets().Observer, rights{may: map[string]attempt{
		"the server's status":       on("admin", "serverStatus", 1),
		"the set's state":           on("admin", "replSetGetStatus", 1),
		"the set's configuration":   on("admin", "replSetGetConfig", 1),
		"the host":                  on("admin", "hostInfo", 1),
		"the startup warnings":      on("admin", "getLog", "startupWarnings"),
		"the command line":          on("admin", "getCmdLineOpts", 1),
		"running operations":        on("admin", "currentOp", 1),
		"latency by collection":     on("admin", "top", 1),
		"sizes of a database":       on("bench", "dbStats", 1),
		"sizes of a collection":     on("bench", "collStats", "things"),
		"moved ranges":              find("config", "rangeDeletions"),
		"what happened to chunks":   find("config", "changelog"),
		"a checkpoint":              on("admin", "fsync", 1),
		"how large the indexes are": collStatsStage("bench"),
	}, mayNot: map[string]attempt{
		"writing":                 write("bench"),
		"reading documents":       find("bench", "things"),
		"making a primary resign": on("admin", "replSetStepDown", 1),
		"writing the balancer":    balancer("settings"),
	}})
}

func checkActionUser(ctx context.Context, t *testing.T, m member) {
	t.Helper()
	check(ctx, t, m, secrets().Action, rights{may: map[string]attempt{
		"the set's state":      on("admin", "replSetGetStatus", 1),
		"writing the balancer": balancer("settings"),
		"an index for a key":   createIndex("bench"),
		"compacting files":     on("bench", "compact", "things", bson.E{Key: "force", Value: true}),
		"dropping connections": on("admin", "dropConnections", 1, bson.E{Key: "hostAndPort", Value: bson.A{"nowhere:1"}}),
		// Last, since it may cost the connection; a primary cannot be frozen.
		"~freezing":                on("admin", "replSetFreeze", 0),
		"~making a primary resign": on("admin", "replSetStepDown", 1, bson.E{Key: "force", Value: true}),
	}, mayNot: map[string]attempt{
		"writing":               write("bench"),
		"reading documents":     find("bench", "things"),
		"looking at the server": on("admin", "serverStatus", 1),
		"a checkpoint":          on("admin", "fsync", 1),
	}})
}

// checkUsersOfACluster tries what they may do on the config servers, where mongos finds them.
func checkUsersOfACluster(ctx context.Context, t *testing.T, wanted planv1.Topology) {
	t.Helper()
	all, err := testBuilder().memberDialer().connect(ctx, wanted.Sets[0].Members)
	if err != nil {
		t.Fatal(err)
	}
	defer all.close(ctx)
	m := all[0]
	check(ctx, t, m, secrets().Load, rights{may: map[string]attempt{
		"which chunks there are": find("config", "chunks"),
		"which zones there are":  find("config", "tags"),
	}, mayNot: map[string]attempt{"writing the balancer": balancer("settings")}})
	check(ctx, t, m, secrets().Action, rights{may: map[string]attempt{
		"writing the balancer":   balancer("settings"),
		"which chunks there are": find("config", "chunks"),
	}, mayNot: map[string]attempt{"writing zones": balancer("tags")}})
	check(ctx, t, m, secrets().Observer, rights{may: map[string]attempt{
		"which chunks there are":  find("config", "chunks"),
		"what happened to chunks": find("config", "changelog"),
	}})
	checkRights(ctx, t, m, wanted.ServerVersion)
}

// checkRights asks for those that cannot be tried without a cluster.
func checkRights(ctx context.Context, t *testing.T, m member, version string) {
	t.Helper()
	load := mayBeDone(ctx, t, m, "load")
	for _, needed := range []string{"bench enableSharding", "bench splitChunk", "bench moveChunk", "bench insert"} {
		if !load[needed] {
			t.Errorf("the load user lacks %s", needed)
		}
	}
	action := mayBeDone(ctx, t, m, "action")
	if known := version > "4.4"; action["bench refineCollectionShardKey"] != known {
		t.Errorf("whether the action user may refine a shard key is not %t", known)
	}
	if known := version > "5"; action["bench reshardCollection"] != known {
		t.Errorf("whether the action user may reshard is not %t", known)
	}
}

func TestUsersThatAreNotNeededAreNotMade(t *testing.T) {
	behindMongos := planv1.Topology{Mongos: []string{"mongos:27017"}, Databases: []string{"bench"}}
	for _, u := range usersOf(behindMongos, planv1.RoleShard, secrets(), mongod.Release{Major: 6}) {
		if u.credentials == secrets().Load {
			t.Error("the load user is made on a shard behind mongos")
		}
	}
	without := planv1.Topology{WithoutUsers: true}
	if err := makeUsers(t.Context(), member{}, without, planv1.ReplicaSet{Role: planv1.RoleData}, secrets()); err != nil {
		t.Errorf("users are made where there is no authentication: %v", err)
	}
}

// TestActionsOfLaterReleasesHaveTheirRights names what servers of those releases, which are not at hand, know; an
// earlier one refuses a role with an action that it does not know.
func TestActionsOfLaterReleasesHaveTheirRights(t *testing.T) {
	for _, tc := range []struct {
		release                       mongod.Release
		analyses, places, enablesThem bool
	}{
		{mongod.Release{Major: 6}, false, false, false},
		{mongod.Release{Major: 7}, true, false, false},
		{mongod.Release{Major: 8}, true, true, true},
	} {
		var actions []string
		for _, p := range actionRole([]string{"bench"}, tc.release).privileges {
			actions = append(actions, p.Actions...)
		}
		analyses := slices.Contains(actions, "analyzeShardKey")
		places := slices.Contains(actions, "transitionToDedicatedConfigServer")
		if analyses != tc.analyses || places != tc.places || len(actionRoles(tc.release)) > 0 != tc.enablesThem {
			t.Errorf("%s: analyses %t, places %t, roles %v", tc.release, analyses, places, actionRoles(tc.release))
		}
	}
}

// started is the primary of a set of one member.
func started(ctx context.Context, t *testing.T, set string, hosts []string) member {
	t.Helper()
	all, err := testBuilder().memberDialer().connect(ctx, hosts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.close(context.WithoutCancel(ctx)) })
	primary, err := formReplicaSet(ctx, planv1.ReplicaSet{Name: set, Role: planv1.RoleShard}, all)
	if err != nil {
		t.Fatal(err)
	}
	return primary
}

// rights are what a user may do, and what not besides that which no user may.
type rights struct {
	may, mayNot map[string]attempt
}

// check logs in as a user and tries what it may do and what it may not.
func check(ctx context.Context, t *testing.T, m member, user Credentials, rights rights) {
	t.Helper()
	may, mayNot := rights.may, rights.mayNot
	client := login(ctx, t, "mongodb://"+m.host+"/?directConnection=true", user)
	for name, a := range mayNot {
		refused(ctx, t, client, user.Username+": "+name, a)
	}
	for name, a := range refusedToAll() {
		refused(ctx, t, client, user.Username+": "+name, a)
	}
	var last []string
	for name, a := range may {
		if strings.HasPrefix(name, "~") {
			last = append(last, name)
			continue
		}
		if err := client.Database(a.database).RunCommand(ctx, a.command).Err(); err != nil {
			t.Errorf("%s: %s: %v", user.Username, name, err)
		}
	}
	for _, name := range last {
		a := may[name]
		if err := client.Database(a.database).RunCommand(ctx, a.command).Err(); errorclass.HasCode(err, codeUnauthorized) {
			t.Errorf("%s: %s: %v", user.Username, name, err)
		}
	}
}

func refused(ctx context.Context, t *testing.T, client *mongo.Client, name string, a attempt) {
	t.Helper()
	if err := client.Database(a.database).RunCommand(ctx, a.command).Err(); !errorclass.HasCode(err, codeUnauthorized) {
		t.Errorf("%s is not refused: %v", name, err)
	}
}

// mayBeDone are the user's privileges, each as "database action".
func mayBeDone(ctx context.Context, t *testing.T, m member, user string) map[string]bool {
	t.Helper()
	reply, err := m.admin(ctx, bson.D{
		{Key: "usersInfo", Value: bson.D{{Key: "user", Value: user}, {Key: "db", Value: "admin"}}},
		{Key: "showPrivileges", Value: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Users []struct {
			Privileges []struct {
				Resource struct {
					Database string `bson:"db"`
				} `bson:"resource"`
				Actions []string `bson:"actions"`
			} `bson:"inheritedPrivileges"`
		} `bson:"users"`
	}
	if err := bson.Unmarshal(reply, &info); err != nil || len(info.Users) != 1 {
		t.Fatalf("%d users, %v", len(info.Users), err)
	}
	may := map[string]bool{}
	for _, p := range info.Users[0].Privileges {
		for _, action := range p.Actions {
			may[p.Resource.Database+" "+action] = true
		}
	}
	return may
}

func createIndex(database string) attempt {
	return on(database, "createIndexes", "things", bson.E{Key: "indexes", Value: bson.A{
		bson.D{{Key: "key", Value: bson.D{{Key: "n", Value: 1}}}, {Key: "name", Value: "n_1"}},
	}})
}

func collStatsStage(database string) attempt {
	stage := bson.D{{Key: "$collStats", Value: bson.D{{Key: "storageStats", Value: bson.D{}}}}}
	return on(database, "aggregate", "things",
		bson.E{Key: "pipeline", Value: bson.A{stage}}, bson.E{Key: "cursor", Value: bson.D{}})
}
