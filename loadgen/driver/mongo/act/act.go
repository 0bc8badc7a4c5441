package act

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

const (
	// actTimeout bounds what is done to a member.
	actTimeout = 30 * time.Second
	// catchUp is how long a primary that steps down waits for a secondary that has everything. stepDownSeconds, which
	// must be longer, is how long it may not become primary again: a set of one member has none until then.
	catchUp         = 5 * time.Second
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

// Run carries out an action, and returns the member that it was done to. Of an action that is the
// operator's it only finds the member.
func (a Runner) Run(ctx context.Context, database string, action planv1.Action) (string, error) {
	var host string
	var err error
	switch action.Type {
	case planv1.ActionStartBalancer:
		err = a.router(ctx, bson.D{{Key: "balancerStart", Value: 1}})
	case planv1.ActionStopBalancer:
		err = a.router(ctx, bson.D{{Key: "balancerStop", Value: 1}})
	case planv1.ActionRefineShardKey:
		err = a.refine(ctx, database, action)
	case planv1.ActionReshardCollection:
		err = a.router(ctx, bson.D{
			{Key: "reshardCollection", Value: database + "." + action.Collection},
			{Key: "key", Value: schema.OrderedKeys(action.Key)},
		})
	default:
		host, err = a.actOnMember(ctx, action)
	}
	if err != nil {
		return host, errorclass.WithoutSecrets(err)
	}
	return host, nil
}

// actOnMember finds the member that an action is for, and does to it what is not the operator's to do.
func (a Runner) actOnMember(ctx context.Context, action planv1.Action) (string, error) {
	found, err := a.findMember(ctx, action)
	if err != nil {
		return "", err
	}
	defer found.Close()
	ctx, cancel := context.WithTimeout(ctx, actTimeout)
	defer cancel()
	switch action.Type {
	case planv1.ActionDeletePod, planv1.ActionPartition:
		return found.Name(), nil
	case planv1.ActionStepDown:
		err = stepDown(ctx, found, stepDownSeconds)
	case planv1.ActionFreeze:
		err = freeze(ctx, found, action)
	default:
		err = fmt.Errorf("this load generator does not know actions of type %q", action.Type)
	}
	if err != nil {
		return found.Name(), fmt.Errorf("member %s: %w", found.Name(), err)
	}
	return found.Name(), nil
}

// stepDown makes a primary step down. It hands its office to a secondary that has everything, where there is one in
// time; otherwise it is forced, which leaves the others to find out by themselves.
func stepDown(ctx context.Context, m *members.Member, seconds int) error {
	err := sendStepDown(ctx, m, seconds, false)
	if errorclass.HasCode(err, exceededTimeLimit) {
		err = sendStepDown(ctx, m, seconds, true)
	}
	return err
}

func sendStepDown(ctx context.Context, m *members.Member, seconds int, force bool) error {
	_, err := lookup.Admin(ctx, m.Client())(bson.D{
		{Key: "replSetStepDown", Value: seconds},
		{Key: "secondaryCatchUpPeriodSecs", Value: int(catchUp.Seconds())},
		{Key: "force", Value: force},
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
	if err := client.Database(database).RunCommand(ctx, schema.IndexCommand(index)).Err(); err != nil {
		return fmt.Errorf("making the index of the new shard key: %w", err)
	}
	return a.router(ctx, bson.D{
		{Key: "refineCollectionShardKey", Value: database + "." + action.Collection},
		{Key: "key", Value: schema.OrderedKeys(action.Key)},
	})
}

// router sends a command that only a mongos knows.
func (a Runner) router(ctx context.Context, command bson.D) error {
	client, err := a.Login.Deployment()
	if err != nil {
		return err
	}
	ask := lookup.Admin(ctx, client)
	hello, err := ask(lookup.IsMaster)
	if err != nil {
		return err
	}
	if !lookup.IsMongos(hello) {
		return fmt.Errorf("%s is for a sharded cluster, and what answers is no mongos", command[0].Key)
	}
	_, err = ask(command)
	return err
}
