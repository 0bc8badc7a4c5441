package v1alpha1

// ActionType is a kind of action on a target during a measurement.
// +kubebuilder:validation:Enum=StepDown;Freeze;DeletePod;Partition;StartBalancer;StopBalancer;RefineShardKey;ReshardCollection;CreateIndex;DropIndex;Reconnect;MoveCollection;UnshardCollection;TransitionFromDedicatedConfigServer;TransitionToDedicatedConfigServer;Compact;AnalyzeShardKey
type ActionType string

const (
	// ActionStepDown makes a primary step down.
	ActionStepDown ActionType = "StepDown"
	// ActionFreeze keeps a secondary from becoming primary for a time (replSetFreeze); a primary steps down first.
	ActionFreeze ActionType = "Freeze"
	// ActionDeletePod deletes a member's pod, which comes back with its data.
	ActionDeletePod ActionType = "DeletePod"
	// ActionPartition cuts a member off for a time with a NetworkPolicy, if the cluster's network enforces these.
	ActionPartition ActionType = "Partition"
	// ActionStartBalancer lets chunks move.
	ActionStartBalancer ActionType = "StartBalancer"
	// ActionStopBalancer stops chunks from moving.
	ActionStopBalancer ActionType = "StopBalancer"
	// ActionRefineShardKey adds fields to the shard key of a collection (since 4.4).
	ActionRefineShardKey ActionType = "RefineShardKey"
	// ActionReshardCollection gives a collection another shard key (since 5.0).
	ActionReshardCollection ActionType = "ReshardCollection"
	// ActionCreateIndex builds an index.
	ActionCreateIndex ActionType = "CreateIndex"
	// ActionDropIndex drops an index.
	ActionDropIndex ActionType = "DropIndex"
	// ActionReconnect closes all connections of the load at once, so that all threads connect again together.
	ActionReconnect ActionType = "Reconnect"
	// ActionMoveCollection moves a collection without a shard key to another shard (since 8.0).
	ActionMoveCollection ActionType = "MoveCollection"
	// ActionUnshardCollection takes a collection its shard key and puts all of it on one shard (since 8.0).
	ActionUnshardCollection ActionType = "UnshardCollection"
	// ActionTransitionFromDedicatedConfigServer makes the config servers a shard as well (since 8.0).
	ActionTransitionFromDedicatedConfigServer ActionType = "TransitionFromDedicatedConfigServer"
	// ActionTransitionToDedicatedConfigServer moves all data off the config servers, which are a shard until then (since
	// 8.0).
	ActionTransitionToDedicatedConfigServer ActionType = "TransitionToDedicatedConfigServer"
	// ActionCompact gives the room that a collection no longer needs back to the disk of one member.
	ActionCompact ActionType = "Compact"
	// ActionAnalyzeShardKey asks how well a key would do as a collection's shard key (since 7.0).
	ActionAnalyzeShardKey ActionType = "AnalyzeShardKey"
)

// ByOperator says whether the operator carries the action out, once load pod 0 has named the member that it is for.
// Otherwise load pod 0 does it by a command to the target.
func (t ActionType) ByOperator() bool {
	return t == ActionDeletePod || t == ActionPartition
}

// ByEachPod says whether every load pod has to do something for the action: to its own connections.
func (t ActionType) ByEachPod() bool {
	return t == ActionPartition || t == ActionReconnect
}

// ActionMember says which member of a replica set an action is for.
// +kubebuilder:validation:Enum=Primary;Secondary
type ActionMember string

const (
	// ActionMemberPrimary is the primary.
	ActionMemberPrimary ActionMember = "Primary"
	// ActionMemberSecondary is one of the secondaries.
	ActionMemberSecondary ActionMember = "Secondary"
)

// Action is something done to the target during the measurement of a step: a fault from which it must recover, or a
// change of its sharding or indexes. The time line shows the effect on latency, and the result how long recovery took.
//
// +kubebuilder:validation:XValidation:rule="!has(self.durationSeconds) || self.type in ['Freeze', 'Partition']",message="durationSeconds is for Freeze and Partition",fieldPath=".durationSeconds"
// +kubebuilder:validation:XValidation:rule="self.type in ['RefineShardKey', 'ReshardCollection', 'AnalyzeShardKey'] ? has(self.key) : !has(self.key)",message="key is required with RefineShardKey, ReshardCollection and AnalyzeShardKey and forbidden with any other type",fieldPath=".key"
// +kubebuilder:validation:XValidation:rule="!has(self.collection) || self.type in ['RefineShardKey', 'ReshardCollection', 'CreateIndex', 'DropIndex', 'MoveCollection', 'UnshardCollection', 'Compact', 'AnalyzeShardKey']",message="collection is for actions on a collection",fieldPath=".collection"
// +kubebuilder:validation:XValidation:rule="(self.type == 'CreateIndex') == has(self.index)",message="index is required with CreateIndex and forbidden with any other type",fieldPath=".index"
// +kubebuilder:validation:XValidation:rule="(self.type == 'DropIndex') == has(self.indexName)",message="indexName is required with DropIndex and forbidden with any other type",fieldPath=".indexName"
// +kubebuilder:validation:XValidation:rule="!has(self.member) || self.type in ['Freeze', 'DeletePod', 'Partition', 'Compact']",message="member may be set only with type Freeze, DeletePod, Partition or Compact",fieldPath=".member"
// +kubebuilder:validation:XValidation:rule="!has(self.shard) || self.type in ['StepDown', 'Freeze', 'DeletePod', 'Partition', 'Compact', 'MoveCollection', 'UnshardCollection']",message="shard is for actions on members, MoveCollection and UnshardCollection",fieldPath=".shard"
type Action struct {
	// name of the action, unique in the step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// type is StepDown, Freeze, DeletePod, Partition, StartBalancer, StopBalancer, RefineShardKey, ReshardCollection,
	// CreateIndex, DropIndex, Reconnect, MoveCollection, UnshardCollection, TransitionFromDedicatedConfigServer,
	// TransitionToDedicatedConfigServer, Compact or AnalyzeShardKey.
	// +required
	Type ActionType `json:"type,omitempty"`

	// afterSeconds is when to carry it out, counted from the start of the measure window. Default 0, limit 604800.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	AfterSeconds *int32 `json:"afterSeconds,omitempty"`

	// shard is the index, starting at 0, of the affected shard, or of the one that MoveCollection and UnshardCollection
	// move the collection to; without shards there is only 0. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	Shard *int32 `json:"shard,omitempty"`

	// member is Primary or Secondary. Default Primary.
	// +optional
	Member *ActionMember `json:"member,omitempty"`

	// durationSeconds of a Freeze or Partition. Default 10, limits 1 to 3600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	DurationSeconds *int32 `json:"durationSeconds,omitempty"`

	// collection that the action is about. Unset: the only one of the dataset, and required where there are
	// several.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Collection *string `json:"collection,omitempty"`

	// key is the new shard key of the collection, or that which AnalyzeShardKey looks at and an index begins with.
	// +optional
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Key []IndexKey `json:"key,omitempty"`

	// index that CreateIndex builds while the step is measured.
	// +optional
	Index *Index `json:"index,omitempty"`

	// indexName is the name of the index that DropIndex drops: one of the collection's indexes, or of one that an action
	// builds. An index without a name has one such as "a_1_b_-1".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	IndexName *string `json:"indexName,omitempty"`
}
