package v1alpha1

// Cost is what a target costs by a price list, whose amounts are in billionths of the currency.
type Cost struct {
	// Currency is its code by ISO 4217.
	Currency string `json:"currency"`
	// ListHash is by what two price lists are known to say the same. Source and ValidFrom are what the list says of
	// itself.
	ListHash  string `json:"listHash,omitempty"`
	Source    string `json:"source,omitempty"`
	ValidFrom string `json:"validFrom,omitempty"`
	// ComputeNanosPerHour is what the members pay for their nodes, and StorageNanosPerHour for their volumes.
	ComputeNanosPerHour int64 `json:"computeNanosPerHour"`
	StorageNanosPerHour int64 `json:"storageNanosPerHour"`
	// NetworkInNanosPerGibibyte is the price of what clients send to the target, and NetworkOutNanosPerGibibyte that of
	// its answers; nil where the list has none, and the network is no part of the cost.
	NetworkInNanosPerGibibyte  *int64 `json:"networkInNanosPerGibibyte,omitempty"`
	NetworkOutNanosPerGibibyte *int64 `json:"networkOutNanosPerGibibyte,omitempty"`
}

// StepCost is what a step comes to, in millionths of the currency.
type StepCost struct {
	Currency string `json:"currency"`
	// PerMillionOperationsMicros is the cost of a million operations that succeed.
	PerMillionOperationsMicros int64 `json:"perMillionOperationsMicros"`
	// PerMonthAtRateMicros is that of a month of 730 hours at the rate of the step.
	PerMonthAtRateMicros int64 `json:"perMonthAtRateMicros"`
}
