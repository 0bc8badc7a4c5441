package spec

import (
	"cmp"
	"slices"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// compileActions puts the actions of a step into the order of their times; those of the same time stay as declared.
func compileActions(declared []benchv1alpha1.Action) []planv1.Action {
	if len(declared) == 0 {
		return nil
	}
	actions := make([]planv1.Action, 0, len(declared))
	for _, action := range declared {
		compiled := planv1.Action{
			Name:         action.Name,
			Type:         planv1.ActionType(action.Type),
			AfterSeconds: int(ptr.Deref(action.AfterSeconds, 0)),
			Shard:        int(ptr.Deref(action.Shard, 0)),
			Secondary:    *action.Member == benchv1alpha1.ActionMemberSecondary,
		}
		switch action.Type {
		case benchv1alpha1.ActionFreeze, benchv1alpha1.ActionPartition:
			compiled.DurationSeconds = int(*action.DurationSeconds)
		case benchv1alpha1.ActionRefineShardKey, benchv1alpha1.ActionReshardCollection:
			compiled.Collection = *action.Collection
			compiled.Key = compileKey(action.Key)
		default:
		}
		actions = append(actions, compiled)
	}
	slices.SortStableFunc(actions, func(a, b planv1.Action) int { return cmp.Compare(a.AfterSeconds, b.AfterSeconds) })
	return actions
}
