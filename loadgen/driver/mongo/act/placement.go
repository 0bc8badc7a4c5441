package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
)

// transitionPause is how long a transition is left alone before it is asked how far it is: it moves data for as long
// as there is some.
const transitionPause = time.Second

// configShard is what MongoDB calls the config servers as a shard.
const configShard = "config"

// knows refuses an action that is of a later release than the server.
func knows(ask lookup.Ask, action benchv1alpha1.ActionType) error {
	since := mongod.ActionSince(action)
	if since == (mongod.Release{}) {
		return nil
	}
	build, err := ask(lookup.BuildInfo)
	if err != nil {
		return fmt.Errorf("asking for the server's version: %w", err)
	}
	release := mongod.ParseRelease(lookup.Text(build, "version"))
	if !release.AtLeast(since) {
		return fmt.Errorf("%s needs MongoDB %s or later, and this is %s", action, since, release)
	}
	return nil
}

// place carries out an action on where a cluster's data is, through a mongos.
func place(ctx context.Context, ask lookup.Ask, database string, action planv1.Action) error {
	if err := onRouter(ask, string(action.Type)); err != nil {
		return err
	}
	if err := knows(ask, action.Type); err != nil {
		return err
	}
	if action.Type == benchv1alpha1.ActionTransitionToDedicatedConfigServer {
		return toDedicated(ctx, ask)
	}
	shards, err := sharding.List(ask)
	if err != nil {
		return fmt.Errorf("listing the shards: %w", err)
	}
	command, err := placement(database, action, sharding.Names(shards))
	if err != nil {
		return err
	}
	_, err = ask(command)
	return err
}

// onRouter refuses what only a mongos knows.
func onRouter(ask lookup.Ask, what string) error {
	hello, err := ask(lookup.IsMaster)
	if err != nil {
		return err
	}
	if !lookup.IsMongos(hello) {
		return fmt.Errorf("%s is for a sharded cluster, and what answers is no mongos", what)
	}
	return nil
}

// placement is the command of an action that is one command. Shards are the names of all, in the order of their
// indexes.
func placement(database string, action planv1.Action, shards []string) (bson.D, error) {
	ns := database + "." + action.Collection
	switch action.Type {
	case benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection:
		if action.Shard < 0 || action.Shard >= len(shards) {
			return nil, fmt.Errorf("there is no shard %d: the cluster has %d", action.Shard, len(shards))
		}
		name := "moveCollection"
		if action.Type == benchv1alpha1.ActionUnshardCollection {
			name = "unshardCollection"
		}
		return bson.D{{Key: name, Value: ns}, {Key: "toShard", Value: shards[action.Shard]}}, nil
	case benchv1alpha1.ActionTransitionFromDedicatedConfigServer:
		return bson.D{{Key: "transitionFromDedicatedConfigServer", Value: 1}}, nil
	default:
		return nil, fmt.Errorf("this load generator does not know actions of type %q", action.Type)
	}
}

// transition is how far one is, by the server's reply.
type transition struct {
	State     string   `bson:"state"`
	Databases []string `bson:"dbsToMove"`
	// Collections are those without a shard key; only later releases list them, as namespaces.
	Collections []string `bson:"collectionsToMove"`
	Remaining   struct {
		Chunks int64 `bson:"chunks"`
	} `bson:"remaining"`
}

const completed = "completed"

// toDedicated makes the config shard a config server only. The balancer takes its chunks away; what it leaves, the
// collections without a shard key and the databases whose home the shard is, is moved to another shard by command. The
// command is repeated until the server says that the transition is completed.
func toDedicated(ctx context.Context, ask lookup.Ask) error {
	for {
		reply, err := ask(bson.D{{Key: "transitionToDedicatedConfigServer", Value: 1}})
		if err != nil {
			return err
		}
		var now transition
		if err := bson.Unmarshal(reply, &now); err != nil {
			return fmt.Errorf("reading how far the transition is: %w", err)
		}
		if now.State == completed {
			return nil
		}
		if err := now.help(ask); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the transition is %s with %d chunks still to move: %w",
				now.State, now.Remaining.Chunks, ctx.Err())
		case <-time.After(transitionPause):
		}
	}
}

// help moves what the balancer does not, once it has nothing more to do.
func (t transition) help(ask lookup.Ask) error {
	if t.Remaining.Chunks > 0 || len(t.Databases)+len(t.Collections) == 0 {
		return nil
	}
	shards, err := sharding.List(ask)
	if err != nil {
		return fmt.Errorf("listing the shards: %w", err)
	}
	others := slices.DeleteFunc(sharding.Names(shards), func(name string) bool { return name == configShard })
	if len(others) == 0 {
		return errors.New("the config servers are the only shard, and their data has nowhere to go")
	}
	for _, ns := range t.Collections {
		if _, err := ask(bson.D{{Key: "moveCollection", Value: ns}, {Key: "toShard", Value: others[0]}}); err != nil {
			return fmt.Errorf("moving collection %s off the config servers: %w", ns, err)
		}
	}
	for _, database := range t.Databases {
		if _, err := ask(bson.D{{Key: "movePrimary", Value: database}, {Key: "to", Value: others[0]}}); err != nil {
			return fmt.Errorf("moving database %s off the config servers: %w", database, err)
		}
	}
	return nil
}

// analyze asks how well a key would do as a shard key, and returns that in words.
func analyze(ask lookup.Ask, database string, action planv1.Action) (string, error) {
	if err := knows(ask, action.Type); err != nil {
		return "", err
	}
	reply, err := ask(bson.D{
		{Key: "analyzeShardKey", Value: database + "." + action.Collection},
		{Key: "key", Value: schema.OrderedKeys(action.Key)},
		{Key: "keyCharacteristics", Value: true},
		{Key: "readWriteDistribution", Value: false},
	})
	if err != nil {
		return "", err
	}
	return analysis(reply)
}

// analysis puts the reply to analyzeShardKey into words.
func analysis(reply bson.Raw) (string, error) {
	var found struct {
		Key *struct {
			Documents    int64 `bson:"numDocsTotal"`
			Sampled      int64 `bson:"numDocsSampled"`
			Distinct     int64 `bson:"numDistinctValues"`
			Unique       bool  `bson:"isUnique"`
			Monotonicity struct {
				Type string `bson:"type"`
			} `bson:"monotonicity"`
			Common []struct {
				Frequency int64 `bson:"frequency"`
			} `bson:"mostCommonValues"`
		} `bson:"keyCharacteristics"`
	}
	if err := bson.Unmarshal(reply, &found); err != nil {
		return "", fmt.Errorf("reading the analysis: %w", err)
	}
	if found.Key == nil {
		return "", errors.New("the server told nothing of the key: it needs an index that begins with it")
	}
	key := found.Key
	said := []string{fmt.Sprintf("%d distinct values in %d of %d documents", key.Distinct, key.Sampled, key.Documents)}
	if len(key.Common) > 0 {
		said = append(said, fmt.Sprintf("the most common in %d of them", key.Common[0].Frequency))
	}
	said = append(said, cmp.Or(key.Monotonicity.Type, "unknown whether monotonic"))
	if key.Unique {
		said = append(said, "unique")
	}
	return strings.Join(said, ", "), nil
}
