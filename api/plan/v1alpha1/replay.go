package v1alpha1

// Replay sends the operations of a recording once again.
type Replay struct {
	// Recording is where they are.
	Recording File `json:"recording"`
}
