package topology

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// users are the connection strings of who observes and of who writes.
type users struct {
	observer, writer string
}

// watched observes a deployment as one user while another one writes to it, until enough was seen.
func watched(
	ctx context.Context, t *testing.T, as users, log *bytes.Buffer, enough func([]observe.Latest) bool,
) []reportv1.Member {
	t.Helper()
	target, err := mongodriver.Open(ctx, mongodriver.Config{URIs: []string{as.observer}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(ctx) }()
	observer := &observe.Observer{
		Database: "observed", Interval: 250 * time.Millisecond, Log: slog.New(slog.NewTextHandler(log, nil)),
		Servers: func(ctx context.Context) ([]observe.Server, error) {
			members, err := target.Members(ctx)
			servers := make([]observe.Server, len(members))
			for i, member := range members {
				servers[i] = member
			}
			return servers, err
		},
	}
	observer.Start(ctx)
	collection := client(ctx, t, as.writer).Database("observed").Collection("things")
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end) || !enough(observer.Latest()); {
		if _, err := collection.InsertOne(ctx, bson.D{{Key: "n", Value: 1}}); err != nil {
			t.Error(err)
			break
		}
	}
	return observer.Stop()
}

func known(member reportv1.Member, figure string) bool {
	return slices.ContainsFunc(member.Series, func(s reportv1.Series) bool { return s.Name == figure })
}

// checkObserved: the rights that the topology gives are enough for all figures.
func checkObserved(ctx context.Context, t *testing.T, hosts []string) {
	t.Helper()
	var log bytes.Buffer
	at := "@" + strings.Join(hosts, ",") + "/?replicaSet=rs0&w=1"
	as := users{"mongodb://observer:observer-password" + at, "mongodb://load:load-password" + at}
	checkMembers(t, watched(ctx, t, as, &log, allKnown))
	if strings.Contains(log.String(), "not observed") {
		t.Errorf("it said %q", log.String())
	}
}

// allKnown says whether the last samples of all three members have the figures that lags are made of. A sample may be
// late on a busy machine.
func allKnown(latest []observe.Latest) bool {
	told := func(figure string) int {
		return len(slices.DeleteFunc(slices.Clone(latest), func(l observe.Latest) bool {
			_, known := l.Value(figure)
			return !known
		}))
	}
	return told("replication.state") == 3 && told("size.storage") == 3 && told("replication.largestLag") == 1
}

// checkMembers wants a primary and two secondaries, with the figures that each of them tells.
func checkMembers(t *testing.T, members []reportv1.Member) {
	t.Helper()
	roles := map[string]int{}
	for _, member := range members {
		roles[member.Role]++
		for _, figure := range []string{"cpu.user", "cache.used", "replication.lag", "replication.state", "size.storage"} {
			if !known(member, figure) {
				t.Errorf("%s of %s is not known", figure, member.Name)
			}
		}
		if known(member, "replication.largestLag") != (member.Role == observe.RolePrimary) {
			t.Errorf("whether %s, a %s, knows the others' lag is wrong", member.Name, member.Role)
		}
	}
	if len(members) != 3 || roles[observe.RolePrimary] != 1 || roles[observe.RoleSecondary] != 2 {
		t.Errorf("observed roles %v, want a primary and two secondaries", roles)
	}
}

func TestAUserWithoutTheRightToObserveIsToldOnce(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	hosts := startMembers(t, "6.0.5", 1)
	if _, err := Build(ctx, standalone(hosts), secrets()); err != nil {
		t.Fatal(err)
	}
	admin := client(ctx, t, "mongodb://root:admin-password@"+hosts[0]).Database("admin")
	create := bson.D{
		{Key: "createUser", Value: "plain"},
		{Key: "pwd", Value: "plain"},
		{Key: "roles", Value: bson.A{"readWriteAnyDatabase"}},
	}
	if err := admin.RunCommand(ctx, create).Err(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	uri := "mongodb://plain:plain@" + hosts[0]
	members := watched(ctx, t, users{uri, uri}, &log, func([]observe.Latest) bool { return true })
	if len(members) != 0 {
		t.Errorf("observed %+v, want nothing", members)
	}
	if strings.Count(log.String(), "clusterMonitor") != 1 || strings.Contains(log.String(), "plain:plain") {
		t.Errorf("it said %q, want the role that is missing, once", log.String())
	}
}

func client(ctx context.Context, t *testing.T, uri string) *mongo.Client {
	t.Helper()
	found, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = found.Disconnect(context.WithoutCancel(ctx)) })
	return found
}
