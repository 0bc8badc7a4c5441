package v1alpha1

// Gateway is what one process of a service did, and used, in the measure window of a step whose operations went
// through it.
type Gateway struct {
	// Name is its host and port.
	Name string `json:"name"`
	// OperationsPerRequest is how many operations of the database each request came to, and PoolSize how many of them it
	// could have under way at a time.
	OperationsPerRequest int `json:"operationsPerRequest"`
	PoolSize             int `json:"poolSize"`
	// Requests that it answered, of all load pods, and RequestMicros is how long it was with them, all added up. Of that
	// PoolWaitMicros went by until a session of the pool was free, and DatabaseMicros until the database had answered.
	Requests       int64 `json:"requests"`
	RequestMicros  int64 `json:"requestMicros"`
	PoolWaitMicros int64 `json:"poolWaitMicros,omitempty"`
	DatabaseMicros int64 `json:"databaseMicros,omitempty"`
	// CPUPercent is the share that it used of its CPU limit, or of the cores of its machine.
	CPUPercent int `json:"cpuPercent"`
	// ThrottledMicros is how long its cgroup was kept from running, where it can be read.
	ThrottledMicros int64 `json:"throttledMicros,omitempty"`
	// Lost says that it did not answer at the begin or the end of the window, or was another process then: the figures
	// are not known.
	Lost bool `json:"lost,omitempty"`
}
