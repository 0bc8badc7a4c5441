package act

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	// actTimeout bounds what is done to a member.
	actTimeout = 30 * time.Second
	// compactTimeout is longer than any step: a compaction takes as long as its data does, and ends with the step.
	compactTimeout = 30 * 24 * time.Hour
	// catchUpSeconds is how long a primary that steps down waits for a secondary that has everything. stepDownSeconds,
	// which must be longer, is how long it may not become primary again: a set of one member has none until then.
	catchUpSeconds  = 5
	stepDownSeconds = 10
	// notSecondary is the server's code for what only a secondary can do (NotSecondary).
	notSecondary = 95
	// exceededTimeLimit is its code for a primary that did not step down because no secondary caught up in time.
	exceededTimeLimit = 262
)

// Runner carries out actions as a user that may.
type Runner struct {
	Login *connection.Login
}

// Run carries out an action, and returns the member that it was done to and what the server said. Of an action that is
// the operator's it only finds the member.
func (a Runner) Run(ctx context.Context, database string, action planv1.Action) (loadgen.Acted, error) {
	done, err := a.run(ctx, database, action)
	if err != nil {
		return done, errorclass.WithoutSecrets(err)
	}
	return done, nil
}

func (a Runner) run(ctx context.Context, database string, action planv1.Action) (done loadgen.Acted, err error) {
	switch action.Type {
	case benchv1alpha1.ActionStartBalancer:
		err = a.router(ctx, bson.D{{Key: "balancerStart", Value: 1}})
	case benchv1alpha1.ActionStopBalancer:
		err = a.router(ctx, bson.D{{Key: "balancerStop", Value: 1}})
	case benchv1alpha1.ActionRefineShardKey:
		err = a.refine(ctx, database, action)
	case benchv1alpha1.ActionReshardCollection:
		err = a.router(ctx, bson.D{
			{Key: "reshardCollection", Value: database + "." + action.Collection},
			{Key: "key", Value: schema.OrderedKeys(action.Key)},
		})
	case benchv1alpha1.ActionCreateIndex:
		err = a.createIndex(ctx, database, action)
	case benchv1alpha1.ActionDropIndex:
		err = a.dropIndex(ctx, database, action)
	case benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection,
		benchv1alpha1.ActionTransitionFromDedicatedConfigServer, benchv1alpha1.ActionTransitionToDedicatedConfigServer:
		err = a.deployment(ctx, func(ask lookup.Ask) error { return place(ctx, ask, database, action) })
	case benchv1alpha1.ActionAnalyzeShardKey:
		err = a.deployment(ctx, func(ask lookup.Ask) (err error) {
			done.Outcome, err = analyze(ask, database, action)
			return err
		})
	default:
		return a.actOnMember(ctx, database, action)
	}
	return done, err
}

// deployment asks the deployment as the user that may.
func (a Runner) deployment(ctx context.Context, do func(lookup.Ask) error) error {
	client, err := a.Login.Deployment()
	if err != nil {
		return err
	}
	return do(lookup.Admin(ctx, client))
}

