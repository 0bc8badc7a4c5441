package mongo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// set is a replica set of three members.
type set struct {
	members []*mongotest.Server
	// askers ask each member what it is, again and again.
	askers map[*mongotest.Server]*driver.Client
}

// startSet starts one whose members elect another primary after two seconds rather than ten.
func startSet(t *testing.T, version string) *set {
	t.Helper()
	s := &set{askers: map[*mongotest.Server]*driver.Client{}}
	config := make(bson.A, 0, 3)
	for i := range 3 {
		member := mongotest.Start(t, version, "--replSet", "rs0", "--oplogSize", "64")
		s.members = append(s.members, member)
		s.askers[member] = newAsker(t, member)
		config = append(config, bson.D{{Key: "_id", Value: i}, {Key: "host", Value: member.Address}})
	}
	client, err := driver.Connect(options.Client().ApplyURI(s.members[0].URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	initiate := bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: "rs0"},
		{Key: "members", Value: config},
		{Key: "settings", Value: bson.D{
			{Key: "electionTimeoutMillis", Value: 2000},
			{Key: "heartbeatIntervalMillis", Value: 500},
			// A secondary that stands still is then no other one's source.
			{Key: "chainingAllowed", Value: false},
		}},
	}}}
	if err := client.Database("admin").RunCommand(t.Context(), initiate).Err(); err != nil {
		t.Fatal(err)
	}
	s.awaitAll(t)
	return s
}

// awaitAll returns once every member is primary or secondary, and one of them the former.
func (s *set) awaitAll(t *testing.T) {
	t.Helper()
	settled := func() bool {
		primaries, secondaries := 0, 0
		for _, member := range s.members {
			switch {
			case s.says(t, member, "ismaster"):
				primaries++
			case s.says(t, member, "secondary"):
				secondaries++
			}
		}
		return primaries == 1 && secondaries == len(s.members)-1
	}
	for deadline := time.Now().Add(5 * time.Minute); !settled(); {
		if time.Now().After(deadline) {
			t.Fatal("the set has no primary and two secondaries")
		}
		<-time.After(100 * time.Millisecond)
	}
}

// awaitReplicated returns once every member has all that was written so far.
func (s *set) awaitReplicated(t *testing.T) {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(s.uri()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	all := options.Collection().SetWriteConcern(&writeconcern.WriteConcern{W: len(s.members)})
	if _, err := client.Database("replicated").Collection("all", all).InsertOne(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
}

// newAsker is a client for one member. It waits no longer than a second, and the driver watches the member by one
// connection instead of two.
func newAsker(t *testing.T, member *mongotest.Server) *driver.Client {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(member.URI()).SetTimeout(time.Second).
		SetServerMonitoringMode(options.ServerMonitoringModePoll))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

// says asks a member whether it is something.
func (s *set) says(t *testing.T, member *mongotest.Server, what string) bool {
	t.Helper()
	return answers(t, s.askers[member], what)
}

// helloSays asks a server once whether it is something.
func helloSays(t *testing.T, server *mongotest.Server, what string) bool {
	t.Helper()
	return answers(t, newAsker(t, server), what)
}

func answers(t *testing.T, asker *driver.Client, what string) bool {
	t.Helper()
	hello, err := asker.Database("admin").RunCommand(t.Context(), bson.D{{Key: "isMaster", Value: 1}}).Raw()
	truth, _ := hello.Lookup(what).BooleanOK()
	return err == nil && truth
}

// uri is the connection string of the set.
func (s *set) uri() string {
	addresses := make([]string, 0, len(s.members))
	for _, member := range s.members {
		addresses = append(addresses, member.Address)
	}
	return "mongodb://" + strings.Join(addresses, ",") + "/?replicaSet=rs0"
}

// member is the one with an address; nil when there is none.
func (s *set) member(address string) *mongotest.Server {
	for _, member := range s.members {
		if member.Address == address {
			return member
		}
	}
	return nil
}

// target connects the driver that is tested.
func (s *set) target(t *testing.T) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{
		URIs: []string{s.uri()}, Connections: 8, OperationTimeout: 30 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// Identifiers of what a server logs: that it is another kind of member now, and that a primary takes writes.
const (
	loggedTransition = 21358
	loggedWritable   = 21331
)

// logged is a line of a server's log.
type logged struct {
	At struct {
		Date time.Time `json:"$date"`
	} `json:"t"`
	ID         int64 `json:"id"`
	Attributes struct {
		From string `json:"oldState"`
		To   string `json:"newState"`
	} `json:"attr"`
}

// election is when, after an instant, a member was the primary no more, and when another took writes.
func (s *set) election(t *testing.T, after time.Time) (left, writable time.Time) {
	t.Helper()
	earliest := func(known, at time.Time) time.Time {
		if at.After(after) && (known.IsZero() || at.Before(known)) {
			return at
		}
		return known
	}
	for _, line := range s.log(t) {
		switch {
		case line.ID == loggedTransition && line.Attributes.From == "PRIMARY":
			left = earliest(left, line.At.Date)
		case line.ID == loggedWritable:
			writable = earliest(writable, line.At.Date)
		}
	}
	return left, writable
}

// log is what all members have logged.
func (s *set) log(t *testing.T) []logged {
	t.Helper()
	var all []logged
	for _, member := range s.members {
		log, err := member.Log()
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(strings.NewReader(log))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line logged
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				all = append(all, line)
			}
		}
	}
	return all
}
