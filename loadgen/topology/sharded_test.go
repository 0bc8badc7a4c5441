package topology

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongosdouble"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// shardedVersions are those that a cluster is built of: one of each release that the driver speaks to.
var shardedVersions = []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"}

// startShards starts a replica set of one member for each shard.
func startShards(t *testing.T, version string, count int) []planv1.ReplicaSet {
	t.Helper()
	shards := make([]planv1.ReplicaSet, count)
	for i := range shards {
		name := fmt.Sprintf("shard%d", i)
		shards[i] = planv1.ReplicaSet{
			Name: name, Role: planv1.RoleShard,
			Members: startMembers(t, version, 1, "--shardsvr", "--replSet", name, "--oplogSize", "64"),
		}
	}
	return shards
}

// startCluster starts the servers of a cluster of some shards, and a double of mongos in front of them.
func startCluster(t *testing.T, version string, shards int) (planv1.Topology, *mongosdouble.Double) {
	t.Helper()
	config := planv1.ReplicaSet{
		Name: "config", Role: planv1.RoleConfig,
		Members: startMembers(t, version, 1, "--configsvr", "--replSet", "config", "--oplogSize", "64"),
	}
	double := mongosdouble.Start(t, mongosdouble.Options{ConfigServers: config.Members, Keyfile: keyfile})
	return planv1.Topology{
		Kind: benchv1alpha1.TopologySharded, ServerVersion: version,
		Sets: append([]planv1.ReplicaSet{config}, startShards(t, version, shards)...), Mongos: []string{double.Address},
		Databases: []string{"bench"}, ChunkSizeMebibytes: 2,
		Balancer: planv1.Balancer{Mode: benchv1alpha1.BalancerWindow, Start: "23:00", Stop: "05:30"},
	}, double
}

func TestACluster(t *testing.T) {
	t.Parallel()
	for _, version := range shardedVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 4*time.Minute)
			wanted, double := startCluster(t, version, 2)
			buildTwice(ctx, t, wanted, "Mongos", version)
			if diff := cmp.Diff(wantState(wanted), stateOf(ctx, t, wanted)); diff != "" {
				t.Errorf("the cluster (-want +got):\n%s", diff)
			}
			checkModes(ctx, t, wanted)
			checkUsersOfACluster(ctx, t, wanted)
			if version == mongotest.Newest() {
				checkWrongShards(ctx, t, wanted)
			}
			if double.Asked("transitionFromDedicatedConfigServer") > 0 {
				t.Error("dedicated config servers were made a shard")
			}
		})
	}
}

// buildTwice builds as a Job does that is started again.
func buildTwice(ctx context.Context, t *testing.T, wanted planv1.Topology, router, version string) {
	t.Helper()
	for range 2 {
		server, err := Build(ctx, wanted, secrets())
		if err != nil {
			t.Fatal(err)
		}
		checkServer(t, server, router, version)
	}
}

