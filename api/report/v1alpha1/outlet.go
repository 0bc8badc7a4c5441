package v1alpha1

// Outlet is what became of what load pods wrote or sent elsewhere while they measured, such as a log of operations.
type Outlet struct {
	// Name says what it is and where it went, without secrets; it is the same in all pods.
	Name string `json:"name"`
	// Written are the records that were written, or the times that figures were sent, and Lost those that were not.
	Written int64 `json:"written"`
	Lost    int64 `json:"lost,omitempty"`
	// Error is the first that there was; empty: there was none.
	Error string `json:"error,omitempty"`
}
