package v1alpha1

// Version of the plan's format; a load generator refuses any other.
const Version = "plan.mongobench.dev/v1alpha1"

// Plan is a whole run as the load generator sees it: the dataset, and the steps in their order.
type Plan struct {
	// Version is the constant of the same name.
	Version string `json:"version"`
	// Seed of everything random.
	Seed int64 `json:"seed"`
	// Pods is the number of load pods that share the plan; each knows its index.
	Pods int `json:"pods"`
	// Database that everything happens in.
	Database string `json:"database"`
	// Collections of the dataset. Their order gives the default collection.
	Collections []Collection `json:"collections"`
	// Steps in their order: Prepare, Load, Verify, then one Measure for each step of the workload.
	Steps []Step `json:"steps"`
}

// Collection is one collection of the dataset.
type Collection struct {
	Name          string  `json:"name"`
	DocumentCount int64   `json:"documentCount"`
	Fields        []Field `json:"fields"`
	Indexes       []Index `json:"indexes,omitempty"`
	// CappedBytes and CappedDocuments are 0 for a collection without that limit.
	CappedBytes     int64 `json:"cappedBytes,omitempty"`
	CappedDocuments int64 `json:"cappedDocuments,omitempty"`
	// Compressor is WiredTiger's name (none, snappy, zlib, zstd) or empty for the server's default.
	Compressor string `json:"compressor,omitempty"`
}

// ValueType is the kind of value of a field, element or parameter. The names are those of the run's API.
type ValueType string

// The kinds of values.
const (
	TypeObjectID ValueType = "ObjectID"
	TypeSequence ValueType = "Sequence"
	TypeInt      ValueType = "Int"
	TypeLong     ValueType = "Long"
	TypeDouble   ValueType = "Double"
	TypeBool     ValueType = "Bool"
	TypeDate     ValueType = "Date"
	TypeString   ValueType = "String"
	TypeBinary   ValueType = "Binary"
	TypeUUID     ValueType = "UUID"
	TypeChoice   ValueType = "Choice"
	TypeDocument ValueType = "Document"
	TypeArray    ValueType = "Array"
	// TypeKey is a value of a loaded document, for parameters only.
	TypeKey ValueType = "Key"
)

// Value says how one value is made. Only what its type needs is set.
type Value struct {
	Type ValueType `json:"type"`
	// Seed is added to the plan's seed; values with equal type, settings and seed are equal.
	Seed         uint64       `json:"seed"`
	Distribution Distribution `json:"distribution,omitzero"`

	// Start and Step of a Sequence.
	Start int64 `json:"start,omitempty"`
	Step  int64 `json:"step,omitempty"`
	// Min and Max, both inclusive: of an Int or Long, of a Date in milliseconds since 1970, and of the length in bytes
	// of a String or Binary, and of the number of items of an Array.
	Min int64 `json:"min,omitempty"`
	Max int64 `json:"max,omitempty"`
	// MinDouble (inclusive) and MaxDouble (exclusive) of a Double.
	MinDouble float64 `json:"minDouble,omitempty"`
	MaxDouble float64 `json:"maxDouble,omitempty"`
	// TruePercent of a Bool.
	TruePercent int `json:"truePercent,omitempty"`
	// CompressiblePercent of a String or Binary.
	CompressiblePercent int `json:"compressiblePercent,omitempty"`
	// Choices of a Choice.
	Choices []Choice `json:"choices,omitempty"`
	// Fields of a Document.
	Fields []Field `json:"fields,omitempty"`
	// Element of an Array.
	Element *Value `json:"element,omitempty"`
	// KeyField is the field of the drawn document, and KeyRangePercent the share of the record numbers that is drawn
	// from; both of a Key.
	KeyField        string `json:"keyField,omitempty"`
	KeyRangePercent int    `json:"keyRangePercent,omitempty"`
}

// Field is a value with a name. A name with dots makes nested documents.
type Field struct {
	Name string `json:"name"`
	Value
}

