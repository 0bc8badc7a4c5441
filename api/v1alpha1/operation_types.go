package v1alpha1

// OperationKind is a kind of request.
// +kubebuilder:validation:Enum=InsertOne;InsertMany;FindOne;Find;UpdateOne;ReplaceOne;DeleteOne;ReadModifyWrite;Aggregate;CountDocuments;RunCommand;UpdateMany;DeleteMany;FindOneAndUpdate;BulkWrite;Transaction;ChangeStream;Tail;Distinct;FindOneAndDelete;FindOneAndReplace;EstimatedDocumentCount;InsertThenFind;Connect;Flow;InsertThenWatch
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
	// OperationUpdateOne changes one document with update operators.
	OperationUpdateOne OperationKind = "UpdateOne"
	// OperationReplaceOne replaces one document with a new version of it.
	OperationReplaceOne OperationKind = "ReplaceOne"
	// OperationDeleteOne deletes one document.
	OperationDeleteOne OperationKind = "DeleteOne"
	// OperationReadModifyWrite reads one document, then updates it; both requests count as one operation, as in YCSB.
	OperationReadModifyWrite OperationKind = "ReadModifyWrite"
	// OperationAggregate runs a pipeline.
	OperationAggregate OperationKind = "Aggregate"
	// OperationCountDocuments counts the matching documents, by looking for them.
	OperationCountDocuments OperationKind = "CountDocuments"
	// OperationRunCommand runs a database command.
	OperationRunCommand OperationKind = "RunCommand"
	// OperationUpdateMany changes all matching documents with update operators.
	OperationUpdateMany OperationKind = "UpdateMany"
	// OperationDeleteMany deletes all matching documents.
	OperationDeleteMany OperationKind = "DeleteMany"
	// OperationFindOneAndUpdate changes one document and returns its previous version.
	OperationFindOneAndUpdate OperationKind = "FindOneAndUpdate"
	// OperationBulkWrite sends several writes together.
	OperationBulkWrite OperationKind = "BulkWrite"
	// OperationTransaction executes several operations in one multi-document transaction.
	OperationTransaction OperationKind = "Transaction"
	// OperationChangeStream waits for the next event of a change stream.
	OperationChangeStream OperationKind = "ChangeStream"
	// OperationTail waits for the next document of a capped collection.
	OperationTail OperationKind = "Tail"
	// OperationDistinct returns each value that a field has in the documents that match once.
	OperationDistinct OperationKind = "Distinct"
	// OperationFindOneAndDelete deletes one document and returns it.
	OperationFindOneAndDelete OperationKind = "FindOneAndDelete"
	// OperationFindOneAndReplace replaces one document with a new version of it and returns its previous version.
	OperationFindOneAndReplace OperationKind = "FindOneAndReplace"
	// OperationEstimatedDocumentCount asks how many documents the collection has by its own books, and looks for none.
	OperationEstimatedDocumentCount OperationKind = "EstimatedDocumentCount"
	// OperationInsertThenFind inserts one new document of the dataset and reads it by its _id; what it does not see is
	// unexpected.
	OperationInsertThenFind OperationKind = "InsertThenFind"
	// OperationConnect opens a connection of its own and closes it.
	OperationConnect OperationKind = "Connect"
	// OperationFlow carries out the operations that are its parts, of which later ones may depend on the answers to
	// earlier ones.
	OperationFlow OperationKind = "Flow"
	// OperationInsertThenWatch inserts one new document of the dataset and waits until a change stream of the collection
	// brings it: its latency is from the acknowledgement of the insert until then.
	OperationInsertThenWatch OperationKind = "InsertThenWatch"
)

// Fetch says how much of a cursor is read.
// +kubebuilder:validation:Enum=All;FirstBatch;FirstDocument
type Fetch string

const (
	// FetchAll reads the cursor to its end.
	FetchAll Fetch = "All"
	// FetchFirstBatch reads the first reply and closes the cursor.
	FetchFirstBatch Fetch = "FirstBatch"
	// FetchFirstDocument reads one document and closes the cursor.
	FetchFirstDocument Fetch = "FirstDocument"
)

// MissingPolicy says what an update does if no document matches.
// +kubebuilder:validation:Enum=Nothing;Insert
type MissingPolicy string

const (
	// MissingNothing leaves the collection unchanged.
	MissingNothing MissingPolicy = "Nothing"
	// MissingInsert inserts a document (upsert).
	MissingInsert MissingPolicy = "Insert"
)

// SortDirection is the order of one sort key.
// +kubebuilder:validation:Enum=Ascending;Descending
type SortDirection string

