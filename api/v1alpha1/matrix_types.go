package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"
)

// Matrix defines the variants of a suite: one for each combination of one choice per dimension, minus those excluded,
// plus those included. At most 200 of them.
type Matrix struct {
	// dimensions in which the variants differ. The patches of a combination are applied in this order.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Dimensions []Dimension `json:"dimensions,omitempty"`

	// exclude removes each combination that has all choices of one of these entries.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Exclude []Combination `json:"exclude,omitempty"`

	// include adds variants that are not combinations of the dimensions.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Include []Choice `json:"include,omitempty"`
}

// Dimension is one aspect in which variants differ, such as the engine.
type Dimension struct {
	// name of the dimension: lower case letters, digits and dashes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// choices of the dimension.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Choices []Choice `json:"choices,omitempty"`
}

// Choice is a named change of the template. A variant is named after its choices, joined by dashes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.patch) || !has(self.jsonPatch)",message="no more than one of patch and jsonPatch may be set",fieldPath=".jsonPatch"
type Choice struct {
	// name of the choice: lower case letters, digits, dots and dashes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=30
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// patch is a strategic merge patch of the template's spec, written as an object: fields are replaced, null removes
	// one, and lists whose items have names (collections, steps, operations) are merged by name; a new item comes first.
	// With neither patch nor jsonPatch, the template is unchanged.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Patch *runtime.RawExtension `json:"patch,omitempty"`

	// jsonPatch is a JSON Patch (RFC 6902) of the template's spec, with paths relative to it:
	// "/target/mongodb/version".
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	JSONPatch []JSONPatchOperation `json:"jsonPatch,omitempty"`
}

// JSONPatchOp is the operation of a JSON Patch.
// +kubebuilder:validation:Enum=add;remove;replace;move;copy;test
type JSONPatchOp string

// JSONPatchOperation is one operation of a JSON Patch, as defined by RFC 6902.
type JSONPatchOperation struct {
	// op is add, remove, replace, move, copy or test.
	// +required
	Op JSONPatchOp `json:"op,omitempty"`

	// path is a JSON Pointer (RFC 6901) within the template's spec.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path,omitempty"`

	// from is the JSON Pointer from which move and copy take the value.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	From *string `json:"from,omitempty"`

	// value for add, replace and test: any JSON, written as YAML.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Value *runtime.RawExtension `json:"value,omitempty"`
}

// Combination lists choices of some dimensions.
type Combination struct {
	// choices by dimension name.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=8
	Choices map[string]string `json:"choices,omitempty"`
}
