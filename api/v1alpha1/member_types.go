package v1alpha1

// ReplicaSetSpec has the settings of a replica set.
type ReplicaSetSpec struct {
	// members is the number of data-bearing members. Default 3, limits 1 to 7: MongoDB allows seven voting members
	// (https://www.mongodb.com/docs/manual/reference/limits/), and all vote unless memberSettings says otherwise.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	Members *int32 `json:"members,omitempty"`

	// arbiters is the number of members that vote and hold no data, each a small pod of its own with 250m of CPU and 512Mi
	// of memory. They are not in the figures. Default 0, limits 0 to 1: MongoDB allows no more since 5.3. With two members
	// and an arbiter, a write that a majority is to acknowledge waits while one of the two is away.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Arbiters *int32 `json:"arbiters,omitempty"`

	// memberSettings are those of members that are unlike the others: priorities, votes, tags, hidden and delayed members.
	// Unset: every member votes and may become primary.
	// +optional
	// +listType=map
	// +listMapKey=member
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=7
	MemberSettings []MemberSettings `json:"memberSettings,omitempty" patchMergeKey:"member" patchStrategy:"merge"`
}

// MemberVisibility says whether clients see a member of a replica set.
// +kubebuilder:validation:Enum=Visible;Hidden
type MemberVisibility string

const (
	// MemberVisible is a member that clients may read from.
	MemberVisible MemberVisibility = "Visible"
	// MemberHidden is a member that no client is told of: it copies, and never becomes primary.
	MemberHidden MemberVisibility = "Hidden"
)

// MemberSettings are the settings of one member of a replica set.
//
// +kubebuilder:validation:XValidation:rule="self.member != 0 || !(has(self.delaySeconds) || has(self.visibility) && self.visibility == 'Hidden' || has(self.votes) && self.votes == 0 || has(self.priority) && self.priority == 0)",message="member 0 must be able to become primary: give priority 0, votes 0, Hidden and delaySeconds to another one",fieldPath=".member"
// +kubebuilder:validation:XValidation:rule="!has(self.priority) || self.priority == 0 || !(has(self.delaySeconds) || has(self.visibility) && self.visibility == 'Hidden' || has(self.votes) && self.votes == 0)",message="a member that is hidden, delayed or without a vote never becomes primary; leave priority out",fieldPath=".priority"
// +kubebuilder:validation:XValidation:rule="!has(self.delaySeconds) || !has(self.visibility) || self.visibility == 'Hidden'",message="a delayed member is Hidden, or clients would read old data; leave visibility out",fieldPath=".visibility"
type MemberSettings struct {
	// member is the number of the member, counted from 0: that at the end of its pod's name. Member 0 must be able to
	// become primary.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=6
	Member *int32 `json:"member,omitempty"`

	// priority of the member in elections; one with 0 never becomes primary. Default 1, or 0 for a member that is hidden,
	// delayed or without a vote. Limits 0 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Priority *int32 `json:"priority,omitempty"`

	// votes of the member, 0 or 1. Default 1, or 0 for a delayed member, so that no write waits for it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Votes *int32 `json:"votes,omitempty"`

	// visibility is Visible or Hidden. The operator does not observe a member that is hidden. Default Visible, or Hidden
	// for a delayed member.
	// +optional
	Visibility *MemberVisibility `json:"visibility,omitempty"`

	// delaySeconds is by how much the member stays behind the others on purpose. Unset: it does not. Limits 1 to 86400.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	DelaySeconds *int32 `json:"delaySeconds,omitempty"`

	// tags of the member, by which the readTags of an operation choose it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Tags []MemberTag `json:"tags,omitempty" patchMergeKey:"name" patchStrategy:"merge"`
}

// MemberTag is a tag of a member of a replica set, such as usage=reports.
type MemberTag struct {
	// name of the tag.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_-]*$`
	Name string `json:"name,omitempty"`

	// value of the tag.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`
}
