package v1alpha1

import (
	"slices"
	"time"
)

// Group is what one of several groups of workers of a Measure did.
type Group struct {
	Name string `json:"name"`
	// Threads that worked in it.
	Threads int `json:"threads"`
	// BeginMicros and EndMicros bound its window, from the step's MeasureStart on: the planned one, or until its last
	// reply where a number of operations or another group ended it. Both are 0 for a group that never began. Of several
	// pods they span the windows of all.
	BeginMicros int64 `json:"beginMicros"`
	EndMicros   int64 `json:"endMicros"`
	// Arrivals is how its arrival schedule was kept; nil in a closed loop.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
}

// Window is how long the group worked.
func (g Group) Window() time.Duration {
	return time.Duration(g.EndMicros-g.BeginMicros) * time.Microsecond
}

// Group is the group of an operation; nil when it has none.
func (s Step) Group(of Operation) *Group {
	at := slices.IndexFunc(s.Groups, func(g Group) bool { return of.Group != "" && g.Name == of.Group })
	if at < 0 {
		return nil
	}
	return &s.Groups[at]
}

// Parts are what the groups of the step did, each as a step of its own; a step without groups is its only part. The
// intervals of the operations count from the MeasureStart of the whole.
func (s Step) Parts() []Step {
	if len(s.Groups) == 0 {
		return []Step{s}
	}
	parts := make([]Step, 0, len(s.Groups))
	for _, group := range s.Groups {
		part := s
		part.Name, part.Groups = s.Name+"/"+group.Name, nil
		part.Threads, part.Arrivals, part.Steady = group.Threads, group.Arrivals, nil
		part.MeasureStart = s.MeasureStart.Add(time.Duration(group.BeginMicros) * time.Microsecond)
		part.End, part.WindowMillis = part.MeasureStart.Add(group.Window()), group.Window().Milliseconds()
		part.Operations = slices.DeleteFunc(slices.Clone(s.Operations), func(o Operation) bool {
			return o.Group != group.Name
		})
		parts = append(parts, part)
	}
	return parts
}

// GroupSummary is what one of several groups of workers of a step came to. The rates are over its own window.
type GroupSummary struct {
	Name string `json:"name"`
	// Threads that worked in it.
	Threads int `json:"threads"`
	// BeginMillis is when it began, from the start of the step's measure window on, and DurationMillis how long it worked.
	BeginMillis    int64 `json:"beginMillis"`
	DurationMillis int64 `json:"durationMillis"`
	// Overall is all of its operations together; it has no name and no kind.
	Overall OperationSummary `json:"overall"`
	// Arrivals is how its arrival schedule was kept; nil in a closed loop.
	Arrivals *ArrivalsSummary `json:"arrivals,omitempty"`
}
