package loadgen

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Watcher is told what this pod is at, for those who look at a run before it has ended. It returns at once, and nothing
// that it does changes the run.
type Watcher interface {
	// Begin is told of a step that this pod begins to work at.
	Begin(step planv1.Step)
	// Record is told what the step's operations will be recorded by, before the first of them, and how many threads send
	// them. A search has one recording after another. In an open loop dropped counts the operations that were due and
	// never sent, and may be called at any time; otherwise it is nil.
	Record(recording *measure.Recording, threads int, dropped func() int64)
	// End is told once the step is over, and its last recording complete.
	End()
}
