package v1alpha1

// Partial says that a report is not of its whole plan: where it was cut, and why.
type Partial struct {
	// Cause is what ended the plan early.
	Cause PartialCause `json:"cause"`
	// Message says what happened, for people.
	Message string `json:"message"`
	// Step that was cut; empty when none was, as between two steps.
	Step string `json:"step,omitempty"`
	// MeasuredMillis is how much of the step's measure window had gone by, and PlannedMillis how long it was to be; 0
	// where a number of operations or documents was to end the step.
	MeasuredMillis int64 `json:"measuredMillis,omitempty"`
	PlannedMillis  int64 `json:"plannedMillis,omitempty"`
	// MissingPods are the indexes of the load pods that handed in no report, in order; only a merged report has any.
	MissingPods []int `json:"missingPods,omitempty"`
}

// PartialCause is why a report is partial.
type PartialCause string

// The causes of partial reports.
const (
	// PartialInterrupted: a signal, or the deletion of a pod.
	PartialInterrupted PartialCause = "Interrupted"
	// PartialOutage: a worker had nothing but failures for too long.
	PartialOutage PartialCause = "Outage"
	// PartialAborted: a threshold of the step's abortOn.
	PartialAborted PartialCause = "Aborted"
	// PartialPodLost: a load pod ended without a report.
	PartialPodLost PartialCause = "PodLost"
	// PartialError: any other error.
	PartialError PartialCause = "Error"
)
