package v1alpha1

// Dataset declares what to load before measuring. Every document is a pure function of the run's seed, the collection's
// name and the document's record number, so the same specification gives the same bytes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.existing) || !has(self.load)",message="load is for documents that a run loads; of an existing dataset none are",fieldPath=".load"
type Dataset struct {
	// database is the name of the database. Default "mongobench".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_-]+$`
	// +kubebuilder:validation:XValidation:rule="!(self in ['admin', 'local', 'config'])",message="database must not be one of MongoDB's own: admin, local, config"
	Database *string `json:"database,omitempty"`

	// existing measures collections that are there already, as they are: nothing is dropped, loaded or cleaned up. Unset:
	// the run loads them.
	// +optional
	Existing *ExistingDataset `json:"existing,omitempty"`

	// files that values and documents are taken from, by their names. At most 16.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Files []DataFile `json:"files,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// collections of the database, at least one. The only one is the default for the workload's operations. Each is
	// recreated, unless existing is set: an existing collection of the same name is dropped first.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Collections []Collection `json:"collections,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// load says how documents are written.
	// +optional
	Load *Load `json:"load,omitempty"`
}

// IndexTiming says when indexes are built.
// +kubebuilder:validation:Enum=BeforeLoad;AfterLoad
type IndexTiming string

const (
	// IndexesBeforeLoad updates the indexes with every loaded document.
	IndexesBeforeLoad IndexTiming = "BeforeLoad"
	// IndexesAfterLoad builds the indexes once all documents are loaded, which is faster.
	IndexesAfterLoad IndexTiming = "AfterLoad"
)

// Verification says how loaded documents are checked.
// +kubebuilder:validation:Enum=Count;Sample;All
type Verification string

const (
	// VerifyCount compares the number of documents.
	VerifyCount Verification = "Count"
	// VerifySample also reads a sample of each collection and compares it byte by byte.
	VerifySample Verification = "Sample"
	// VerifyAll also reads every document and compares it byte by byte.
	VerifyAll Verification = "All"
)

// Load says how documents are written.
type Load struct {
	// threads is the number of threads over all load pods. Default 4, limits 1 to 1024.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Threads *int32 `json:"threads,omitempty"`

	// batchDocuments is the number of documents per insert command. Default 1000, limits 1 to 100000, the most that mongod
	// accepts (maxWriteBatchSize).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	BatchDocuments *int32 `json:"batchDocuments,omitempty"`

	// order of the inserts of a batch: Unordered or Ordered. Default Unordered, which lets the server write them
	// concurrently.
	// +optional
	Order *WriteOrder `json:"order,omitempty"`

	// indexes are built BeforeLoad or AfterLoad. Default BeforeLoad.
	// +optional
	Indexes *IndexTiming `json:"indexes,omitempty"`

	// verify says how documents are checked after loading: Count, Sample or All. Default Count.
	// +optional
	Verify *Verification `json:"verify,omitempty"`

	// reuse says whether to load a dataset that is already in the target again: IfClean or Never. Default IfClean.
	// +optional
	Reuse *Reuse `json:"reuse,omitempty"`
}

// Collection declares one collection: its documents, indexes and options.
//
// +kubebuilder:validation:XValidation:rule="!has(self.documents) || !(has(self.view) || has(self.fields))",message="documents of a file have fields of their own, and a view has none: leave view and fields out",fieldPath=".documents"
// +kubebuilder:validation:XValidation:rule="!has(self.copies) || !(has(self.view) || has(self.sharding))",message="copies are neither views nor sharded",fieldPath=".copies"
// +kubebuilder:validation:XValidation:rule="!has(self.view) || !(has(self.documentCount) || has(self.fields) || has(self.indexes) || has(self.searchIndexes) || has(self.sharding) || has(self.options))",message="a view has no documentCount, fields, indexes, sharding or options of its own: these are its source's",fieldPath=".view"
type Collection struct {
	// name of the collection.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_.-]*$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('system.')",message="name must not start with system."
	Name string `json:"name,omitempty"`

	// documentCount is the number of documents to load. Default 0: the collection starts empty. In an existing dataset it
	// says that documents as fields make them are there, so many from record number 0 on; unset, nothing is known of the
	// documents and parameters of type Key draw from a sample of them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000000000
	DocumentCount *int64 `json:"documentCount,omitempty"`

	// copies makes so many collections like this one, called NAME_0, NAME_1 and so on, as for the tenants of an
	// application. documentCount is of all of them together: each has as many documents as any other, in the order of
	// their record numbers. An operation is sent to the collection of the document that it draws, or else to any. Limits 2
	// to 100000. Unset: there is one, of its own name.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100000
	Copies *int32 `json:"copies,omitempty"`

	// documents has the collection loaded with the documents of a file, documentCount of them, and no fields. Unset: they
	// are made of fields.
	// +optional
	Documents *DocumentsFromFile `json:"documents,omitempty"`

	// fields of each document, in order, at most 64. A name with dots, such as "address.city", makes nested documents. A
	// field called _id comes first; without one, _id is an ObjectID.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Fields []Field `json:"fields,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// indexes in addition to the one on _id, built before or after the load as load.indexes says.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=63
	Indexes []Index `json:"indexes,omitempty"`

	// searchIndexes are made after the load, and the run waits until all can be asked. Unset: none.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	SearchIndexes []SearchIndex `json:"searchIndexes,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// sharding says how documents are distributed over the shards of a sharded target. Unset: the collection is on one
	// shard; with router Client it is distributed by the hash of _id.
	// +optional
	Sharding *Sharding `json:"sharding,omitempty"`

	// options for creating the collection.
	// +optional
	Options *CollectionOptions `json:"options,omitempty"`

	// view makes it a view on another collection of the dataset: it holds no documents and can only be read. A
	// {$key: ...} draws a document of the source.
	// +optional
	View *View `json:"view,omitempty"`
}

