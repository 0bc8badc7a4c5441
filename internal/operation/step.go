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
	// trialOverhead is what a trial takes besides its window: it settles before and drains after.
	trialOverhead = 3
	// confirmations that a search is given: one that fails sends it back to lower rates.
	confirmations = 4
)

// DrainGrace is how long the servers are waited for, after a warm-up and after a window, until they have taken in the
// unacknowledged writes. Eight connections were seen to hold what a mongod needed half a minute for.
const DrainGrace = 5 * time.Minute

// MostSeconds is how long a Measure that does not end with a number of operations may take when the target answers.
func MostSeconds(s planv1.Step) int64 {
	seconds := int64(s.WarmupSeconds)
	if slices.ContainsFunc(s.Operations, unacknowledged) {
		seconds += 2 * int64(DrainGrace.Seconds())
	}
	switch {
	case s.Search != nil:
		return seconds + int64(trials(*s.Search))*int64(s.Search.TrialSeconds+trialOverhead) +
			confirmations*int64(s.DurationSeconds+trialOverhead)
	case s.Arrival != nil || len(s.Actions) > 0:
		// Of the queue and of the actions, what is left is waited for at the same time.
		seconds += drainSeconds
	}
	return seconds + int64(s.DurationSeconds)
}

// trials is how many a search needs at most: the two ends, then half of what is left each time, on the scale on which a
// tolerance is a distance; and as many again after confirmations that failed.
func trials(s planv1.Search) int {
	if s.Lowest < 1 || s.Highest <= s.Lowest || s.TolerancePercent < 1 {
		return 2
	}
	distance := math.Log(float64(s.Highest)/float64(s.Lowest)) / math.Log1p(float64(s.TolerancePercent)/100)
	return 2 + 2*int(math.Ceil(math.Log2(max(distance, 1))))
}

// ChangesData says whether the dataset may be another one after the step: of a Load, whether it makes a loaded
// collection grow, and of a Measure, whether anything in it writes or moves documents.
func ChangesData(s planv1.Step) bool {
	switch s.Kind {
	case planv1.StepLoad:
		return s.To > 0
	case planv1.StepMeasure:
		return slices.ContainsFunc(s.Operations, Writes) || slices.ContainsFunc(s.Actions, changesSharding)
	default:
		return false
	}
}

// Writes says whether an operation may change documents.
func Writes(o planv1.Operation) bool {
	switch Of(o.Kind).Effect {
	case Reads:
		return false
	case ByPipeline:
		return strings.Contains(o.Pipeline, `"$out"`) || strings.Contains(o.Pipeline, `"$merge"`)
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

// changesSharding says whether the action gives documents another place or their collection another shard key.
func changesSharding(a planv1.Action) bool {
	switch a.Type {
	case benchv1alpha1.ActionStartBalancer, benchv1alpha1.ActionRefineShardKey, benchv1alpha1.ActionReshardCollection:
		return true
	default:
		return false
	}
}