func checkServer(t *testing.T, server reportv1.Server, router, version string) {
	t.Helper()
	got := fmt.Sprintf("%s %s %s %d %d %s %s %d", server.Version, server.Topology, server.Router, server.Shards,
		server.Members, server.StorageEngine, server.Persistence, server.CacheMebibytes)
	if want := version + " Sharded " + router + " 2 2 wiredTiger Durable 256"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// checkModes sets the balancer to the other modes.
func checkModes(ctx context.Context, t *testing.T, wanted planv1.Topology) {
	t.Helper()
	for _, mode := range []benchv1alpha1.BalancerMode{benchv1alpha1.BalancerEnabled, benchv1alpha1.BalancerDisabled} {
		wanted.Balancer = planv1.Balancer{Mode: mode}
		if _, err := Build(ctx, wanted, secrets()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantState(wanted).Settings, stateOf(ctx, t, wanted).Settings); diff != "" {
			t.Errorf("the settings with balancer %s (-want +got):\n%s", mode, diff)
		}
	}
}

// state is what a build leaves behind.
type state struct {
	Shards   map[string]string
	Settings map[string]string
	// Users and their roles, Members and election settings, by set.
	Users, Sets map[string][]string
}

func wantState(wanted planv1.Topology) state {
	mode := wanted.Balancer.Mode
	want := state{
		Shards: map[string]string{},
		Settings: map[string]string{
			"chunksize": strconv.Itoa(wanted.ChunkSizeMebibytes),
			"balancer": fmt.Sprint("stopped ", mode == benchv1alpha1.BalancerDisabled, " window ", wanted.Balancer.Start,
				wanted.Balancer.Stop),
		},
		Users: map[string][]string{}, Sets: map[string][]string{},
	}
	for _, set := range wanted.Sets {
		users := []string{"action", "load", "observer", "root"}
		if set.Role == planv1.RoleShard {
			want.Shards[set.Name] = connectionString(set)
			if len(wanted.Mongos) > 0 {
				users = []string{"action", "observer", "root"}
			}
		}
		want.Users[set.Name] = users
		want.Sets[set.Name] = append(slices.Clone(set.Members), fmt.Sprint(measuringSettings))
	}
	return want
}

// stateOf asks the servers themselves.
func stateOf(ctx context.Context, t *testing.T, wanted planv1.Topology) state {
	t.Helper()
	got := state{
		Shards: map[string]string{}, Settings: map[string]string{},
		Users: map[string][]string{}, Sets: map[string][]string{},
	}
	b := &builder{topology: wanted, secrets: secrets()}
	for _, set := range wanted.Sets {
		all, err := b.memberDialer().connect(ctx, set.Members)
		if err != nil {
			t.Fatal(err)
		}
		got.Users[set.Name] = usersAt(ctx, t, all[0])
		got.Sets[set.Name] = configAt(ctx, t, all[0])
		if set.Role == planv1.RoleConfig {
			for _, shard := range documentsAt(ctx, t, all[0], "shards") {
				got.Shards[text(shard, "_id")] = text(shard, "host")
			}
			got.Settings = settingsAt(ctx, t, all[0])
		}
		all.close(ctx)
	}
	return got
}

func text(document bson.Raw, path ...string) string {
	found, _ := document.Lookup(path...).StringValueOK()
	return found
}

func documentsAt(ctx context.Context, t *testing.T, m member, collection string) []bson.Raw {
	t.Helper()
	cursor, err := m.client.Database("config").Collection(collection).Find(ctx, bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.Raw
	if err := cursor.All(ctx, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func settingsAt(ctx context.Context, t *testing.T, m member) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, setting := range documentsAt(ctx, t, m, "settings") {
		switch id := text(setting, "_id"); id {
		case "chunksize":
			size, _ := setting.Lookup("value").AsInt64OK()
			found[id] = strconv.FormatInt(size, 10)
		case "balancer":
			stopped, _ := setting.Lookup("stopped").BooleanOK()
			found[id] = fmt.Sprint("stopped ", stopped, " window ", text(setting, "activeWindow", "start"),
				text(setting, "activeWindow", "stop"))
		}
	}
	return found
}

func usersAt(ctx context.Context, t *testing.T, m member) []string {
	t.Helper()
	reply, err := m.admin(ctx, bson.D{{Key: "usersInfo", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Users []struct {
			User string `bson:"user"`
		} `bson:"users"`
	}
	if err := bson.Unmarshal(reply, &info); err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(info.Users))
	for i, user := range info.Users {
		names[i] = user.User
	}
	slices.Sort(names)
	return names
}

func configAt(ctx context.Context, t *testing.T, m member) []string {
	t.Helper()
	reply, err := m.admin(ctx, bson.D{{Key: "replSetGetConfig", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Config struct {
			Members []struct {
				Host string `bson:"host"`
			} `bson:"members"`
			Settings settings `bson:"settings"`
		} `bson:"config"`
	}
	if err := bson.Unmarshal(reply, &got); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, member := range got.Config.Members {
		found = append(found, member.Host)
	}
	return append(found, fmt.Sprint(got.Config.Settings))
}

func TestShardsWithoutMongos(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			checkShardsAlone(t, version)
		})
	}
}

func checkShardsAlone(t *testing.T, version string) {
	t.Helper()
	ctx := deadline(t, 2*time.Minute)
	wanted := planv1.Topology{
		Kind: benchv1alpha1.TopologySharded, Sets: startShards(t, version, 2), Databases: []string{"bench"},
	}
	buildTwice(ctx, t, wanted, "Client", version)
	want := wantState(wanted)
	want.Shards, want.Settings = map[string]string{}, map[string]string{}
	if diff := cmp.Diff(want, stateOf(ctx, t, wanted)); diff != "" {
		t.Errorf("the sets (-want +got):\n%s", diff)
	}
	for _, set := range wanted.Sets {
		checkUsers(ctx, t, "mongodb://"+strings.Join(set.Members, ",")+"/?replicaSet="+set.Name)
	}
}

// checkWrongShards builds clusters that are not the one that was built.
func checkWrongShards(ctx context.Context, t *testing.T, wanted planv1.Topology) {
	t.Helper()
	tests := map[string]struct {
		change func(*planv1.Topology)
		want   string
	}{
		"one too many": {
			func(w *planv1.Topology) { w.Sets = w.Sets[:2] }, "shard shard1 with the members 127.0.0.1:",
		},
		"a mongod for a mongos": {
			func(w *planv1.Topology) { w.Mongos = w.Sets[1].Members }, "is no mongos",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			changed := wanted
			changed.Sets = slices.Clone(wanted.Sets)
			tc.change(&changed)
			_, err := Build(ctx, changed, secrets())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// TestConfigServersThatAreAShard: what becomes of it only MongoDB 8.0 knows; here it is that it is asked for, once.
func TestConfigServersThatAreAShard(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	wanted, double := startCluster(t, "6.0.5", 1)
	wanted.Sets[0].Role = planv1.RoleConfigShard
	for range 2 {
		server, err := Build(ctx, wanted, secrets())
		if err != nil {
			t.Fatal(err)
		}
		if server.Shards != 2 || server.Members != 2 {
			t.Errorf("found %d shards of %d members, want 2 of 2", server.Shards, server.Members)
		}
	}
	if asked := double.Asked("transitionFromDedicatedConfigServer"); asked != 1 {
		t.Errorf("the config servers were made a shard %d times", asked)
	}
}

// TestWithoutAuthentication: no keyfile, no users, and mongos lets everybody in.
func TestWithoutAuthentication(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	start := func(role planv1.SetRole, name, kind string) planv1.ReplicaSet {
		server := mongotest.Start(t, "6.0.5", kind, "--replSet", name, "--oplogSize", "64")
		return planv1.ReplicaSet{Name: name, Role: role, Members: []string{server.Address}}
	}
	wanted := planv1.Topology{
		Kind: benchv1alpha1.TopologySharded, WithoutUsers: true, Sets: []planv1.ReplicaSet{
			start(planv1.RoleConfig, "config", "--configsvr"), start(planv1.RoleShard, "shard0", "--shardsvr"),
		},
	}
	wanted.Mongos = []string{mongosdouble.Start(t, mongosdouble.Options{ConfigServers: wanted.Sets[0].Members}).Address}
	server, err := Build(ctx, wanted, Secrets{})
	if err != nil || server.Shards != 1 || server.Router != "Mongos" {
		t.Errorf("found %+v, error %v, want a cluster of one shard", server, err)
	}
}