// The orders that a sort key may have.
const (
	SortAscending  SortDirection = "Ascending"
	SortDescending SortDirection = "Descending"
)

// Operation declares one kind of operation of a mix.
//
// Documents and pipelines are YAML, with the types of MongoDB Extended JSON as objects such as {$date: ...}. The API
// server sorts the keys of objects: where their order decides, a document is a string of Extended JSON, or a value in
// it is {$json: "..."}, which holds one. In place of any value, {$param: name} stands for the value of that parameter,
// and {$key: field} for that field of a loaded document, of which one is drawn for each operation; as a key,
// "$param:name" stands for the parameter's text.
//
// +kubebuilder:validation:XValidation:rule="has(self.operations) ? self.kind == 'BulkWrite' || self.kind == 'Transaction' : self.kind != 'BulkWrite'",message="operations is required with BulkWrite, may be set with Transaction, and is forbidden with any other kind",fieldPath=".operations"
// +kubebuilder:validation:XValidation:rule="self.kind != 'BulkWrite' || !has(self.operations) || self.operations.all(o, o.kind == 'InsertOne' || o.kind == 'UpdateOne' || o.kind == 'UpdateMany' || o.kind == 'ReplaceOne' || o.kind == 'DeleteOne' || o.kind == 'DeleteMany')",message="a BulkWrite consists of InsertOne, UpdateOne, UpdateMany, ReplaceOne, DeleteOne and DeleteMany",fieldPath=".operations"
// +kubebuilder:validation:XValidation:rule="!has(self.order) || self.kind == 'BulkWrite'",message="order applies only to BulkWrite",fieldPath=".order"
// +kubebuilder:validation:XValidation:rule="!has(self.maxAwaitMillis) || (self.kind == 'ChangeStream' || self.kind == 'Tail')",message="maxAwaitMillis applies only to ChangeStream and Tail",fieldPath=".maxAwaitMillis"
// +kubebuilder:validation:XValidation:rule="!has(self.readConcern) || self.kind in ['FindOne', 'Find', 'Aggregate', 'CountDocuments', 'EstimatedDocumentCount', 'Distinct', 'ReadModifyWrite', 'InsertThenFind', 'Transaction', 'Tail']",message="readConcern applies only to FindOne, Find, Aggregate, CountDocuments, EstimatedDocumentCount, Distinct, ReadModifyWrite, InsertThenFind, Transaction and Tail",fieldPath=".readConcern"
// +kubebuilder:validation:XValidation:rule="!has(self.readConcern) || self.kind != 'Transaction' || self.readConcern in ['Local', 'Majority', 'Snapshot']",message="the readConcern of a Transaction is Local, Majority or Snapshot",fieldPath=".readConcern"
// +kubebuilder:validation:XValidation:rule="!has(self.readConcern) || self.kind != 'Tail' || self.readConcern in ['Local', 'Available', 'Majority']",message="the readConcern of a Tail is Local, Available or Majority",fieldPath=".readConcern"
// +kubebuilder:validation:XValidation:rule="!has(self.readPreference) || self.kind in ['FindOne', 'Find', 'Aggregate', 'CountDocuments', 'EstimatedDocumentCount', 'Distinct', 'ReadModifyWrite', 'InsertThenFind', 'InsertThenWatch', 'ChangeStream', 'Tail']",message="readPreference applies only to FindOne, Find, Aggregate, CountDocuments, EstimatedDocumentCount, Distinct, ReadModifyWrite, InsertThenFind, InsertThenWatch, ChangeStream and Tail",fieldPath=".readPreference"
// +kubebuilder:validation:XValidation:rule="!(has(self.readConcern) && has(self.readPreference)) || self.readConcern != 'Linearizable' || self.readPreference == 'Primary'",message="readConcern Linearizable needs readPreference Primary, which is the default",fieldPath=".readPreference"
// +kubebuilder:validation:XValidation:rule="!has(self.readTags) || has(self.readPreference) && self.readPreference != 'Primary'",message="readTags need a readPreference other than Primary",fieldPath=".readTags"
// +kubebuilder:validation:XValidation:rule="!has(self.writeConcern) || self.kind in ['InsertOne', 'InsertMany', 'UpdateOne', 'UpdateMany', 'ReplaceOne', 'DeleteOne', 'DeleteMany', 'ReadModifyWrite', 'FindOneAndUpdate', 'FindOneAndReplace', 'FindOneAndDelete', 'InsertThenFind', 'InsertThenWatch', 'BulkWrite', 'Transaction']",message="writeConcern applies only to operations that write",fieldPath=".writeConcern"
// +kubebuilder:validation:XValidation:rule="!has(self.writeConcern) || self.writeConcern.w != '0' || !(self.kind == 'Transaction' || self.kind == 'FindOneAndUpdate' || self.kind == 'FindOneAndReplace' || self.kind == 'FindOneAndDelete' || self.kind.startsWith('InsertThen'))",message="a Transaction, FindOneAndUpdate, FindOneAndReplace, FindOneAndDelete, InsertThenFind or InsertThenWatch has to be acknowledged: w cannot be 0",fieldPath=".writeConcern"
// +kubebuilder:validation:XValidation:rule="!has(self.expect) || self.kind in ['FindOne', 'Find', 'UpdateOne', 'ReplaceOne', 'DeleteOne', 'ReadModifyWrite', 'Aggregate', 'UpdateMany', 'DeleteMany', 'FindOneAndUpdate', 'FindOneAndReplace', 'FindOneAndDelete', 'Distinct', 'InsertThenFind']",message="expect applies only to operations that look for documents: FindOne, Find, UpdateOne, ReplaceOne, DeleteOne, ReadModifyWrite, Aggregate, UpdateMany, DeleteMany, FindOneAndUpdate, FindOneAndReplace, FindOneAndDelete, Distinct and InsertThenFind",fieldPath=".expect"
// +kubebuilder:validation:XValidation:rule="has(self.partOf) || !(has(self.when) || has(self.repeat) || has(self.captures) || has(self.checks) || has(self.next))",message="when, repeat, captures, checks and next are for the parts of a Flow: partOf must be set",fieldPath=".partOf"
// +kubebuilder:validation:XValidation:rule="!has(self.partOf) || !(has(self.weight) || has(self.thinkTime))",message="a part is sent by its Flow alone: neither weight nor thinkTime may be set",fieldPath=".partOf"
// +kubebuilder:validation:XValidation:rule="!has(self.state) && !has(self.maxRequests) || self.kind == 'Flow'",message="state and maxRequests apply only to Flow",fieldPath=".state"
type Operation struct {
	// name of the operation in the results, unique in its step.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`

	// group of the step whose threads send the operation. Required in a step with groups.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Group string `json:"group,omitempty"`

	// thinkTime is how long a thread of a closed loop pauses after this operation. Unset: as the step or the group says.
	// +optional
	ThinkTime *ThinkTime `json:"thinkTime,omitempty"`

	// weight of this operation in the mix. Default 1, limits 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight int32 `json:"weight,omitempty"`

	// parameters drawn for every operation, for use in the documents below.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Parameters []Parameter `json:"parameters,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// record says which loaded document the {$key: field} of the documents below are fields of. Unset: each as likely as
	// any other. Only with a {$key: field}.
	// +optional
	Record *RecordSettings `json:"record,omitempty"`

	Request `json:",inline"`

	WholeSettings `json:",inline"`

	FlowSettings `json:",inline"`
}

