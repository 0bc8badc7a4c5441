package v1alpha1

// Objective is the plan's: a share of the operations that is to be done within a limit.
type Objective struct {
	// Operation that it is about; empty: all of the step together.
	Operation   string `json:"operation,omitempty"`
	LimitMicros int64  `json:"limitMicros"`
	// PercentMillis is the share, in thousandths of a percent.
	PercentMillis int `json:"percentMillis"`
}

// Within is how many operations succeeded within a limit.
type Within struct {
	LimitMicros int64 `json:"limitMicros"`
	Count       int64 `json:"count"`
}

// ObjectiveSummary is what became of an objective.
type ObjectiveSummary struct {
	Objective
	// Operations that it was judged by: those that succeeded with a latency, failed, were skipped, and of an objective of
	// all operations those that were dropped; which of a mix these would have been is not known.
	Operations int64 `json:"operations"`
	// Within are those of them that succeeded within the limit.
	Within int64 `json:"within"`
	// Kept says whether these are the share. It is false if there were no operations.
	Kept bool `json:"kept"`
}

// Percentile is one of a latency.
type Percentile struct {
	// PercentMillis is which one, in thousandths of a percent.
	PercentMillis int `json:"percentMillis"`
	// Micros is the latency; 0 where there are too few times for it.
	Micros int64 `json:"micros,omitempty"`
}
