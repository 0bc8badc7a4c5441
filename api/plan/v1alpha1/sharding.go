package v1alpha1

// Sharding says how the documents of a collection are spread over shards. A target without shards takes no notice.
type Sharding struct {
	// Key has an Order of "1" or "hashed".
	Key []IndexKey `json:"key"`
	// InitialChunks of a hashed key, over all shards; 0 is the server's own number.
	InitialChunks int `json:"initialChunks,omitempty"`
	// SplitPoints are values of the first key, in Extended JSON, ascending; the ranges are dealt to the shards in turn.
	SplitPoints []string `json:"splitPoints,omitempty"`
	Zones       []Zone   `json:"zones,omitempty"`
	// MaxImbalancePercent is by how much the fullest shard may be above the mean.
	MaxImbalancePercent int `json:"maxImbalancePercent"`
}

// Zone keeps a range of the first key on certain shards.
type Zone struct {
	Name string `json:"name"`
	// Shards by their index from 0 on.
	Shards []int `json:"shards"`
	// Min (inclusive) and Max (exclusive) in Extended JSON; empty is no bound.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}
