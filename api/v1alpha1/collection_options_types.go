package v1alpha1

// CollectionOptions are the options for creating a collection. What a server is too old for is refused.
//
// +kubebuilder:validation:XValidation:rule="[has(self.capped), has(self.clustered), has(self.timeSeries)].filter(is, is).size() <= 1",message="at most one of capped, clustered and timeSeries may be set"
// +kubebuilder:validation:XValidation:rule="!has(self.timeSeries) || !has(self.validator)",message="a time-series collection has no validator",fieldPath=".validator"
// +kubebuilder:validation:XValidation:rule="!has(self.timeSeries) || !has(self.changeStreamPreAndPostImages)",message="a time-series collection has no changeStreamPreAndPostImages",fieldPath=".changeStreamPreAndPostImages"
type CollectionOptions struct {
	// capped makes a capped collection.
	// +optional
	Capped *CappedOptions `json:"capped,omitempty"`

	// clustered makes a collection whose documents are kept in the order of _id, without an index on _id (since 5.3).
	// +optional
	Clustered *ClusteredOptions `json:"clustered,omitempty"`

	// timeSeries makes a time-series collection (since 5.0): the server keeps documents of one series, and of nearby
	// times, together in buckets. Its _id is not unique, it is not sharded, and it can be written to by InsertOne,
	// InsertMany, UpdateMany and DeleteMany.
	// +optional
	TimeSeries *TimeSeriesOptions `json:"timeSeries,omitempty"`

	// collation is how the collection's texts are compared unless an operation or an index says otherwise (since 3.4).
	// Unset: by their bytes.
	// +optional
	Collation *Collation `json:"collation,omitempty"`

	// validator is what documents have to be (since 3.2). The loaded ones, too.
	// +optional
	Validator *Validator `json:"validator,omitempty"`

	// changeStreamPreAndPostImages keeps what documents were before and after a change, for change streams that ask for
	// it (since 6.0): Enabled or Disabled. Default Disabled.
	// +optional
	ChangeStreamPreAndPostImages *Switch `json:"changeStreamPreAndPostImages,omitempty"`

	// compressor of the collection's blocks. Unset: the server's default, snappy.
	// +optional
	Compressor *Compressor `json:"compressor,omitempty"`
}

// CappedOptions are the limits of a capped collection.
type CappedOptions struct {
	// sizeBytes is the size beyond which old documents are overwritten. At least 4096.
	// +required
	// +kubebuilder:validation:Minimum=4096
	SizeBytes int64 `json:"sizeBytes,omitempty"`

	// maxDocuments is the number of documents beyond which old ones are overwritten. Unset: no such limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	MaxDocuments *int64 `json:"maxDocuments,omitempty"`
}

// ClusteredOptions are those of a clustered collection.
type ClusteredOptions struct {
	// expireAfterSeconds removes documents whose _id is a Date so long ago. Limits 0 to 2147483647. Unset: documents do
	// not expire.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`
}

// Granularity says how far apart the documents of one series are in time.
// +kubebuilder:validation:Enum=Seconds;Minutes;Hours
type Granularity string

// The granularities. A bucket holds an hour, a day or 30 days at most.
const (
	GranularitySeconds Granularity = "Seconds"
	GranularityMinutes Granularity = "Minutes"
	GranularityHours   Granularity = "Hours"
)

// TimeSeriesOptions are those of a time-series collection.
//
// +kubebuilder:validation:XValidation:rule="!has(self.granularity) || !has(self.bucketMaxSpanSeconds)",message="bucketMaxSpanSeconds is in place of granularity",fieldPath=".bucketMaxSpanSeconds"
type TimeSeriesOptions struct {
	// timeField is the field, of type Date, that is the time of a document.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	TimeField string `json:"timeField,omitempty"`

	// metaField is the field that says which series a document is of, such as a sensor's. Unset: all are of one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	MetaField *string `json:"metaField,omitempty"`

	// granularity is Seconds, Minutes or Hours: about how far apart the documents of a series are. Unset, and without
	// bucketMaxSpanSeconds: the server's default, Seconds.
	// +optional
	Granularity *Granularity `json:"granularity,omitempty"`

	// bucketMaxSpanSeconds is the longest time that a bucket holds (since 6.3). The server's bucketRoundingSeconds, which
	// has to be equal, is set with it. Limits 1 to 31536000. Unset: as granularity says.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	BucketMaxSpanSeconds *int32 `json:"bucketMaxSpanSeconds,omitempty"`

	// expireAfterSeconds removes documents whose time is so long ago. Limits 0 to 2147483647. Unset: documents do not
	// expire.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`
}

// ValidationLevel says which writes are validated.
// +kubebuilder:validation:Enum=Strict;Moderate
type ValidationLevel string

const (
	// ValidationStrict is all inserts and updates.
	ValidationStrict ValidationLevel = "Strict"
	// ValidationModerate leaves updates alone of documents that were not valid before.
	ValidationModerate ValidationLevel = "Moderate"
)

// ValidationAction says what becomes of a document that is not valid.
// +kubebuilder:validation:Enum=Error;Warn
type ValidationAction string

const (
	// ValidationError refuses it.
	ValidationError ValidationAction = "Error"
	// ValidationWarn takes it, and writes a line to the server's log.
	ValidationWarn ValidationAction = "Warn"
)

// Validator is what the documents of a collection have to be.
type Validator struct {
	// filter that every document has to match, such as {$jsonSchema: {...}}; at most 8192 characters.
	// +required
	Filter Document `json:"filter,omitempty"`

	// level is Strict or Moderate. Default Strict.
	// +optional
	Level *ValidationLevel `json:"level,omitempty"`

	// action is Error or Warn. Default Error.
	// +optional
	Action *ValidationAction `json:"action,omitempty"`
}

// View makes a collection a view: what a pipeline makes of another collection whenever it is read.
type View struct {
	// source is the collection of the dataset, or the view, that the view is on.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Source string `json:"source,omitempty"`

	// pipeline of aggregation stages that the view is made by; at most 16384 characters. Default []: the source as it is.
	// +optional
	Pipeline Document `json:"pipeline,omitempty"`
}
