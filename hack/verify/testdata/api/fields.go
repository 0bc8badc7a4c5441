// Package api holds fields that break the API's conventions, each with what the linter has to say after "want", and such
// that break none.
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Step is an element of lists.
type Step struct {
	// name of it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
}

// Loose has nothing that must be set.
type Loose struct {
	// count of it.
	// +optional
	Count *int64 `json:"count,omitempty"`
}

// Spec has the fields.
type Spec struct {
	// seed is in good form.
	// +optional
	Good *int64 `json:"seed,omitempty"`

	// GoName of everything random.
	// +optional
	GoName *int64 `json:"goName,omitempty"` // want "should start with 'goName"

	// neither of the two.
	Neither *int64 `json:"neither,omitempty"` // want "must be marked as optional or required"

	// both of them.
	// +optional
	// +required
	Both *int64 `json:"both,omitempty"` // want "must not be marked as both optional and required"

	// defaulted and required.
	// +required
	// +kubebuilder:default=1
	Defaulted *int64 `json:"defaulted,omitempty"` // want "defaultorrequired: "

	// written always.
	// +required
	// +kubebuilder:validation:Minimum=1
	Written int64 `json:"written"` // want "should have the omitempty tag"

	// sent always, though optional.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Sent int64 `json:"sent"` // want "should have the omitempty tag"

	// rate of it.
	// +optional
	Rate *float64 `json:"rate,omitempty"` // want "nofloats: "

	// count of it.
	// +optional
	Count *int `json:"count,omitempty"` // want "integers: "

	// unsigned is no better.
	// +optional
	Unsigned *uint32 `json:"unsigned,omitempty"` // want "integers: "

	// wait before it.
	// +optional
	Wait *metav1.Duration `json:"wait,omitempty"` // want "nodurations: "

	// targetReference of it.
	// +optional
	TargetReference *string `json:"targetReference,omitempty"` // want "noreferences: "

	// readPreference is no reference.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ReadPreference *string `json:"readPreference,omitempty"`

	// phase of it.
	// +optional
	Phase *string `json:"phase,omitempty"` // want "nophase: "

	// startTimestamp of it.
	// +optional
	StartTimestamp *metav1.Time `json:"startTimestamp,omitempty"` // want "notimestamp: "

	// snake_case is not lowerCamelCase.
	// +optional
	Snake *string `json:"snake_case,omitempty"` // want "jsontags: "

	// untyped list.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	Untyped []Step `json:"untyped,omitempty"` // want "ssatags: "

	// keyless list.
	// +optional
	// +listType=map
	// +kubebuilder:validation:MaxItems=3
	Keyless []Step `json:"keyless,omitempty"` // want "ssatags: "

	// unlimited list.
	// +optional
	// +listType=atomic
	Unlimited []Step `json:"unlimited,omitempty"` // want "dependenttags: "

	// mapped objects.
	// +optional
	Mapped map[string]Step `json:"mapped,omitempty"` // want "nomaps: "

	// labels are a map of strings.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// conditions of another form.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Conditions []metav1.Condition `json:"conditions,omitempty"` // want "conditions: "

	// twice marked.
	// +optional
	// +optional
	Twice *int64 `json:"twice,omitempty"` // want "duplicatemarkers: "

	// endless text.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Endless *string `json:"endless,omitempty"` // want "maxlength: "

	// empty text.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Empty *string `json:"empty,omitempty"` // want "minlength: "

	// listed values that have a form as well.
	// +optional
	// +kubebuilder:validation:Enum=A;B
	// +kubebuilder:validation:Pattern=`^[AB]$`
	Listed *string `json:"listed,omitempty"` // want "conflictingmarkers: "

	// filled in by the API server.
	// +optional
	// +kubebuilder:default=1
	Filled *int64 `json:"filled,omitempty"` // want "forbiddenmarkers: "

	// waitMinutes of it.
	// +optional
	WaitMinutes *int64 `json:"waitMinutes,omitempty"` // want "namingconventions: "

	// switched on.
	// +optional
	Switched *bool `json:"switched,omitempty"` // want "nobools: "

	// nullable number.
	// +optional
	// +nullable
	Nullable *int64 `json:"nullable,omitempty"` // want "nonullable: "

	// otherwise marked.
	// +kubebuilder:validation:Optional
	Otherwise *int64 `json:"otherwise,omitempty"` // want "preferredmarkers: "

	// twofold limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Minimum=2
	Twofold *int64 `json:"twofold,omitempty"` // want "uniquemarkers: "

	// inner struct that need not be there.
	// +optional
	Inner Step `json:"inner,omitzero"` // want "nonpointerstructs: "

	// loose structs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Loose []Loose `json:"loose,omitempty"` // want "arrayofstruct: "
}
