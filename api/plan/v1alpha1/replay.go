package v1alpha1

// Replay sends the operations of a recording once again.
type Replay struct {
	// Recording is where they are.
	Recording File `json:"recording"`
	// Speed by which the recorded times are divided: 2 is twice as fast. 0 is as fast as possible: a closed loop.
	Speed float64 `json:"speed,omitempty"`
	// Writes are sent too.
	Writes bool `json:"writes,omitempty"`
	// Databases whose operations are sent; nil: those of all.
	Databases []string `json:"databases,omitempty"`
	// Into says to which database those of a recorded one go; the name * stands for all that have no own entry.
	Into map[string]string `json:"into,omitempty"`
	// AnyAnswer says that what is answered is not compared with what was.
	AnyAnswer bool `json:"anyAnswer,omitempty"`
}
