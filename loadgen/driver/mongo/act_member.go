package mongo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	// findTimeout is how long a member that an action is for is looked for: an election may be under way.
	findTimeout = 20 * time.Second
	findPause   = 100 * time.Millisecond
)

// memberClient is a connection to one member, as the user that carries out actions.
type memberClient struct {
	host   string
	client *driver.Client
}

func (m *memberClient) admin() *driver.Database { return m.client.Database("admin") }

func (m *memberClient) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = m.client.Disconnect(ctx)
}

// findMember finds the primary, or the first secondary in the order of the names, of the set that an action is for.
// Each member is asked itself: what another one says of it may be old.
func (t *Target) findMember(ctx context.Context, action planv1.Action) (*memberClient, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	set, hosts, err := t.setHosts(ctx, action.Shard)
	if err != nil {
		return nil, fmt.Errorf("looking for the members of the deployment: %w", err)
	}
	wanted, err := wantedRole(action, set, hosts)
	if err != nil {
		return nil, err
	}
	members, err := t.connectAll(ctx, hosts)
	if err != nil {
		return nil, err
	}
	found := awaitRole(ctx, members, wanted)
	for _, other := range members {
		if other != found {
			other.close(ctx)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("none of %s was %s within %s", strings.Join(hosts, ", "), wanted, findTimeout)
	}
	return found, nil
}

// wantedRole is what the member that an action is for must be. A server without a set can only lose its pod.
func wantedRole(action planv1.Action, set string, hosts []string) (string, error) {
	byOperator := action.Type.ByOperator()
	switch {
	case set == "" && !byOperator:
		return "", fmt.Errorf("%s is for a member of a replica set, and server %s is none", action.Type, hosts[0])
	case set == "":
		return observe.RoleStandalone, nil
	case action.Secondary:
		return observe.RoleSecondary, nil
	default:
		return observe.RolePrimary, nil
	}
}

// awaitRole returns the first member that has a role, once one has it; nil when the context ends before.
func awaitRole(ctx context.Context, members []*memberClient, wanted string) *memberClient {
	for {
		if found := takeRole(ctx, members, wanted); found != nil {
			return found
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(findPause):
		}
	}
}

// connectAll connects to every member, or to none.
func (t *Target) connectAll(ctx context.Context, hosts []string) ([]*memberClient, error) {
	members := make([]*memberClient, 0, len(hosts))
	for _, host := range hosts {
		client, err := t.actionMember(host)
		if err != nil {
			for _, connected := range members {
				connected.close(ctx)
			}
			return nil, err
		}
		members = append(members, &memberClient{host: host, client: client})
	}
	return members, nil
}

// takeRole asks all members at once what they are, and returns the first that is what is wanted.
func takeRole(ctx context.Context, members []*memberClient, wanted string) *memberClient {
	ctx, cancel := context.WithTimeout(ctx, memberTimeout)
	defer cancel()
	roles := make([]string, len(members))
	var group sync.WaitGroup
	for i, member := range members {
		group.Go(func() {
			hello := ask(ctx, member.admin(), bson.D{{Key: "isMaster", Value: 1}})
			secondary, _ := hello.Lookup("secondary").BooleanOK()
			roles[i] = role(hello)
			if roles[i] == observe.RoleSecondary && !secondary {
				// It is neither: it starts, or rolls back.
				roles[i] = ""
			}
		})
	}
	group.Wait()
	if place := slices.Index(roles, wanted); place >= 0 {
		return members[place]
	}
	return nil
}

// setHosts are the members of the set that an action is for, sorted, and the name of the set: that of the deployment,
// or of the shard with this index behind a mongos. A server that is alone has no set.
func (t *Target) setHosts(ctx context.Context, shard int) (set string, hosts []string, err error) {
	client, err := t.actionClient()
	if err != nil {
		return "", nil, err
	}
	admin := client.Database("admin")
	hello, err := admin.RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}},
		options.RunCmd().SetReadPreference(readpref.PrimaryPreferred())).Raw()
	if err != nil {
		return "", nil, err
	}
	switch {
	case text(hello, "msg") == "isdbgrid":
		shards, err := listShards(ctx, admin)
		if err != nil {
			return "", nil, err
		}
		return shardMembers(shards, shard)
	case shard > 0:
		return "", nil, fmt.Errorf("there is no shard %d: what answers is no mongos", shard)
	case text(hello, "setName") == "":
		return "", t.options.Hosts[:1], nil
	}
	// An arbiter is neither primary nor secondary.
	return text(hello, "setName"), slices.Sorted(slices.Values(
		append(texts(hello, "hosts"), texts(hello, "passives")...))), nil
}

// shardMembers are those of the shard with an index.
func shardMembers(shards []listedShard, index int) (set string, hosts []string, err error) {
	if index >= len(shards) {
		return "", nil, fmt.Errorf("there is no shard %d: the cluster has %d", index, len(shards))
	}
	shard := shards[index]
	if shard.set == "" {
		return "", nil, fmt.Errorf("shard %s at %s is no replica set", shard.name, strings.Join(shard.hosts, ","))
	}
	return shard.set, slices.Sorted(slices.Values(shard.hosts)), nil
}