// WholeSettings are the settings that only a whole operation has, not a part of a Transaction or BulkWrite.
type WholeSettings struct {
	// command of a RunCommand; its first key is the command's name. With more than that key it is a string of Extended
	// JSON. At most 8192 characters.
	// +optional
	Command Document `json:"command,omitempty" patchStrategy:"replace"`

	// operations of a Transaction or BulkWrite, in order. They share the outer parameters and count as one operation in
	// the results. A Transaction without them has the operations that name it with partOf.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:XValidation:rule="!((self.kind == 'RunCommand' || self.kind == 'BulkWrite' || self.kind == 'Transaction' || self.kind == 'ChangeStream' || self.kind == 'Tail' || self.kind == 'EstimatedDocumentCount' || self.kind.startsWith('InsertThen') || self.kind == 'Connect' || self.kind == 'Flow'))",message="an operation of this kind cannot be a part of another",fieldPath=".kind"
	Operations []Request `json:"operations,omitempty"`

	// order of a BulkWrite: Ordered or Unordered. Default Ordered, as in MongoDB.
	// +optional
	Order WriteOrder `json:"order,omitempty"`

	// maxAwaitMillis is how long the server may wait for news in a ChangeStream or Tail; a wait without news is an
	// operation without documents or latency. Default 1000, limits 1 to 60000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60000
	MaxAwaitMillis int32 `json:"maxAwaitMillis,omitempty"`

	// connectUntil says how far a Connect goes before it closes its connection: TCP, TLS, Hello or Ready. Default Ready.
	// +optional
	ConnectUntil ConnectStage `json:"connectUntil,omitempty"`

	// readConcern says what a read may return: Local, Available, Majority, Linearizable or Snapshot. Unset: taken from the
	// connection string, or else the server's default.
	// +optional
	ReadConcern ReadConcern `json:"readConcern,omitempty"`

	// readPreference says which members to read from: Primary, PrimaryPreferred, Secondary, SecondaryPreferred or Nearest.
	// Unset: taken from the connection string, or else Primary.
	// +optional
	ReadPreference ReadPreference `json:"readPreference,omitempty"`

	// readTags are the tags that a member must have, all of them, to be read from; with PrimaryPreferred that is for
	// secondaries. There is no second choice: if no member has them, operations fail. Needs a readPreference other than
	// Primary. Unset: any member.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	ReadTags []MemberTag `json:"readTags,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// writeConcern says which members must acknowledge a write. Unset: taken from the connection string, or else the
	// server's default.
	// +optional
	WriteConcern *WriteConcern `json:"writeConcern,omitempty"`

	// expect says how many documents each operation comes upon: that it returns, updates or deletes. What does otherwise
	// is counted, and a run with too many of them is not trusted (UnexpectedDocuments). Unset: found Most if every field
	// of the filter is compared with a parameter of type Key, found All of an InsertThenFind, and found Any otherwise.
	// +optional
	Expect *Expectation `json:"expect,omitempty"`

	// recall has the answers of an Aggregate that is approximate, such as a vector search, compared with exact ones once
	// the step is over. Unset: they are not.
	// +optional
	Recall *Recall `json:"recall,omitempty"`
}

