package act

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	// findTimeout is how long a member that an action is for is looked for: an election may be under way.
	findTimeout = 20 * time.Second
	findPause   = 100 * time.Millisecond
)

// findMember finds the primary, or the first secondary in the order of the names, of the set that an action is for.
// Each member is asked itself: what another one says of it may be old.
func (a Runner) findMember(ctx context.Context, action planv1.Action) (*members.Member, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	set, hosts, err := a.setHosts(ctx, action.Shard)
	if err != nil {
		return nil, fmt.Errorf("looking for the members of the deployment: %w", err)
	}
	wanted, err := wantedRole(action, set, hosts)
	if err != nil {
		return nil, err
	}
	asked, err := members.Connect(a.Login, hosts)
	if err != nil {
		return nil, err
	}
	found := awaitRole(ctx, asked, wanted)
	for _, other := range asked {
		if other != found {
			other.Close()
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
func awaitRole(ctx context.Context, asked []*members.Member, wanted string) *members.Member {
	for {
		if found := takeRole(ctx, asked, wanted); found != nil {
			return found
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(findPause):
		}
	}
}

// takeRole asks all members at once what they are, and returns the first that is what is wanted.
func takeRole(ctx context.Context, asked []*members.Member, wanted string) *members.Member {
	ctx, cancel := context.WithTimeout(ctx, connection.MemberTimeout)
	defer cancel()
	roles := make([]string, len(asked))
	var group sync.WaitGroup
	for i, member := range asked {
		group.Go(func() {
			hello := lookup.Admin(ctx, member.Client()).OrNothing(lookup.IsMaster)
			secondary, _ := hello.Lookup("secondary").BooleanOK()
			roles[i] = members.RoleOf(hello)
			if roles[i] == observe.RoleSecondary && !secondary {
				// It is neither: it starts, or rolls back.
				roles[i] = ""
			}
		})
	}
	group.Wait()
	if place := slices.Index(roles, wanted); place >= 0 {
		return asked[place]
	}
	return nil
}

// setHosts are the members of the set that an action is for, sorted, and the name of the set: that of the deployment,
// or of the shard with this index behind a mongos. A server that is alone has no set.
func (a Runner) setHosts(ctx context.Context, shard int) (set string, hosts []string, err error) {
	client, err := a.Login.Deployment()
	if err != nil {
		return "", nil, err
	}
	hello, err := lookup.Nearby(ctx, client)(lookup.IsMaster)
	if err != nil {
		return "", nil, err
	}
	switch {
	case lookup.IsMongos(hello):
		shards, err := sharding.List(lookup.Admin(ctx, client))
		if err != nil {
			return "", nil, err
		}
		return sharding.ShardMembers(shards, shard)
	case shard > 0:
		return "", nil, fmt.Errorf("there is no shard %d: what answers is no mongos", shard)
	case lookup.Text(hello, "setName") == "":
		return "", a.Login.Options.Hosts[:1], nil
	}
	// An arbiter is neither primary nor secondary.
	return lookup.Text(hello, "setName"), slices.Sorted(slices.Values(lookup.DataHosts(hello))), nil
}
