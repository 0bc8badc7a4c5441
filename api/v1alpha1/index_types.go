package v1alpha1

// IndexProperty is a property of an index as a whole.
// +kubebuilder:validation:Enum=Unique;Sparse
type IndexProperty string

// The properties that an index may have.
const (
	IndexUnique IndexProperty = "Unique"
	IndexSparse IndexProperty = "Sparse"
)

// IndexKeyType is the kind of order of an index key.
// +kubebuilder:validation:Enum=Ascending;Descending;Hashed
type IndexKeyType string

// The kinds of order of an index key.
const (
	IndexKeyAscending  IndexKeyType = "Ascending"
	IndexKeyDescending IndexKeyType = "Descending"
	IndexKeyHashed     IndexKeyType = "Hashed"
)

// Index declares one index.
//
// +kubebuilder:validation:XValidation:rule="!has(self.expireAfterSeconds) || self.keys.size() == 1",message="expireAfterSeconds needs an index on one field",fieldPath=".expireAfterSeconds"
// +kubebuilder:validation:XValidation:rule="!(has(self.properties) && 'Unique' in self.properties) || self.keys.all(k, !has(k.type) || k.type != 'Hashed')",message="an index with a Hashed key cannot be Unique",fieldPath=".properties"
type Index struct {
	// name of the index. Unset: the name that the server would choose, for example "a_1_b_-1".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Name *string `json:"name,omitempty"`

	// keys in order, at least one. A field called "$**" or ending in ".$**" makes a wildcard index.
	// +required
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Keys []IndexKey `json:"keys,omitempty"`

	// properties of the index: Unique, Sparse. Unset: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2
	Properties []IndexProperty `json:"properties,omitempty"`

	// expireAfterSeconds makes a TTL index. Limits 0 to 2147483647. Unset: documents do not expire.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`
}

// IndexKey is one key of an index.
type IndexKey struct {
	// field to index.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`

	// type of the key: Ascending, Descending or Hashed. Default Ascending.
	// +optional
	Type *IndexKeyType `json:"type,omitempty"`
}
