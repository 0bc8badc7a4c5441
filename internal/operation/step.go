package operation

import (
	"math"
	"slices"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// drainSeconds is how long the queue of an open loop may be worked off after its window, and ActionGrace.
	drainSeconds = 30
	// trialOverhead is what a trial takes besides its window: the target recovers, it settles before and drains after.
	trialOverhead = 45
	// togetherOverhead is what it takes more where several pods make it: it is ordered up to ten seconds ahead, and the
	// pods tell each other of it.
	togetherOverhead = 15
)

// DrainGrace is how long the servers are waited for, after a warm-up and after a window, until they have taken in the
// unacknowledged writes. Eight connections were seen to hold what a mongod needed half a minute for.
const DrainGrace = 5 * time.Minute

// RecallSeconds is how long the answers of a Measure may be compared with exact ones after it. Other pods wait for it
// before the next step.
const RecallSeconds = 60

// MostSeconds is how long a Measure that does not end with a number of operations may take when the target answers.
func MostSeconds(s planv1.Step) int64 {
	seconds := int64(s.WarmupSeconds)
	if slices.ContainsFunc(s.Operations, unacknowledged) {
		seconds += 2 * int64(DrainGrace.Seconds())
	}
	if slices.ContainsFunc(s.Operations, func(o planv1.Operation) bool { return o.Recall != nil }) {
		seconds += RecallSeconds
	}
	switch {
	case s.Search != nil:
		// What has begun within its time is brought to its end.
		last := max(s.Search.LongestTrial(), time.Duration(s.DurationSeconds)*time.Second)
		if s.Search.Together {
			seconds += togetherOverhead
		}
		return seconds + int64(s.Search.MaxSeconds) + int64(math.Ceil(last.Seconds())) + trialOverhead
	case len(s.Actions) > 0 || slices.ContainsFunc(s.Parts(), func(p planv1.Step) bool { return p.Arrival != nil }):
		// Of the queue and of the actions, what is left is waited for at the same time.
		seconds += drainSeconds
	}
	return seconds + int64(s.DurationSeconds)
}

// ChangesData says whether the dataset may be another one after the step: of a Load, whether it makes a loaded
// collection grow, and of a Measure, whether anything in it writes or moves documents.
func ChangesData(s planv1.Step) bool {
	switch s.Kind {
	case planv1.StepLoad:
		return s.To > 0
	case planv1.StepMeasure:
		return s.Replay != nil && s.Replay.Writes || slices.ContainsFunc(s.Operations, Writes) ||
			slices.ContainsFunc(s.Actions, ChangesDataset)
	default:
		return false
	}
}

// Writes says whether an operation may change documents.
func Writes(o planv1.Operation) bool {
	switch Of(o.Kind).Effect {
	case Reads, Nothing:
		return false
	case ByPipeline:
		pipeline := o.Pipeline.Text()
		return strings.Contains(pipeline, `"$out"`) || strings.Contains(pipeline, `"$merge"`)
	case ByParts:
		return slices.ContainsFunc(o.Operations, func(part planv1.Request) bool {
			return Writes(planv1.Operation{Request: part})
		})
	case Unknown, Inserts, Updates, Deletes:
	}
	return true
}

// unacknowledged says whether an operation is a write without a reply.
func unacknowledged(o planv1.Operation) bool {
	return o.WriteConcern != nil && o.WriteConcern.W == "0" && Of(o.Kind).Takes(WriteConcern)
}

// ChangesDataset says whether the action gives documents another place, or their collection another shard key, other
// indexes or other files.
func ChangesDataset(a planv1.Action) bool {
	switch a.Type {
	case benchv1alpha1.ActionStartBalancer, benchv1alpha1.ActionRefineShardKey, benchv1alpha1.ActionReshardCollection,
		benchv1alpha1.ActionCreateIndex, benchv1alpha1.ActionDropIndex,
		benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection, benchv1alpha1.ActionCompact,
		benchv1alpha1.ActionTransitionFromDedicatedConfigServer, benchv1alpha1.ActionTransitionToDedicatedConfigServer:
		return true
	default:
		return false
	}
}
