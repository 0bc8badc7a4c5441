package topology

import (
	"context"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// Credentials are a name and a password.
type Credentials struct {
	Username string
	Password string
}

// Secrets are what a topology Job is given as files.
type Secrets struct {
	// Keyfile is the text of the members' keyfile.
	Keyfile string
	// Admin may do everything; it is for people.
	Admin Credentials
	// Load may read and write the target's databases.
	Load Credentials
	// Observer may look at the servers.
	Observer Credentials
	// Action may carry out the actions of a workload.
	Action Credentials
	// CAFile holds the authority, in PEM, that signed the members' certificates; empty: there is no TLS.
	CAFile string
}

// Build brings the members into the declared topology, makes the users, and returns what the servers said of
// themselves. It may be repeated. The context's deadline bounds all of it; an error names the member and the cause.
func Build(ctx context.Context, t planv1.Topology, secrets Secrets) (reportv1.Server, error) {
	server, err := (&builder{topology: t, secrets: secrets}).build(ctx)
	if err == nil {
		server.TLS = connection.TLSName(secrets.CAFile != "")
	}
	return server, err
}

// builder builds one topology.
type builder struct {
	topology planv1.Topology
	secrets  Secrets
	// monitor, which may be nil, sees every command.
	monitor *event.CommandMonitor
}

// build makes the sets first, with all their users, and then joins them: what mongos needs is there by then.
func (b *builder) build(ctx context.Context) (reportv1.Server, error) {
	sets, err := b.connectSets(ctx)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer sets.close(ctx)
	if err := b.formSets(ctx, sets); err != nil {
		return reportv1.Server{}, err
	}
	if len(b.topology.Mongos) == 0 {
		return b.describe(ctx, sets)
	}
	routers, err := b.connectRouters(ctx)
	if err != nil {
		return reportv1.Server{}, err
	}
	defer routers.close(ctx)
	if err := b.joinShards(ctx, routers[0]); err != nil {
		return reportv1.Server{}, fmt.Errorf("joining the shards through mongos %s: %w", routers[0].host, err)
	}
	return b.describeCluster(ctx, routers[0], sets)
}

// set is a declared replica set, or the standalone, with connections to its members.
type set struct {
	planv1.ReplicaSet

	members members
	// primary is known once the set is formed.
	primary member
}

type sets []*set

// connectSets connects to the members of all sets at once: a shard that was joined before does not even listen until
// the config servers do.
func (b *builder) connectSets(ctx context.Context) (sets, error) {
	var hosts []string
	for _, declared := range b.topology.Sets {
		hosts = append(hosts, declared.Members...)
	}
	all, err := b.memberDialer().connect(ctx, hosts)
	if err != nil {
		return nil, err
	}
	connected := make(sets, len(b.topology.Sets))
	for i, declared := range b.topology.Sets {
		connected[i] = &set{ReplicaSet: declared, members: all[:len(declared.Members)]}
		all = all[len(declared.Members):]
	}
	return connected, nil
}

// memberDialer logs in as the account that a mongod has before it has any user.
func (b *builder) memberDialer() dialer {
	d := b.dialer("local", Credentials{"__system", strings.Join(strings.Fields(b.secrets.Keyfile), "")})
	d.with, d.greet = "the keyfile", member.login
	return d
}

// dialer logs in with a password, where there is authentication.
func (b *builder) dialer(source string, as Credentials) dialer {
	d := dialer{caFile: b.secrets.CAFile, timeout: callTimeout, monitor: b.monitor}
	if !b.topology.WithoutUsers {
		d.credential = &options.Credential{
			AuthMechanism: "SCRAM-SHA-256", AuthSource: source, Username: as.Username, Password: as.Password,
		}
	}
	return d
}

func (all sets) close(ctx context.Context) {
	for _, s := range all {
		s.members.close(ctx)
	}
}

// formSets makes every set writable and gives it its users, all sets at once.
func (b *builder) formSets(ctx context.Context, all sets) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range all {
		group.Go(func() error {
			return poll(ctx, func() error { return unlessPassing(b.formSet(ctx, s)) })
		})
	}
	return group.Wait()
}

// formSet makes the users last, so that a set that has them needs nothing else. A member that is lost meanwhile may
// make the primary step down, and then all of it is done again.
func (b *builder) formSet(ctx context.Context, s *set) (err error) {
	s.primary = s.members[0]
	if b.topology.Kind != benchv1alpha1.TopologyStandalone {
		if s.primary, err = formReplicaSet(ctx, s.ReplicaSet, s.members); err != nil {
			return fmt.Errorf("forming replica set %s: %w", s.Name, err)
		}
	}
	if err := b.cleanSoon(ctx, s); err != nil {
		return err
	}
	return makeUsers(ctx, s.primary, b.topology, s.ReplicaSet, b.secrets)
}

// orphanSeconds is how long a shard keeps documents that the balancer took away. MongoDB's own 900 would have every
// count and size of a shard be wrong for as long after the last move.
const orphanSeconds = 1

// cleanSoon makes a shard whose chunks may move forget soon what it gave away.
func (b *builder) cleanSoon(ctx context.Context, s *set) error {
	if len(b.topology.Mongos) == 0 || s.Role == planv1.RoleConfig || b.balancerMode() == benchv1alpha1.BalancerDisabled {
		return nil
	}
	for _, m := range s.members {
		command := bson.D{{Key: "setParameter", Value: 1}, {Key: "orphanCleanupDelaySecs", Value: orphanSeconds}}
		if _, err := m.admin(ctx, command); err != nil {
			return fmt.Errorf("setting orphanCleanupDelaySecs on %s: %w", m.host, err)
		}
	}
	return nil
}

// describe says what was built without mongos.
func (b *builder) describe(ctx context.Context, all sets) (reportv1.Server, error) {
	primary := all[0].primary
	server, err := describe.Server(lookup.Admin(ctx, primary.client))
	if err != nil {
		return reportv1.Server{}, fmt.Errorf("asking %s what it is: %w", primary.host, err)
	}
	if b.topology.Kind == benchv1alpha1.TopologySharded {
		server.Topology, server.Router = string(benchv1alpha1.TopologySharded), string(benchv1alpha1.RouterClient)
		server.Shards, server.Members = len(all), 0
		for _, s := range all {
			server.Members += len(s.members)
		}
	}
	return server, nil
}
