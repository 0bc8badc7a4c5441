package v1alpha1

// IndexProperty is a property of an index as a whole.
// +kubebuilder:validation:Enum=Unique;Sparse;Hidden
type IndexProperty string

const (
	// IndexUnique refuses a second document with the same keys.
	IndexUnique IndexProperty = "Unique"
	// IndexSparse leaves out documents without the keys.
	IndexSparse IndexProperty = "Sparse"
	// IndexHidden is kept up to date, and used by no query (since 4.4).
	IndexHidden IndexProperty = "Hidden"
)

// IndexKeyType is the kind of order of an index key.
// +kubebuilder:validation:Enum=Ascending;Descending;Hashed;Text;Sphere2D;Plane2D
type IndexKeyType string

const (
	// IndexKeyAscending is 1.
	IndexKeyAscending IndexKeyType = "Ascending"
	// IndexKeyDescending is -1.
	IndexKeyDescending IndexKeyType = "Descending"
	// IndexKeyHashed is the order of the values' hashes.
	IndexKeyHashed IndexKeyType = "Hashed"
	// IndexKeyText finds words of texts.
	IndexKeyText IndexKeyType = "Text"
	// IndexKeySphere2D finds places on the Earth, as GeoJSON or a pair of degrees (2dsphere).
	IndexKeySphere2D IndexKeyType = "Sphere2D"
	// IndexKeyPlane2D finds points of a plane, whose coordinates are from -180 to 180 (2d).
	IndexKeyPlane2D IndexKeyType = "Plane2D"
)

// Index declares one index.
//
// +kubebuilder:validation:XValidation:rule="!has(self.expireAfterSeconds) || self.keys.size() == 1",message="expireAfterSeconds needs an index on one field",fieldPath=".expireAfterSeconds"
// +kubebuilder:validation:XValidation:rule="!(has(self.properties) && 'Unique' in self.properties) || self.keys.all(k, !has(k.type) || k.type != 'Hashed')",message="an index with a Hashed key cannot be Unique",fieldPath=".properties"
// +kubebuilder:validation:XValidation:rule="!has(self.text) || self.keys.exists(k, has(k.type) && k.type == 'Text')",message="text is for an index with a key of type Text",fieldPath=".text"
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

	// properties of the index: Unique, Sparse, Hidden. Unset: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Properties []IndexProperty `json:"properties,omitempty"`

	// expireAfterSeconds makes a TTL index. Limits 0 to 2147483647. Unset: documents do not expire.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`

	// partialFilter leaves out the documents that do not match it (since 3.2); at most 8192 characters.
	// +optional
	PartialFilter Document `json:"partialFilter,omitempty"`

	// wildcardProjection says which fields an index on "$**" is of, as {name: 1} or {name: 0} (since 4.2); at most 8192
	// characters.
	// +optional
	WildcardProjection Document `json:"wildcardProjection,omitempty"`

	// collation is how the index's texts are compared (since 3.4). Only queries with the same use it. Unset: as the
	// collection says.
	// +optional
	Collation *Collation `json:"collation,omitempty"`

	// text are the settings of an index with a Text key.
	// +optional
	Text *TextIndex `json:"text,omitempty"`
}

// TextIndex are the settings of a text index.
type TextIndex struct {
	// defaultLanguage is the language of the texts, as "english", whose endings and stop words are left out, or "none".
	// Unset: the server's default, english.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	DefaultLanguage *string `json:"defaultLanguage,omitempty"`

	// weights say how much a word counts that is found in a field. Those of other fields are 1.
	// +optional
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Weights []TextWeight `json:"weights,omitempty"`
}

// TextWeight is how much a word of a field counts.
type TextWeight struct {
	// field of the index.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`

	// weight of a word of it. Limits 1 to 99999.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=99999
	Weight int32 `json:"weight,omitempty"`
}

// IndexKey is one key of an index.
type IndexKey struct {
	// field to index.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`

	// type of the key: Ascending, Descending, Hashed, Text, Sphere2D or Plane2D. Default Ascending.
	// +optional
	Type *IndexKeyType `json:"type,omitempty"`
}

// SearchIndexType is what a search index is for.
// +kubebuilder:validation:Enum=Search;VectorSearch
type SearchIndexType string

const (
	// SearchIndexText is for $search: words, and all else that Lucene finds.
	SearchIndexText SearchIndexType = "Search"
	// SearchIndexVector is for $vectorSearch: nearest neighbours.
	SearchIndexVector SearchIndexType = "VectorSearch"
)

// SearchIndex declares an index of MongoDB Search, which a process beside the servers keeps (mongot, in MongoDB Atlas
// and in deployments that have it). The operator deploys none: the target must be an existing one that does.
type SearchIndex struct {
	// name of the index, which $search and $vectorSearch name; the one of a $search that names none is "default".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Name string `json:"name,omitempty"`

	// type of the index: Search or VectorSearch. Default Search.
	// +optional
	Type SearchIndexType `json:"type,omitempty"`

	// definition as createSearchIndexes takes it: an object, or a string of Extended JSON, such as
	// {mappings: {dynamic: true}}. At most 8192 characters.
	// +required
	Definition Document `json:"definition,omitempty"`
}
