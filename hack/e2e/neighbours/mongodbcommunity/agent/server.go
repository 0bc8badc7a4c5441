package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// admin is the database of users, roles and commands.
	admin = "admin"
	// statePrimary and stateSecondary are states of a member.
	statePrimary   = 1
	stateSecondary = 2
	// patience is how long a server that is being started is asked.
	patience = 2 * time.Second
)

// agentRoles are what the agent's own user may do.
var agentRoles = []string{
	"clusterAdmin", "userAdminAnyDatabase", "dbAdminAnyDatabase", "readWriteAnyDatabase", "backup", "restore",
}

// bring brings the member to what the config says, and returns its state. The first member makes the replica set, and
// whoever is primary the roles and users, unless that is done.
func bring(ctx context.Context, config automation, mine process, done bool) (state int, err error) {
	known, err := connect(ctx, mine, options.Client().SetAuth(options.Credential{
		Username: config.Auth.AutoUser, Password: config.Auth.AutoPassword, AuthSource: admin,
	}))
	if unknown(err) {
		return begin(ctx, config, mine)
	}
	if err != nil {
		return replicationUnknown, err
	}
	defer func() { _ = known.Disconnect(context.WithoutCancel(ctx)) }()
	state, err = stateOf(ctx, known)
	switch {
	case err != nil:
		return replicationUnknown, err
	case state == stateSecondary, state == statePrimary && done:
		return state, nil
	case state != statePrimary:
		return state, fmt.Errorf("the member's state is %d", state)
	}
	return state, manage(ctx, known, config)
}

// unknown says whether the server does not know the agent's user yet.
func unknown(err error) bool {
	failed := mongo.CommandError{}
	return errors.As(err, &failed) && failed.Name == "AuthenticationFailed"
}

// connect connects to the pod's own member, and to no other.
func connect(ctx context.Context, mine process, settings *options.ClientOptions) (*mongo.Client, error) {
	address := fmt.Sprintf("localhost:%v", mine.port())
	client, err := mongo.Connect(settings.SetHosts([]string{address}).SetDirect(true).SetServerSelectionTimeout(patience))
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	if err := client.Ping(ctx, nil); err != nil {
		_ = client.Disconnect(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	return client, nil
}

// begin makes the replica set and the agent's own user, as long as the server lets somebody from its own host do that.
// Members other than the first get both from it.
func begin(ctx context.Context, config automation, mine process) (state int, err error) {
	if config.Processes[0].Name != mine.Name {
		return replicationUnknown, errors.New("the first member has not made the replica set yet")
	}
	stranger, err := connect(ctx, mine, options.Client())
	if err != nil {
		return replicationUnknown, err
	}
	defer func() { _ = stranger.Disconnect(context.WithoutCancel(ctx)) }()
	if err := initiate(ctx, stranger, config); err != nil {
		return replicationUnknown, err
	}
	roles := bson.A{}
	for _, name := range agentRoles {
		roles = append(roles, bson.D{{Key: "role", Value: name}, {Key: "db", Value: admin}})
	}
	err = run(ctx, stranger, bson.D{
		{Key: "createUser", Value: config.Auth.AutoUser},
		{Key: "pwd", Value: config.Auth.AutoPassword},
		{Key: "roles", Value: roles},
	})
	if err == nil {
		err = errors.New("the replica set was made")
	}
	return replicationUnknown, err
}

// initiate makes the replica set, if it is not there.
func initiate(ctx context.Context, client *mongo.Client, config automation) error {
	if len(config.ReplicaSets) != 1 {
		return fmt.Errorf("the automation config has %d replica sets, and one is what is known here", len(config.ReplicaSets))
	}
	set, members := config.ReplicaSets[0], bson.A{}
	for _, member := range set.Members {
		its, err := config.processOf(member.Host)
		if err != nil {
			return err
		}
		members = append(members, bson.D{
			{Key: "_id", Value: member.ID},
			{Key: "host", Value: fmt.Sprintf("%s:%v", its.Host, its.port())},
			{Key: "arbiterOnly", Value: member.ArbiterOnly},
			{Key: "votes", Value: member.Votes},
			{Key: "priority", Value: member.Priority},
		})
	}
	err := run(ctx, client, bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: set.ID}, {Key: "members", Value: members},
	}}})
	if failed := (mongo.CommandError{}); errors.As(err, &failed) && failed.Name == "AlreadyInitialized" {
		return nil
	}
	return err
}

func stateOf(ctx context.Context, client *mongo.Client) (int, error) {
	var said struct {
		MyState int `bson:"myState"`
	}
	err := client.Database(admin).RunCommand(ctx, bson.D{{Key: "replSetGetStatus", Value: 1}}).Decode(&said)
	if err != nil {
		return replicationUnknown, fmt.Errorf("asking for the state: %w", err)
	}
	return said.MyState, nil
}

func run(ctx context.Context, client *mongo.Client, command bson.D) error {
	if err := client.Database(admin).RunCommand(ctx, command).Err(); err != nil {
		return fmt.Errorf("%s: %w", command[0].Key, err)
	}
	return nil
}
