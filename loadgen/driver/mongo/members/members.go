package members

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// Member is one server of the deployment, with a connection of its own that goes to no other.
type Member struct {
	name, role string
	client     *driver.Client
}

// Find returns every server of the deployment that holds data or routes to it, whatever the load's connections go
// to: of a replica set all members, of a sharded cluster also each shard's and the config servers. Of a direct
// connection, or one through a load balancer, it is that one server. Members that do not answer are among them, without
// a role.
func Find(ctx context.Context, observer *connection.Login) ([]*Member, error) {
	hosts, err := memberHosts(ctx, observer)
	if err != nil {
		return nil, fmt.Errorf("asking for the members of the deployment: %w", errorclass.WithoutSecrets(err))
	}
	members, err := Connect(ctx, observer, hosts)
	if err != nil {
		return nil, err
	}
	var group sync.WaitGroup
	for _, member := range members {
		group.Go(func() { member.findRole(ctx) })
	}
	group.Wait()
	return members, nil
}

// Connect connects to each of these servers alone, or to none.
func Connect(ctx context.Context, login *connection.Login, hosts []string) ([]*Member, error) {
	members := make([]*Member, 0, len(hosts))
	for _, host := range hosts {
		client, err := login.ConnectMember(host)
		if err != nil {
			for _, member := range members {
				member.Disconnect(ctx)
			}
			return nil, err
		}
		members = append(members, &Member{name: host, client: client})
	}
	return members, nil
}

// memberHosts are the members' addresses, as they know one another.
func memberHosts(ctx context.Context, observer *connection.Login) ([]string, error) {
	o := observer.Options
	client, err := observer.Deployment()
	if err != nil {
		return nil, err
	}
	hello, err := lookup.Nearby(ctx, client)(lookup.IsMaster)
	if err != nil {
		return nil, err
	}
	if o.Direct != nil && *o.Direct || o.LoadBalanced != nil && *o.LoadBalanced {
		return o.Hosts[:1], nil
	}
	if lookup.IsMongos(hello) {
		// The addresses of the routers themselves are in the connection string only.
		shardMap := lookup.Admin(ctx, client).OrNothing(bson.D{{Key: "getShardMap", Value: 1}})
		return append(slices.Clone(o.Hosts), shardHosts(shardMap)...), nil
	}
	if lookup.Text(hello, "setName") == "" {
		return o.Hosts[:1], nil
	}
	return lookup.DataHosts(hello), nil
}

// shardHosts are the members of the sets that a shard map names, each "name/host,host"; the map may name a set twice.
func shardHosts(shardMap bson.Raw) []string {
	sets, _ := shardMap.Lookup("map").DocumentOK()
	elements, err := sets.Elements()
	if err != nil {
		return nil
	}
	var hosts []string
	for _, element := range elements {
		set, _ := element.Value().StringValueOK()
		_, members, found := strings.Cut(set, "/")
		if !found {
			continue
		}
		for host := range strings.SplitSeq(members, ",") {
			if !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	slices.Sort(hosts)
	return hosts
}

// findRole asks a member what it is. One that does not answer has no role.
func (m *Member) findRole(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, connection.MemberTimeout)
	defer cancel()
	m.role = RoleOf(lookup.Admin(ctx, m.client).OrNothing(lookup.IsMaster))
}

// RoleOf is what a member is by its reply to isMaster; empty without one.
func RoleOf(hello bson.Raw) string {
	is := func(name string) bool {
		truth, _ := hello.Lookup(name).BooleanOK()
		return truth
	}
	switch {
	case hello == nil:
		return ""
	case lookup.IsMongos(hello):
		return observe.RoleMongos
	case lookup.Number(hello, "configsvr") > 0:
		return observe.RoleConfig
	case lookup.Text(hello, "setName") == "":
		return observe.RoleStandalone
	case is("ismaster"):
		return observe.RolePrimary
	default:
		return observe.RoleSecondary
	}
}

// Name is the member's host and port.
func (m *Member) Name() string { return m.name }

// Role is what the member was when it was found; empty when it did not answer.
func (m *Member) Role() string { return m.role }

// Client is the connection to this member alone.
func (m *Member) Client() *driver.Client { return m.client }

// Ask sends a command to this member and returns its reply. The error is observe.ErrNotAllowed when the user may not
// send it, or not log in there.
func (m *Member) Ask(ctx context.Context, database string, command bson.Raw) (bson.Raw, error) {
	reply, err := m.client.Database(database).RunCommand(ctx, command).Raw()
	if err == nil {
		return reply, nil
	}
	if errorclass.Of(err) == errorclass.Authentication {
		return nil, fmt.Errorf("%w: %w", observe.ErrNotAllowed, errorclass.WithoutSecrets(err))
	}
	return nil, errorclass.WithoutSecrets(err)
}

// Close ends the connection.
func (m *Member) Close() { m.Disconnect(context.Background()) }

// Disconnect ends the connection, also after the end of the context.
func (m *Member) Disconnect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = m.client.Disconnect(ctx)
}
