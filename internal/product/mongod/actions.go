package mongod

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// ActionSince is the first release that knows what an action asks of it; the zero Release of what all know.
func ActionSince(action benchv1alpha1.ActionType) Release {
	switch action {
	case benchv1alpha1.ActionRefineShardKey:
		return Release{4, 4}
	case benchv1alpha1.ActionReshardCollection:
		return Release{5, 0}
	case benchv1alpha1.ActionAnalyzeShardKey:
		return Release{7, 0}
	case benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection,
		benchv1alpha1.ActionTransitionFromDedicatedConfigServer, benchv1alpha1.ActionTransitionToDedicatedConfigServer:
		return Release{8, 0}
	default:
		return Release{}
	}
}
