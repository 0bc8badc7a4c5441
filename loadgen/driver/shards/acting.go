package shards

import (
	"context"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// Act carries out an action on the shard that it names.
func (t *Target) Act(ctx context.Context, database string, action planv1.Action) (string, error) {
	if err := checkAction(action, len(t.shards)); err != nil {
		return "", err
	}
	shard := action.Shard
	// The shard itself knows of no others.
	action.Shard = 0
	member, err := t.shards[shard].Act(ctx, database, action)
	return member, of(shard, err)
}

// checkAction refuses what only a mongos and config servers can do.
func checkAction(action planv1.Action, shards int) error {
	switch action.Type {
	case planv1.ActionStartBalancer, planv1.ActionStopBalancer, planv1.ActionRefineShardKey,
		planv1.ActionReshardCollection:
		return fmt.Errorf("action %q: %s needs a mongos; remove it, for documents stay where the load generator writes them",
			action.Name, action.Type)
	default:
	}
	if action.Shard < 0 || action.Shard >= shards {
		return fmt.Errorf("action %q: there is no shard %d, the last is %d", action.Name, action.Shard, shards-1)
	}
	return nil
}
