package v1alpha1

// Workload declares what is asked of the target once the data is loaded.
type Workload struct {
	// steps are run one after the other; each is measured by itself.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Steps []Step `json:"steps,omitempty"`
}

// Step declares one measurement: a mix of operations, kept up for a time or a number of operations by workers that each
// send the next operation when the last was answered (closed loop).
//
// +kubebuilder:validation:XValidation:rule="has(self.durationSeconds) != has(self.operationCount)",message="exactly one of durationSeconds and operationCount must be set",fieldPath=".durationSeconds"
type Step struct {
	// name of the step, unique in the workload.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`

	// durationSeconds is how long the step is measured, after its warm-up. Limits 1 to 604800. Exactly one of
	// durationSeconds and operationCount must be set.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	DurationSeconds *int32 `json:"durationSeconds,omitempty"`

	// operationCount is how many operations are measured, over all load pods, after the warm-up.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000000000
	OperationCount *int64 `json:"operationCount,omitempty"`

	// warmupSeconds is how long the same operations run before they are counted. Default 0, limit 86400.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	WarmupSeconds *int32 `json:"warmupSeconds,omitempty"`

	// threads is the number of workers over all load pods, at least one a pod. Default 1, limits 1 to 4096.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Threads *int32 `json:"threads,omitempty"`

	// operations of the mix, at least one.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Operations []Operation `json:"operations,omitempty"`
}

// OperationKind is a kind of request.
// +kubebuilder:validation:Enum=InsertOne;InsertMany;FindOne;Find;UpdateOne;ReplaceOne;DeleteOne;ReadModifyWrite;Aggregate;CountDocuments;RunCommand;UpdateMany;DeleteMany;FindOneAndUpdate;BulkWrite;Transaction;ChangeStream;Tail
type OperationKind string

const (
	// OperationInsertOne inserts one new document of the dataset.
	OperationInsertOne OperationKind = "InsertOne"
	// OperationInsertMany inserts batchDocuments new documents with one command.
	OperationInsertMany OperationKind = "InsertMany"
	// OperationFindOne reads at most one document.
	OperationFindOne OperationKind = "FindOne"
	// OperationFind reads documents through a cursor.
	OperationFind OperationKind = "Find"
	// OperationUpdateOne changes one document by update operators.
	OperationUpdateOne OperationKind = "UpdateOne"
	// OperationReplaceOne replaces one document by a new version of it.
	OperationReplaceOne OperationKind = "ReplaceOne"
	// OperationDeleteOne deletes one document.
	OperationDeleteOne OperationKind = "DeleteOne"
	// OperationReadModifyWrite reads one document, then updates it; both requests are one operation, as in YCSB.
	OperationReadModifyWrite OperationKind = "ReadModifyWrite"
	// OperationAggregate runs a pipeline.
	OperationAggregate OperationKind = "Aggregate"
	// OperationCountDocuments counts the documents that match.
	OperationCountDocuments OperationKind = "CountDocuments"
	// OperationRunCommand runs a database command.
	OperationRunCommand OperationKind = "RunCommand"
	// OperationUpdateMany changes all documents that match by update operators.
	OperationUpdateMany OperationKind = "UpdateMany"
	// OperationDeleteMany deletes all documents that match.
	OperationDeleteMany OperationKind = "DeleteMany"
	// OperationFindOneAndUpdate changes one document and returns it as it was before.
	OperationFindOneAndUpdate OperationKind = "FindOneAndUpdate"
	// OperationBulkWrite sends several writes together.
	OperationBulkWrite OperationKind = "BulkWrite"
	// OperationTransaction does several operations in one multi-document transaction.
	OperationTransaction OperationKind = "Transaction"
	// OperationChangeStream waits for the next event of a change stream.
	OperationChangeStream OperationKind = "ChangeStream"
	// OperationTail waits for the next document of a capped collection.
	OperationTail OperationKind = "Tail"
)

// Fetch says how much of a cursor is read.
// +kubebuilder:validation:Enum=All;FirstBatch
type Fetch string

const (
	// FetchAll reads the cursor to its end.
	FetchAll Fetch = "All"
	// FetchFirstBatch reads what the first reply holds and closes the cursor.
	FetchFirstBatch Fetch = "FirstBatch"
)

