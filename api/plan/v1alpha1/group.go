package v1alpha1

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Group is one of several groups of workers that a Measure has at the same time, each with a mix of its own: the
// operations of the step that name it.
type Group struct {
	Name string `json:"name"`
	// Threads of the group over all pods.
	Threads int `json:"threads"`
	// ThreadStages are how many of the threads of a closed loop work; nil: all of them, all the time.
	ThreadStages []ThreadStage `json:"threadStages,omitempty"`
	// ThinkTime is how long a worker pauses, in a closed loop only; nil: it does not.
	ThinkTime *ThinkTime `json:"thinkTime,omitempty"`
	// Arrival makes it an open loop; nil is a closed one.
	Arrival *Arrival `json:"arrival,omitempty"`
	// StartAfterSeconds is when the group begins, from the begin of the measure window on, or from the end of the group
	// StartAfter.
	StartAfterSeconds int    `json:"startAfterSeconds,omitempty"`
	StartAfter        string `json:"startAfter,omitempty"`
	// The group ends with the measure window of the step, or before it: after DurationSeconds of its own, after
	// OperationCount operations over all pods, or with the group StopWith.
	DurationSeconds int    `json:"durationSeconds,omitempty"`
	OperationCount  int64  `json:"operationCount,omitempty"`
	StopWith        string `json:"stopWith,omitempty"`
}

// ThreadStage is a time in which the number of threads that work goes evenly from one value to another.
type ThreadStage struct {
	Seconds int `json:"seconds"`
	From    int `json:"from"`
	To      int `json:"to"`
}

// ThinkTime is how long a worker pauses between two operations.
type ThinkTime struct {
	// Distribution is Constant, Uniform, Exponential or Normal.
	Distribution benchv1alpha1.ThinkTimeDistribution `json:"distribution"`
	// Micros is the mean; of a Uniform the least.
	Micros int64 `json:"micros"`
	// MaxMicros is the most of a Uniform.
	MaxMicros int64 `json:"maxMicros,omitempty"`
	// DeviationMicros is the standard deviation of a Normal, which has no values below 0.
	DeviationMicros int64 `json:"deviationMicros,omitempty"`
	// FromStart has the pause count from when the operation was sent (pacing), and not from its reply.
	FromStart bool `json:"fromStart,omitempty"`
}

// MeanMicros is the mean pause; of a Normal without what it has below 0.
func (t ThinkTime) MeanMicros() int64 {
	if t.Distribution == benchv1alpha1.ThinkTimeUniform {
		return t.Micros + (t.MaxMicros-t.Micros)/2
	}
	return t.Micros
}

// Parts are what the groups of a Measure do, each as a step of its own; a step without groups is its only part. The
// name of a part is unique in the plan: names in a plan have no slash.
func (s Step) Parts() []Step {
	if len(s.Groups) == 0 {
		return []Step{s}
	}
	parts := make([]Step, 0, len(s.Groups))
	for _, group := range s.Groups {
		part := s
		part.Name, part.Groups = s.Name+"/"+group.Name, nil
		part.Threads, part.ThinkTime, part.Arrival = group.Threads, group.ThinkTime, group.Arrival
		part.OperationCount = group.OperationCount
		part.Operations = slices.DeleteFunc(slices.Clone(s.Operations), func(o Operation) bool {
			return o.Group != group.Name
		})
		parts = append(parts, part)
	}
	return parts
}
