package loadgen

import (
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Outlet is a Watcher that writes or sends what it sees elsewhere, while the pod is at work. What goes wrong with that
// changes nothing of the run, and is told at its end.
type Outlet interface {
	Watcher
	// Finish writes what is left, which takes some seconds at most, and says what became of all of it. It is called once,
	// after the last step.
	Finish() reportv1.Outlet
}

// Sampler is given every operation of a measure window, by the worker that has counted it and by several of these at a
// time. It returns at once.
type Sampler interface {
	// Sample is given an operation of the step that the Watcher was told of.
	Sample(*Sampled)
}

// Sampled is one operation with what became of it. It has no value of any document.
type Sampled struct {
	// Operation is its place among those of the step, and Number that among the operations of its group.
	Operation int
	Number    int64
	// Worker is its number among those of its group on all pods.
	Worker int64
	// Due is when it was to be sent, Sent when it was, and Replied when the last reply came or the failure was known.
	Due, Sent, Replied time.Time
	// Latency is the response time in an open loop, and otherwise the service time.
	Latency time.Duration
	// Class of the error that it ended with; empty when it succeeded.
	Class     string
	Documents int64
	Retries   int
}

// Watchers tells several Watchers one after the other.
type Watchers []Watcher

// Begin tells all of them.
func (ws Watchers) Begin(step planv1.Step) {
	for _, w := range ws {
		w.Begin(step)
	}
}

// Record tells all of them.
func (ws Watchers) Record(window ...measure.Recorded) {
	for _, w := range ws {
		w.Record(window...)
	}
}

// End tells all of them.
func (ws Watchers) End() {
	for _, w := range ws {
		w.End()
	}
}