// SortDirection is the order of one sort key.
// +kubebuilder:validation:Enum=Ascending;Descending
type SortDirection string

// The orders that a sort key may have.
const (
	SortAscending  SortDirection = "Ascending"
	SortDescending SortDirection = "Descending"
)

// Operation declares one kind of request of a mix.
//
// Documents and pipelines are written in MongoDB Extended JSON, as strings, because the order of their keys matters.
// Wherever a value stands, {"$param": "name"} stands for the value of that parameter.
//
// +kubebuilder:validation:XValidation:rule="!has(self.filter) || self.kind in ['FindOne', 'Find', 'UpdateOne', 'ReplaceOne', 'DeleteOne', 'ReadModifyWrite', 'CountDocuments']",message="filter does not apply to this kind of operation",fieldPath=".filter"
// +kubebuilder:validation:XValidation:rule="!has(self.projection) || self.kind in ['FindOne', 'Find', 'ReadModifyWrite']",message="projection applies only to FindOne, Find and ReadModifyWrite",fieldPath=".projection"
// +kubebuilder:validation:XValidation:rule="!has(self.sort) || self.kind in ['FindOne', 'Find']",message="sort applies only to FindOne and Find",fieldPath=".sort"
// +kubebuilder:validation:XValidation:rule="!(has(self.skip) || has(self.limit)) || self.kind in ['Find', 'CountDocuments']",message="skip and limit apply only to Find and CountDocuments",fieldPath=".skip"
// +kubebuilder:validation:XValidation:rule="!(has(self.batchSize) || has(self.fetch)) || self.kind in ['Find', 'Aggregate']",message="batchSize and fetch apply only to Find and Aggregate",fieldPath=".batchSize"
// +kubebuilder:validation:XValidation:rule="self.kind in ['UpdateOne', 'ReadModifyWrite'] ? has(self.update) : !has(self.update)",message="update is required with UpdateOne and ReadModifyWrite, and forbidden with any other kind",fieldPath=".update"
// +kubebuilder:validation:XValidation:rule="self.kind == 'Aggregate' ? has(self.pipeline) : !has(self.pipeline)",message="pipeline is required with Aggregate and forbidden with any other kind",fieldPath=".pipeline"
// +kubebuilder:validation:XValidation:rule="self.kind == 'RunCommand' ? has(self.command) : !has(self.command)",message="command is required with RunCommand and forbidden with any other kind",fieldPath=".command"
// +kubebuilder:validation:XValidation:rule="self.kind == 'InsertMany' || !has(self.batchDocuments)",message="batchDocuments applies only to InsertMany",fieldPath=".batchDocuments"
// +kubebuilder:validation:XValidation:rule="!has(self.replaceKey) || self.kind == 'ReplaceOne'",message="replaceKey applies only to ReplaceOne",fieldPath=".replaceKey"
type Operation struct {
	// name of the operation in the results, unique in its step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`

	// kind of request.
	// +required
	Kind OperationKind `json:"kind,omitempty"`

	// weight of this operation in the mix. Default 1, limits 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`

	// collection of the dataset that the operation works on. Unset: the first one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Collection *string `json:"collection,omitempty"`

	// parameters are drawn anew for every operation, and used in the documents below.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty"`

	// filter selects documents. Unset: all documents; for UpdateOne, ReplaceOne, DeleteOne and ReadModifyWrite it is
	// required, except that a ReplaceOne without one selects the document of replaceKey by its _id.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8192
	Filter *string `json:"filter,omitempty"`

	// projection of the documents that are read. Unset: whole documents.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8192
	Projection *string `json:"projection,omitempty"`

	// sort order of the documents that are read. Unset: none.
	// +optional
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MaxItems=32
	Sort []SortKey `json:"sort,omitempty"`

	// skip this many documents. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Skip *int64 `json:"skip,omitempty"`

	// limit the number of documents. Default 0: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Limit *int64 `json:"limit,omitempty"`

	// batchSize is the number of documents in a reply. Unset: the server's default, 101 in the first reply.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	BatchSize *int32 `json:"batchSize,omitempty"`

	// fetch says how much of the cursor is read: All or FirstBatch. Default All.
	// +optional
	Fetch *Fetch `json:"fetch,omitempty"`

	// update of the selected document: an object of update operators, or an array of stages.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8192
	Update *string `json:"update,omitempty"`

	// replaceKey names the parameter, of type Key, whose record the replacement is made for. Unset: the first parameter
	// of type Key. The new version has the same _id and other values.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ReplaceKey *string `json:"replaceKey,omitempty"`

	// batchDocuments is the number of documents of an InsertMany. Default 100, limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	BatchDocuments *int32 `json:"batchDocuments,omitempty"`

	// pipeline of an Aggregate, an array of stages.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=16384
	Pipeline *string `json:"pipeline,omitempty"`

	// command of a RunCommand; its first key is the command's name.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8192
	Command *string `json:"command,omitempty"`
}