// Choice is one value of a Choice, in Extended JSON.
type Choice struct {
	Value  string `json:"value"`
	Weight int    `json:"weight"`
}

// Distribution says how values of a range are drawn; the zero value is Uniform.
type Distribution struct {
	// Type is Uniform, Zipfian, HotSpot or Sequential; empty means Uniform.
	Type string `json:"type,omitempty"`
	// Theta of a Zipfian, such as 0.99.
	Theta float64 `json:"theta,omitempty"`
	// HotRange and HotDraws of a HotSpot, as shares of 1.
	HotRange float64 `json:"hotRange,omitempty"`
	HotDraws float64 `json:"hotDraws,omitempty"`
}

// Index is one index besides the one on _id.
type Index struct {
	// Name is empty for the name that the server would derive.
	Name   string     `json:"name,omitempty"`
	Keys   []IndexKey `json:"keys"`
	Unique bool       `json:"unique,omitempty"`
	Sparse bool       `json:"sparse,omitempty"`
	// ExpireAfterSeconds is nil for an index that is no TTL index.
	ExpireAfterSeconds *int32 `json:"expireAfterSeconds,omitempty"`
}

// IndexKey is one key of an index; Order is 1, -1 or "hashed" as the server writes it.
type IndexKey struct {
	Field string `json:"field"`
	Order string `json:"order"`
}

// StepKind says what a step of a plan does.
type StepKind string

const (
	// StepPrepare makes the collections and indexes; pod 0 alone does it.
	StepPrepare StepKind = "Prepare"
	// StepLoad writes the documents, each pod its own record numbers.
	StepLoad StepKind = "Load"
	// StepVerify counts the documents; pod 0 alone does it.
	StepVerify StepKind = "Verify"
	// StepMeasure runs a mix of operations.
	StepMeasure StepKind = "Measure"
)

// Step is one step of a plan. No pod begins a step before every pod has ended the one before.
type Step struct {
	Name string   `json:"name"`
	Kind StepKind `json:"kind"`
	// Threads over all pods.
	Threads int `json:"threads,omitempty"`
	// BatchDocuments of a Load.
	BatchDocuments int `json:"batchDocuments,omitempty"`
	// WarmupSeconds, then either DurationSeconds or OperationCount (over all pods) of a Measure.
	WarmupSeconds   int         `json:"warmupSeconds,omitempty"`
	DurationSeconds int         `json:"durationSeconds,omitempty"`
	OperationCount  int64       `json:"operationCount,omitempty"`
	Operations      []Operation `json:"operations,omitempty"`
}

// Operation is one kind of request of a mix. Documents are in Extended JSON, in which {"$param": "name"} stands for the
// value of a parameter.
type Operation struct {
	Name           string      `json:"name"`
	Kind           string      `json:"kind"`
	Weight         int         `json:"weight"`
	Collection     string      `json:"collection"`
	Parameters     []Parameter `json:"parameters,omitempty"`
	Filter         string      `json:"filter,omitempty"`
	Projection     string      `json:"projection,omitempty"`
	Sort           []IndexKey  `json:"sort,omitempty"`
	Skip           int64       `json:"skip,omitempty"`
	Limit          int64       `json:"limit,omitempty"`
	BatchSize      int32       `json:"batchSize,omitempty"`
	FirstBatchOnly bool        `json:"firstBatchOnly,omitempty"`
	Update         string      `json:"update,omitempty"`
	// ReplaceKey is the parameter whose record the replacement of a ReplaceOne is made for.
	ReplaceKey string `json:"replaceKey,omitempty"`
	// BatchDocuments of an InsertMany.
	BatchDocuments int    `json:"batchDocuments,omitempty"`
	Pipeline       string `json:"pipeline,omitempty"`
	Command        string `json:"command,omitempty"`
}

// Parameter is a value with a name, drawn anew for every operation.
type Parameter struct {
	Name string `json:"name"`
	Value
}