// Compressor is a block compressor of WiredTiger: None, Snappy, Zlib or Zstd. One that the operator does not know is
// not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type Compressor string

// The block compressors of WiredTiger.
const (
	CompressorNone   Compressor = "None"
	CompressorSnappy Compressor = "Snappy"
	CompressorZlib   Compressor = "Zlib"
	CompressorZstd   Compressor = "Zstd"
)

// Field declares one field of a document.
//
// +kubebuilder:validation:XValidation:rule="self.type == 'Document' ? has(self.document) : !has(self.document)",message="document is required with type Document and forbidden with any other",fieldPath=".document"
// +kubebuilder:validation:XValidation:rule="self.type == 'Array' ? has(self.array) : !has(self.array)",message="array is required with type Array and forbidden with any other",fieldPath=".array"
type Field struct {
	// name of the field. Dots make nested documents, and brackets with a number of elements, or the fewest and the most,
	// arrays of whatever follows: lines[1-5].sku, cells[3][3]. Each array has its brackets filled once, and empty in the
	// names of its other fields: lines[].price.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^$.][^.]*(\.[^$.][^.]*)*$`
	Name string `json:"name,omitempty"`

	// presencePercent is the share of the documents that have the field; the others are without it. Default 100, limits 1
	// to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	PresencePercent *int32 `json:"presencePercent,omitempty"`

	Generator `json:",inline"`

	// document generates a nested document. Required with type Document.
	// +optional
	Document *DocumentGenerator `json:"document,omitempty"`

	// array generates an array. Required with type Array.
	// +optional
	Array *ArrayGenerator `json:"array,omitempty"`
}

// LeafField declares one field of a nested document.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Document' && self.type != 'Array'",message="a document in a document or array is declared by a name with dots, and an array by one with brackets: sizes[1-3]",fieldPath=".type"
type LeafField struct {
	// name of the field. Dots make nested documents, and brackets arrays, as in the names of fields.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^$.][^.]*(\.[^$.][^.]*)*$`
	Name string `json:"name,omitempty"`

	// presencePercent is the share of the documents that have the field; the others are without it. Default 100, limits 1
	// to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	PresencePercent *int32 `json:"presencePercent,omitempty"`

	Generator `json:",inline"`
}

// DocumentGenerator generates a nested document.
type DocumentGenerator struct {
	// fields of the nested document, in order. At least 1, at most 16.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Fields []LeafField `json:"fields,omitempty" patchMergeKey:"name" patchStrategy:"merge"`
}

// ArrayGenerator generates an array of elements of one kind, with a length uniformly distributed between minItems and
// maxItems.
//
// +kubebuilder:validation:XValidation:rule="(has(self.minItems) ? self.minItems : 0) <= self.maxItems",message="minItems must be no more than maxItems",fieldPath=".minItems"
type ArrayGenerator struct {
	// minItems is the minimum number of elements. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	MinItems *int32 `json:"minItems,omitempty"`

	// maxItems is the maximum number of elements. Limits 1 to 10000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MaxItems int32 `json:"maxItems,omitempty"`

	// element generates each element.
	// +required
	Element Element `json:"element,omitzero"`
}

// Element generates one element of an array.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Array'",message="an array of arrays is declared by a name with brackets: cells[3][3]",fieldPath=".type"
// +kubebuilder:validation:XValidation:rule="self.type == 'Document' ? has(self.document) : !has(self.document)",message="document is required with type Document and forbidden with any other",fieldPath=".document"
type Element struct {
	Generator `json:",inline"`

	// document generates a nested document. Required with type Document.
	// +optional
	Document *DocumentGenerator `json:"document,omitempty"`
}

// WriteOrder says what happens to the rest of a batch after an error.
// +kubebuilder:validation:Enum=Ordered;Unordered
type WriteOrder string

const (
	// WriteOrdered executes writes one after another and stops at the first error.
	WriteOrdered WriteOrder = "Ordered"
	// WriteUnordered continues after an error.
	WriteUnordered WriteOrder = "Unordered"
)
