package v1alpha1

import "time"

// Action is something that is done to the target while a step is measured.
type Action struct {
	Name string     `json:"name"`
	Type ActionType `json:"type"`
	// AfterSeconds from the begin of the measure window.
	AfterSeconds int `json:"afterSeconds,omitempty"`
	// Shard by its index; 0 without shards.
	Shard int `json:"shard,omitempty"`
	// Secondary is who it is done to, rather than the primary.
	Secondary bool `json:"secondary,omitempty"`
	// DurationSeconds of a Freeze or Partition.
	DurationSeconds int `json:"durationSeconds,omitempty"`
	// Collection and Key of a change of the sharding.
	Collection string     `json:"collection,omitempty"`
	Key        []IndexKey `json:"key,omitempty"`
}

// ActionType is the kind of an action. The names are those of the run's API.
type ActionType string

// The kinds of actions.
const (
	ActionStepDown          ActionType = "StepDown"
	ActionFreeze            ActionType = "Freeze"
	ActionDeletePod         ActionType = "DeletePod"
	ActionPartition         ActionType = "Partition"
	ActionStartBalancer     ActionType = "StartBalancer"
	ActionStopBalancer      ActionType = "StopBalancer"
	ActionRefineShardKey    ActionType = "RefineShardKey"
	ActionReshardCollection ActionType = "ReshardCollection"
)

// ByOperator says whether the operator carries the action out, once load pod 0 has named the member that it is for.
// Otherwise load pod 0 does it by a command to the target.
func (t ActionType) ByOperator() bool {
	return t == ActionDeletePod || t == ActionPartition
}

// ActionGrace is how long after the end of its step an action that still goes on is waited for.
const ActionGrace = 30 * time.Second

// NeedsCommands says whether any step has an action that load pod 0 carries out, for which it needs a user that may.
func (p Plan) NeedsCommands() bool {
	for _, step := range p.Steps {
		for _, action := range step.Actions {
			if !action.Type.ByOperator() {
				return true
			}
		}
	}
	return false
}
