package loadgen

// Snapshotter is a Session that can read from snapshots, as a step has it whose session is Snapshot.
type Snapshotter interface {
	// NewSnapshot has what is read until its next call be of one instant, which is not before this call. It sends nothing.
	NewSnapshot()
}
