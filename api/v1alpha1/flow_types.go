package v1alpha1

// MaxFlowRequests is the most requests that one execution of a Flow may send.
const MaxFlowRequests = 1000

// FlowSettings are those of a Flow, and of the operations that are its parts.
//
// A Flow is several requests of one thread, one after the other, of which later ones may depend on what earlier ones
// were answered with. Its parts are the operations of the step that name it with partOf, in the order of their
// declaration. In their documents {$captured: name} stands for a captured value, {$param: name} also for a parameter of
// the Flow.
//
// A condition is a text such as stock >= 10 && status == "open": it compares captured values, parameters of the Flow,
// numbers, texts in double quotes, true, false and null by ==, !=, <, <=, > and >=, joined by &&, || and !, with
// brackets. has(name) says whether there is a value, size(name) is the length of a text or array. What is missing
// equals null, and is neither less nor more than anything. A condition has at most 512 bytes.
type FlowSettings struct {
	// partOf names the operation of the step that this one is a part of: a Flow, or a Transaction without operations. A
	// part is sent by nothing else, and has a result of its own. A Flow or Transaction may be a part of a Flow. Unset: it
	// is an operation of the mix.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	PartOf string `json:"partOf,omitempty"`

	// when is the condition under which the part is carried out; otherwise the next one follows. Unset: always.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	When string `json:"when,omitempty"`

	// repeat carries the part out several times. Unset: once.
	// +optional
	Repeat *Repeat `json:"repeat,omitempty"`

	// captures are the values that are kept of what the part was answered with, for parts and conditions after it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Captures []Capture `json:"captures,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// checks are conditions that hold each time that the part was carried out. What does not hold is counted, and has the
	// run not trusted (ChecksFailed); the Flow goes on.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Checks []Check `json:"checks,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// next is where the Flow goes on after the part: one of these is drawn, by weight. Unset: at the part declared after
	// it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Next []Transition `json:"next,omitempty"`

	// state are values that every thread keeps from one execution of a Flow to its next: a capture of the same name
	// changes them. Unset: what is captured is forgotten when the Flow ends.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	State []StateValue `json:"state,omitempty" patchMergeKey:"name" patchStrategy:"merge"`

	// maxRequests is the most requests that one execution of a Flow sends, where a next leads back to an earlier part:
	// there it ends. Default 100 then; without such a next it is what the parts and their repeat come to, and cannot be
	// set. Limits 1 to 1000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxRequests int32 `json:"maxRequests,omitempty"`
}

// Repeat says how often a part of a Flow is carried out.
//
// +kubebuilder:validation:XValidation:rule="!has(self.each) || has(self.as)",message="each needs as, the name that the elements have",fieldPath=".as"
type Repeat struct {
	// limit is the most turns. Required, limits 1 to 1000; a Flow sends at most 1000 requests.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Limit int32 `json:"limit,omitempty"`

	// while is the condition under which another turn begins. Unset: always.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	While string `json:"while,omitempty"`

	// each names a captured array: there is a turn for each of its elements. Unset: the turns are not of an array.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Each string `json:"each,omitempty"`

	// as is the name of what changes with the turns, for {$captured: name} and conditions: the element of each, or
	// without each the number of the turn, from 0 on. Unset: it has no name.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	As string `json:"as,omitempty"`
}

// CaptureSource says what is captured.
// +kubebuilder:validation:Enum=Document;Documents;Count;Inserted;Matched;Modified;Deleted
type CaptureSource string

const (
	// CaptureDocument is the value at the path in the first document: that was returned, or that an insert has sent.
	CaptureDocument CaptureSource = "Document"
	// CaptureDocuments is an array of the values at the path in all documents; those without one are left out.
	CaptureDocuments CaptureSource = "Documents"
	// CaptureCount is the number of documents that were returned or written; of kinds that count, the number counted.
	CaptureCount CaptureSource = "Count"
	// CaptureInserted is the number of documents that were inserted.
	CaptureInserted CaptureSource = "Inserted"
	// CaptureMatched is the number of documents that an update found.
	CaptureMatched CaptureSource = "Matched"
	// CaptureModified is the number of documents that an update changed.
	CaptureModified CaptureSource = "Modified"
	// CaptureDeleted is the number of documents that were deleted.
	CaptureDeleted CaptureSource = "Deleted"
)

// Capture keeps a value of what a part of a Flow was answered with.
type Capture struct {
	// name that {$captured: name} and conditions refer to. A name that was captured before gets the new value.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	Name string `json:"name,omitempty"`

	// of says what is captured: Document, Documents, Count, Inserted, Matched, Modified or Deleted. Default Document, of
	// which a RunCommand has its whole answer. All values of an execution together have at most 256 KiB.
	// +optional
	Of CaptureSource `json:"of,omitempty"`

	// path of the value in the document, with a number for an element of an array, as lines.0.item. Unset: the whole
	// document. Only with Document and Documents.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Path string `json:"path,omitempty"`

	// otherwise is the value where a Document has none at the path, or where there is no document. Unset: the name has no
	// value then; a part whose documents need it ends the Flow as failed.
	// +optional
	Otherwise Constant `json:"otherwise,omitempty" patchStrategy:"replace"`
}

// Check is a condition that is to hold.
type Check struct {
	// name of the check in the results, unique in its operation.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`

	// that is the condition, such as total >= 0.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	That string `json:"that,omitempty"`
}

// Transition is a way from one part of a Flow to another.
type Transition struct {
	// to names a part of the same Flow. Unset: the Flow ends.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	To string `json:"to,omitempty"`

	// weight of this way among those of the part. Default 1, limits 1 to 1000000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Weight int32 `json:"weight,omitempty"`
}

// StateValue is what a thread keeps from one execution of a Flow to its next.
type StateValue struct {
	// name that captures, {$captured: name} and conditions refer to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	Name string `json:"name,omitempty"`

	// value before the first execution. Unset: there is none.
	// +optional
	Value Constant `json:"value,omitempty" patchStrategy:"replace"`
}