// FoundPolicy says how many operations come upon at least one document.
// +kubebuilder:validation:Enum=All;Most;Any;None
type FoundPolicy string

const (
	// FoundAll means all of them.
	FoundAll FoundPolicy = "All"
	// FoundMost means at least 99 in 100.
	FoundMost FoundPolicy = "Most"
	// FoundAny means it is not known how many.
	FoundAny FoundPolicy = "Any"
	// FoundNone means none of them, as of reads of what is not there.
	FoundNone FoundPolicy = "None"
)

// Expectation says how many documents operations come upon.
// +kubebuilder:validation:XValidation:rule="has(self.found) != has(self.documents)",message="exactly one of found and documents must be set",fieldPath=".found"
type Expectation struct {
	// found says how many of the operations come upon at least one document: All, Most (99 in 100), Any (not known) or
	// None.
	// +optional
	Found FoundPolicy `json:"found,omitempty"`

	// documents bounds how many documents every operation comes upon.
	// +optional
	Documents *DocumentBounds `json:"documents,omitempty"`
}

// DocumentBounds are the fewest and the most documents of an operation.
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.max)",message="min or max must be set",fieldPath=".min"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || self.min <= self.max",message="max must not be below min",fieldPath=".max"
type DocumentBounds struct {
	// min is the fewest documents. Unset: 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Min *int64 `json:"min,omitempty"`

	// max is the most documents. Unset: any number.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Max *int64 `json:"max,omitempty"`
}

