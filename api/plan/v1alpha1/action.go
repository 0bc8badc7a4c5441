package v1alpha1

import (
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Action is something that is done to the target while a step is measured.
type Action struct {
	Name string                   `json:"name"`
	Type benchv1alpha1.ActionType `json:"type"`
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