// actOnMember finds the member that an action is for, and does to it what is not the operator's to do.
func (a Runner) actOnMember(
	ctx context.Context, database string, action planv1.Action,
) (done loadgen.Acted, err error) {
	found, err := a.findMember(ctx, action)
	if err != nil {
		return done, err
	}
	defer found.Disconnect(ctx)
	done.Member = found.Name()
	limit := actTimeout
	if action.Type == benchv1alpha1.ActionCompact {
		limit = compactTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch action.Type {
	case benchv1alpha1.ActionDeletePod, benchv1alpha1.ActionPartition:
	case benchv1alpha1.ActionCompact:
		done.Outcome, err = compact(ctx, found, database, action)
	case benchv1alpha1.ActionStepDown:
		err = stepDown(ctx, found, stepDownSeconds)
	case benchv1alpha1.ActionFreeze:
		err = freeze(ctx, found, action)
	default:
		err = fmt.Errorf("this load generator does not know actions of type %q", action.Type)
	}
	if err != nil {
		err = fmt.Errorf("member %s: %w", found.Name(), err)
	}
	return done, err
}

// stepDown makes a primary step down. It hands its office to a secondary that has everything, where there is one in
// time; otherwise it is forced, which leaves the others to find out by themselves.
func stepDown(ctx context.Context, m *members.Member, seconds int) error {
	err := sendStepDown(ctx, m, seconds, catchUpSeconds)
	if errorclass.HasCode(err, exceededTimeLimit) {
		err = sendStepDown(ctx, m, seconds, 0)
	}
	return err
}

// sendStepDown forces a primary that is given no time for the others to catch up.
func sendStepDown(ctx context.Context, m *members.Member, seconds, catchUp int) error {
	_, err := lookup.Admin(ctx, m.Client())(bson.D{
		{Key: "replSetStepDown", Value: seconds},
		{Key: "secondaryCatchUpPeriodSecs", Value: catchUp},
		{Key: "force", Value: catchUp == 0},
	})
	if leaves(err) {
		return nil
	}
	return err
}

// leaves says whether an error is how a server that steps down ends what it was asked: it closes the connection, or
// says that it is no primary any more.
func leaves(err error) bool {
	if driver.IsTimeout(err) {
		return false
	}
	return driver.IsNetworkError(err) || err != nil && errorclass.Of(err) == errorclass.NotPrimary
}

// freeze keeps a member from becoming primary. A primary steps down first, and is frozen once it is a secondary.
func freeze(ctx context.Context, m *members.Member, action planv1.Action) error {
	if !action.Secondary {
		if err := stepDown(ctx, m, max(action.DurationSeconds, stepDownSeconds)); err != nil {
			return err
		}
	}
	for {
		_, err := lookup.Admin(ctx, m.Client())(bson.D{{Key: "replSetFreeze", Value: action.DurationSeconds}})
		again := errorclass.HasCode(err, notSecondary) || leaves(err)
		if !again || action.Secondary {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(findPause):
		}
	}
}

// refine adds fields to a collection's shard key. The index that this needs is made first.
func (a Runner) refine(ctx context.Context, database string, action planv1.Action) error {
	client, err := a.Login.Deployment()
	if err != nil {
		return err
	}
	index := planv1.Collection{Name: action.Collection, Indexes: []planv1.Index{{Keys: action.Key}}}
	command, err := schema.IndexCommand(index)
	if err != nil {
		return err
	}
	if err := client.Database(database).RunCommand(ctx, command).Err(); err != nil {
		return fmt.Errorf("making the index of the new shard key: %w", err)
	}
	return a.router(ctx, bson.D{
		{Key: "refineCollectionShardKey", Value: database + "." + action.Collection},
		{Key: "key", Value: schema.OrderedKeys(action.Key)},
	})
}

// router sends a command that only a mongos knows.
func (a Runner) router(ctx context.Context, command bson.D) error {
	return a.deployment(ctx, func(ask lookup.Ask) error {
		if err := onRouter(ask, command[0].Key); err != nil {
			return err
		}
		_, err := ask(command)
		return err
	})
}

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
	asked, err := members.Connect(ctx, a.Login, hosts)
	if err != nil {
		return nil, err
	}
	found := awaitRole(ctx, asked, wanted)
	for _, other := range asked {
		if other != found {
			other.Disconnect(ctx)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("none of %s was %s within %s", strings.Join(hosts, ", "), wanted, findTimeout)
	}
	return found, nil
}

// wantedRole is what the member that an action is for must be. A server without a set can only lose its pod, or be
// compacted.
func wantedRole(action planv1.Action, set string, hosts []string) (string, error) {
	alone := action.Type.ByOperator() || action.Type == benchv1alpha1.ActionCompact
	switch {
	case set == "" && !alone:
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
