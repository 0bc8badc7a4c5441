package act

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/dialer"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
)

// dropTimeout bounds what a member is asked that may just be cut off from us, too.
const dropTimeout = 2 * time.Second

// Partition cuts a member off.
type Partition struct {
	Action planv1.Action
	Member string
	// Open are the connections of the load.
	Open *dialer.Dialer
}

// Lead connects to the members, requests that one is cut off, waits until new connections to it do not get through, and
// then ends those from before: the load's own, and the members end theirs, the others those to the member, and the
// member all of its own. The connection on which it is told so was opened before.
func (p Partition) Lead(ctx context.Context, login *connection.Login, request func() error) error {
	among, err := connectAll(ctx, login, p.Action.Shard)
	defer func() {
		for _, one := range among {
			one.Disconnect(ctx)
		}
	}()
	if err == nil {
		err = request()
	}
	if err == nil {
		err = p.Follow(ctx)
	}
	if err != nil {
		return err
	}
	tell(ctx, among, func(one *members.Member) bson.D { return syncing(one.Name(), p.Member, among) })
	tell(ctx, among, func(one *members.Member) bson.D { return dropped(one.Name(), p.Member, among) })
	return nil
}

// Follow waits until new connections to a member that is being cut off do not get through, and then closes those that
// the load has open to it.
func (p Partition) Follow(ctx context.Context) error {
	lasts := time.Duration(p.Action.DurationSeconds) * time.Second
	cut, cancel := context.WithTimeoutCause(ctx, lasts, fmt.Errorf(
		"new connections to %s got through for all of %s: the network of the cluster does not enforce NetworkPolicies",
		p.Member, lasts))
	defer cancel()
	if dialer.UntilUnreachable(cut, p.Member) != nil {
		return context.Cause(cut)
	}
	p.Open.CloseTo(p.Member)
	return nil
}

// connectAll connects to every member of a shard, or of the one set, and makes sure that the connections are open.
func connectAll(ctx context.Context, login *connection.Login, shard int) ([]*members.Member, error) {
	_, hosts, err := Runner{Login: login}.setHosts(ctx, shard)
	if err != nil {
		return nil, err
	}
	among, err := members.Connect(ctx, login, hosts)
	if err == nil {
		tell(ctx, among, func(*members.Member) bson.D { return lookup.IsMaster })
	}
	return among, err
}

// syncing is the command by which a member of a set ends the connection over which it copies from another one: nothing
// else does, and as long as a secondary copies from a primary it takes it for alive. It is to copy from one that is not
// cut off; the member that is finds none.
func syncing(name, cutOff string, among []*members.Member) bson.D {
	for _, one := range among {
		if one.Name() != name && one.Name() != cutOff {
			return bson.D{{Key: "replSetSyncFrom", Value: one.Name()}}
		}
	}
	return lookup.IsMaster // Of a set of two there is nobody else.
}

// dropped is the command by which a member of a set ends its connections to another one; the other one itself those
// to all.
func dropped(name, cutOff string, among []*members.Member) bson.D {
	hosts := bson.A{cutOff}
	if name == cutOff {
		hosts = bson.A{}
		for _, one := range among {
			if one.Name() != cutOff {
				hosts = append(hosts, one.Name())
			}
		}
	}
	return bson.D{{Key: "dropConnections", Value: 1}, {Key: "hostAndPort", Value: hosts}}
}

// tell sends each member a command, all at once. One that does not answer has no connection to drop any more.
func tell(ctx context.Context, among []*members.Member, command func(*members.Member) bson.D) {
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	var group sync.WaitGroup
	for _, one := range among {
		group.Go(func() { _, _ = lookup.Admin(ctx, one.Client())(command(one)) })
	}
	group.Wait()
}
