package engine

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// watchRecording has a recording tell of itself while it is at work, if there is a Watcher.
func watchRecording(watcher loadgen.Watcher, recording *measure.Recording, threads int, arrivals *openLoop) {
	if watcher == nil {
		return
	}
	recording.Publish()
	if arrivals == nil {
		watcher.Record(recording, threads, nil)
		return
	}
	watcher.Record(recording, threads, arrivals.dropped.Load)
}

// watchStep tells the Watcher, if there is one, of a step's begin, and of its end when the returned function is called.
func watchStep(watcher loadgen.Watcher, step planv1.Step) (end func()) {
	if watcher == nil {
		return func() {}
	}
	watcher.Begin(step)
	return watcher.End
}