// Request is what an operation asks of a collection. The kind determines which settings apply.
//
// +kubebuilder:validation:XValidation:rule="!has(self.sort) || self.kind in ['FindOne', 'Find', 'UpdateOne', 'ReplaceOne', 'FindOneAndUpdate', 'FindOneAndReplace', 'FindOneAndDelete']",message="sort applies only to FindOne, Find, UpdateOne, ReplaceOne, FindOneAndUpdate, FindOneAndReplace and FindOneAndDelete",fieldPath=".sort"
// +kubebuilder:validation:XValidation:rule="!(has(self.skip) || has(self.limit)) || (self.kind == 'Find' || self.kind == 'CountDocuments')",message="skip and limit apply only to Find and CountDocuments",fieldPath=".skip"
// +kubebuilder:validation:XValidation:rule="!has(self.limitParameter) || self.kind == 'Find' && !has(self.limit)",message="limitParameter applies only to Find, in place of limit",fieldPath=".limitParameter"
// +kubebuilder:validation:XValidation:rule="!(has(self.batchSize) || has(self.fetch)) || (self.kind == 'Find' || self.kind == 'Aggregate')",message="batchSize and fetch apply only to Find and Aggregate",fieldPath=".batchSize"
// +kubebuilder:validation:XValidation:rule="!has(self.allowDiskUse) || self.kind == 'Aggregate'",message="allowDiskUse applies only to Aggregate",fieldPath=".allowDiskUse"
// +kubebuilder:validation:XValidation:rule="!has(self.batchSize) || !has(self.fetch) || self.fetch != 'FirstDocument'",message="fetch FirstDocument asks for one document: batchSize cannot be set",fieldPath=".batchSize"
// +kubebuilder:validation:XValidation:rule="!has(self.whenMissing) || (self.kind == 'UpdateOne' || self.kind == 'UpdateMany' || self.kind == 'ReplaceOne' || self.kind == 'FindOneAndUpdate' || self.kind == 'FindOneAndReplace')",message="whenMissing applies only to UpdateOne, UpdateMany, ReplaceOne, FindOneAndUpdate and FindOneAndReplace",fieldPath=".whenMissing"
// +kubebuilder:validation:XValidation:rule="self.kind == 'InsertMany' || !has(self.batchDocuments)",message="batchDocuments applies only to InsertMany",fieldPath=".batchDocuments"
// +kubebuilder:validation:XValidation:rule="!has(self.replaceKey) || self.kind == 'ReplaceOne' || self.kind == 'FindOneAndReplace'",message="replaceKey applies only to ReplaceOne and FindOneAndReplace",fieldPath=".replaceKey"
// +kubebuilder:validation:XValidation:rule="self.kind == 'Distinct' ? has(self.field) : !has(self.field)",message="field is required with Distinct, and forbidden with any other kind",fieldPath=".field"
type Request struct {
	// kind of request.
	// +required
	Kind OperationKind `json:"kind,omitempty"`

	// collection of the dataset to use. Unset: the only one; required where there are several. Of a nested operation
	// unset: that of the outer operation, which a BulkWrite cannot change.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=120
	Collection string `json:"collection,omitempty"`

	// filter selects documents: an object, or a string of Extended JSON, as {number: {$key: number}}. At most 8192
	// characters. Unset: all documents. Required for kinds that change or delete, except that a ReplaceOne or
	// FindOneAndReplace without a filter selects the document of replaceKey by its _id.
	// +optional
	Filter Document `json:"filter,omitempty" patchStrategy:"replace"`

	// field is the field whose values a Distinct returns, each of them once. Array elements count as values of their own.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Field string `json:"field,omitempty"`

	// projection of the documents to read, for those kinds that return documents: an object, or a string of Extended JSON.
	// At most 8192 characters. Unset: whole documents.
	// +optional
	Projection Document `json:"projection,omitempty" patchStrategy:"replace"`

	// sort order of the documents to read, or of those of which one is changed. An UpdateOne or ReplaceOne knows it in
	// MongoDB from 8.0 on. Unset: none.
	// +optional
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MaxItems=32
	Sort []SortKey `json:"sort,omitempty"`

	// skip this many documents. Default 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Skip int64 `json:"skip,omitempty"`

	// limit the number of documents. Default 0: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Limit int64 `json:"limit,omitempty"`

	// limitParameter names a parameter, of type Int and at least 1, from which the limit of a Find is drawn. Unset: limit.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	LimitParameter string `json:"limitParameter,omitempty"`

	// batchSize is the number of documents in a reply. Unset: the server's default, 101 in the first reply.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	BatchSize int32 `json:"batchSize,omitempty"`

	// fetch says how much of the cursor to read: All, FirstBatch or FirstDocument. Default All.
	// +optional
	Fetch Fetch `json:"fetch,omitempty"`

	// allowDiskUse lets the stages of an Aggregate write to the disk what does not fit into memory: Enabled or Disabled.
	// Unset: nothing is sent, as by MongoDB's drivers, and the server decides: from 6.0 on it allows it, before that a
	// large sort or group fails.
	// +optional
	AllowDiskUse Switch `json:"allowDiskUse,omitempty"`

	// update of the selected documents: an object of update operators, or an array of stages; or a string of Extended
	// JSON. Required for kinds that update. At most 8192 characters.
	// +optional
	Update Document `json:"update,omitempty" patchStrategy:"replace"`

	// whenMissing says what an update or replacement does if no document matches: Nothing or Insert (upsert). Default
	// Nothing.
	// +optional
	WhenMissing MissingPolicy `json:"whenMissing,omitempty"`

	// replaceKey names the parameter, of type Key, whose record is replaced. Unset: the first parameter of type Key. The
	// new version has the same _id and other values.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ReplaceKey string `json:"replaceKey,omitempty"`

	// batchDocuments is the number of documents of an InsertMany. Default 100, limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	BatchDocuments int32 `json:"batchDocuments,omitempty"`

	RequestOptions `json:",inline"`

	// pipeline of an Aggregate, as an array of stages or a string of Extended JSON; for a ChangeStream, the stages that
	// its events pass through. At most 16384 characters.
	// +optional
	Pipeline Document `json:"pipeline,omitempty" patchStrategy:"replace"`
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
	Direction SortDirection `json:"direction,omitempty"`
}