// SortKey is one key of a sort order.
type SortKey struct {
	// field to sort by.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`

	// direction of the order. Default Ascending.
	// +optional
	Direction *SortDirection `json:"direction,omitempty"`
}

// ParameterType is the kind of value that a parameter takes.
// +kubebuilder:validation:Enum=Key;ObjectID;Int;Long;Double;Bool;Date;String;Binary;UUID;Choice
type ParameterType string

// ParameterKey is the type of a parameter that is a value of a document that was loaded; every other type is the
// GeneratorType of the same name.
const ParameterKey ParameterType = "Key"

// Parameter declares a value that is drawn anew for every operation. Only the settings of its type may be set.
//
// +kubebuilder:validation:XValidation:rule="!has(self.key) || self.type == 'Key'",message="key may be set only with type Key",fieldPath=".key"
// +kubebuilder:validation:XValidation:rule="!has(self.integer) || self.type in ['Int', 'Long']",message="integer may be set only with type Int or Long",fieldPath=".integer"
// +kubebuilder:validation:XValidation:rule="!has(self.double) || self.type == 'Double'",message="double may be set only with type Double",fieldPath=".double"
// +kubebuilder:validation:XValidation:rule="!has(self.bool) || self.type == 'Bool'",message="bool may be set only with type Bool",fieldPath=".bool"
// +kubebuilder:validation:XValidation:rule="!has(self.date) || self.type == 'Date'",message="date may be set only with type Date",fieldPath=".date"
// +kubebuilder:validation:XValidation:rule="!has(self.bytes) || self.type in ['String', 'Binary']",message="bytes may be set only with type String or Binary",fieldPath=".bytes"
// +kubebuilder:validation:XValidation:rule="self.type == 'Choice' ? has(self.choice) : !has(self.choice)",message="choice is required with type Choice and forbidden with any other",fieldPath=".choice"
type Parameter struct {
	// name that {"$param": "name"} refers to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	Name string `json:"name,omitempty"`

	// type of the value: Key, which draws a loaded document and takes one of its values, or a kind of fresh value.
	// +required
	Type ParameterType `json:"type,omitempty"`

	// distribution that is drawn from: with Key over the record numbers of the loaded documents. Only for Key, Int, Long,
	// Double, Date, String and Binary. Unset: Uniform.
	// +optional
	Distribution *Distribution `json:"distribution,omitempty"`

	// key holds the settings of type Key.
	// +optional
	Key *KeySettings `json:"key,omitempty"`

	// integer holds the settings of types Int and Long.
	// +optional
	Integer *IntegerSettings `json:"integer,omitempty"`

	// double holds the settings of type Double.
	// +optional
	Double *DoubleSettings `json:"double,omitempty"`

	// bool holds the settings of type Bool.
	// +optional
	Bool *BoolSettings `json:"bool,omitempty"`

	// date holds the settings of type Date.
	// +optional
	Date *DateSettings `json:"date,omitempty"`

	// bytes holds the settings of types String and Binary.
	// +optional
	Bytes *BytesSettings `json:"bytes,omitempty"`

	// choice holds the settings of type Choice, and is required with it.
	// +optional
	Choice *ChoiceSettings `json:"choice,omitempty"`
}

// KeySettings are the settings of a parameter of type Key.
type KeySettings struct {
	// field of the drawn document whose value the parameter takes, top-level and of a scalar type. Default "_id".
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field *string `json:"field,omitempty"`

	// rangePercent limits the draw to the first share of the record numbers, a hot range. Default 100, limits 1 to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	RangePercent *int32 `json:"rangePercent,omitempty"`
}
