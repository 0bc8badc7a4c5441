package engine

import (
	"log/slog"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

// Engine follows a plan as one of its pods.
type Engine struct {
	Plan planv1.Plan
	// PlanHash identifies the plan in the report.
	PlanHash string
	// Pod is the index of this pod, from 0 to Plan.Pods - 1.
	Pod    int
	Target loadgen.Target
	// Gate is needed with several pods; one pod alone begins each step at once.
	Gate     loadgen.Gate
	Reporter loadgen.Reporter
	// Observer looks at the servers from before the first step until after the last; nil: the servers are not observed.
	Observer loadgen.Observer
	// Watcher is told what this pod does; it may be nil.
	Watcher loadgen.Watcher
	// Resume continues a load that was begun before: collections are not dropped, and documents that are there already
	// are no error.
	Resume bool
	// AllowExisting lets the plan's collections replace those of a database that no load generator made.
	AllowExisting bool
	// FixedProcessors keeps the number of processors that Go uses as it is. Otherwise a warm-up of at least two seconds
	// tells whether one processor does the same with less.
	FixedProcessors bool
	// Operated says that the operator reads the progress, and does what it is asked for in it.
	Operated bool
	// NewAlarm makes what operations are sent on time by; nil is alarm.Precise. Fake time needs an alarm.Timer.
	NewAlarm func() alarm.Alarm
	// Version of the load generator, for the report.
	Version string
	Log     *slog.Logger
}

// Connections is the largest number of workers that a pod of the plan has at a time.
func Connections(plan planv1.Plan, pod int) int {
	most := int64(1)
	for _, step := range plan.Steps {
		_, workers := planv1.Share(int64(step.Threads), plan.Pods, pod)
		most = max(most, workers)
	}
	return int(most)
}
