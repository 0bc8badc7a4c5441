package topology

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestMembersUnlikeTheOthers forms a set of a tagged secondary, a primary that has to take over from it, a delayed
// member and an arbiter, and reads its configuration back from the server. A second time, which finds all of it,
// changes nothing.
func TestMembersUnlikeTheOthers(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			checkUnlike(t, version, startMembers(t, version, 4, "--replSet", "rs0", "--oplogSize", "64"))
		})
	}
}

func checkUnlike(t *testing.T, version string, hosts []string) {
	t.Helper()
	ctx := deadline(t, 3*time.Minute)
	wanted := replicaSet(hosts[:3])
	wanted.Sets[0].Arbiters = hosts[3:]
	wanted.Sets[0].Settings = []planv1.MemberSettings{
		{Member: 0, Priority: 1, Votes: 1, Tags: map[string]string{"use": "reports", "zone": "b"}},
		{Member: 1, Priority: 2, Votes: 1, Tags: map[string]string{"use": "writes"}},
		{Member: 2, Hidden: true, DelaySeconds: 3600},
	}
	for range 2 {
		server, err := Build(ctx, wanted, secrets())
		if err != nil {
			t.Fatal(err)
		}
		if server.Topology != "ReplicaSet" || server.Members != 2 {
			t.Errorf("found %+v, want a replica set of 2 members that clients see", server)
		}
	}
	checkUsers(ctx, t, "mongodb://"+strings.Join(hosts[:2], ",")+"/?replicaSet=rs0")
	checkSettings(ctx, t, hosts[:3])

	admin := login(ctx, t, "mongodb://"+hosts[0]+"/?replicaSet=rs0", secrets().Admin).Database("admin")
	delayed := confMember{Host: hosts[2], Hidden: true, Delay: 3600}
	if !mongod.ParseRelease(version).AtLeast(firstSecondaryDelay) {
		delayed.Delay, delayed.SlaveDelay = 0, 3600
	}
	want := []confMember{
		{Host: hosts[0], Priority: 1, Votes: 1, Tags: map[string]string{"use": "reports", "zone": "b"}},
		{Host: hosts[1], Priority: 2, Votes: 1, Tags: map[string]string{"use": "writes"}},
		delayed,
		{Host: hosts[3], Votes: 1, ArbiterOnly: true},
	}
	if diff := cmp.Diff(want, configured(ctx, t, admin)); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}

	var hello struct {
		Me      string `bson:"me"`
		Primary string `bson:"primary"`
	}
	tagged := options.RunCmd().SetReadPreference(readpref.Secondary(readpref.WithTags("use", "reports")))
	err := admin.RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}}, tagged).Decode(&hello)
	if err != nil || hello.Me != hosts[0] || hello.Primary != hosts[1] {
		t.Errorf("the tag leads to %+v, error %v, want %s, and the primary with the highest priority", hello, err, hosts[0])
	}
}

// confMember is what a server says of a member's configuration.
type confMember struct {
	Host        string            `bson:"host"`
	ArbiterOnly bool              `bson:"arbiterOnly"`
	Hidden      bool              `bson:"hidden"`
	Priority    float64           `bson:"priority"`
	Votes       int               `bson:"votes"`
	Delay       int               `bson:"secondaryDelaySecs"`
	SlaveDelay  int               `bson:"slaveDelay"`
	Tags        map[string]string `bson:"tags"`
}

// configured are the members of the set's configuration. Empty tags are as good as none.
func configured(ctx context.Context, t *testing.T, admin *mongo.Database) []confMember {
	t.Helper()
	var got struct {
		Config struct {
			Members []confMember `bson:"members"`
		} `bson:"config"`
	}
	if err := admin.RunCommand(ctx, bson.D{{Key: "replSetGetConfig", Value: 1}}).Decode(&got); err != nil {
		t.Fatal(err)
	}
	for i := range got.Config.Members {
		if len(got.Config.Members[i].Tags) == 0 {
			got.Config.Members[i].Tags = nil
		}
	}
	return got.Config.Members
}
