package v1alpha1

// Replay is what became of a recording whose operations were sent once again.
type Replay struct {
	// Hash is the SHA-256 of the recording.
	Hash string `json:"hash"`
	// Operations of the recording that are sent, by all pods together, and LengthMicros the time that they were recorded
	// in. Late are those that came in the recording too long after they began to be sent in their order.
	Operations   int64 `json:"operations"`
	LengthMicros int64 `json:"lengthMicros,omitempty"`
	Late         int64 `json:"late,omitempty"`
	// LeftOut are the entries of the recording that are not sent, by the reason, and Changed the operations that are sent
	// without something that they had. The most frequent come first.
	LeftOut []Counted `json:"leftOut,omitempty"`
	Changed []Counted `json:"changed,omitempty"`
	// WithoutCursor are the operations that were not sent, as the cursor that they ask for more was not open any more.
	WithoutCursor int64 `json:"withoutCursor,omitempty"`
	// Compared are the operations whose answer was compared with the recorded one. OtherCount had another number of
	// documents, OtherCursor left a cursor open or did not as recorded, Failed failed where the recorded one did not, and
	// Succeeded did not fail, or failed otherwise, where that had.
	Compared    int64 `json:"compared,omitempty"`
	OtherCount  int64 `json:"otherCount,omitempty"`
	OtherCursor int64 `json:"otherCursor,omitempty"`
	Failed      int64 `json:"failed,omitempty"`
	Succeeded   int64 `json:"succeeded,omitempty"`
}

// Differing are the operations whose answer was another one than the recorded.
func (r *Replay) Differing() int64 { return r.OtherCount + r.OtherCursor + r.Failed + r.Succeeded }

// Counted is how often something was found.
type Counted struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}
