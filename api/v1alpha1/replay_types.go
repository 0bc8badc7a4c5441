package v1alpha1

// ReplayPace is when the operations of a recording are sent.
// +kubebuilder:validation:Enum=Recorded;AsFastAsPossible
type ReplayPace string

const (
	// ReplayRecorded sends each operation at its recorded time, counted from the first one, or at a multiple of it. It is an
	// open loop: what comes late because all threads wait for a reply has a latency that says so.
	ReplayRecorded ReplayPace = "Recorded"
	// ReplayAsFastAsPossible sends each operation as soon as a thread is free: a closed loop that keeps the order of the
	// operations of each session.
	ReplayAsFastAsPossible ReplayPace = "AsFastAsPossible"
)

// ReplayWrites says whether recorded operations that change data are sent.
// +kubebuilder:validation:Enum=Skip;Send
type ReplayWrites string

const (
	// ReplayWritesSkip leaves them out, and counts them.
	ReplayWritesSkip ReplayWrites = "Skip"
	// ReplayWritesSend sends them.
	ReplayWritesSend ReplayWrites = "Send"
)

// ReplayAnswers says what becomes of the answers.
// +kubebuilder:validation:Enum=Compare;Ignore
type ReplayAnswers string

const (
	// ReplayAnswersCompare holds them against the recorded ones, where these are known: whether the operation failed and
	// with which code, how many documents came or were written, and whether a cursor was left open.
	ReplayAnswersCompare ReplayAnswers = "Compare"
	// ReplayAnswersIgnore does not.
	ReplayAnswersIgnore ReplayAnswers = "Ignore"
)

// Replay sends the operations of a recording once again, to the database of the run. The recording is read as it is
// sent, and never held in memory. The operations of a recorded session are sent one after the other, in a session of
// their own; all of a session are sent by the same load pod.
//
// +kubebuilder:validation:XValidation:rule="!has(self.speedPercent) || !has(self.pace) || self.pace == 'Recorded'",message="speedPercent is of pace Recorded",fieldPath=".speedPercent"
type Replay struct {
	// recording is the file: documents of system.profile, the log of a mongod or mongos, commands as a driver's monitor
	// tells them, or the recorded traffic of a server. What it is shows in itself.
	// +required
	Recording FileSource `json:"recording,omitzero"`

	// pace is when operations are sent: Recorded or AsFastAsPossible. Default Recorded.
	// +optional
	Pace *ReplayPace `json:"pace,omitempty"`

	// speedPercent is how fast the recorded times go by: 200 is twice as fast as recorded. Of pace Recorded. Default 100,
	// limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	SpeedPercent *int32 `json:"speedPercent,omitempty"`

	// writes says whether operations that change data are sent: Skip or Send. Default Skip.
	// +optional
	Writes *ReplayWrites `json:"writes,omitempty"`

	// answers says whether the answers are compared with the recorded ones: Compare or Ignore. Of those that are compared,
	// more than 1 in 100 that differ are a reason not to trust the run (UnexpectedDocuments). Default Compare.
	// +optional
	Answers *ReplayAnswers `json:"answers,omitempty"`

	// databases whose recorded operations are sent. All of them go to the database of the run. Unset: those of every one.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Databases []string `json:"databases,omitempty"`
}
