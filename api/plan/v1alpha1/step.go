package v1alpha1

import (
	"math"
	"slices"
	"strings"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Alone says whether the step is the work of pod 0 alone.
func (k StepKind) Alone() bool {
	switch k {
	case StepPrepare, StepIndex, StepVerify, StepBalance, StepSize:
		return true
	default:
		return false
	}
}

const (
	// drainSeconds is how long the queue of an open loop may be worked off after its window, and ActionGrace.
	drainSeconds = 30
	// trialOverhead is what a trial takes besides its window: it settles before and drains after.
	trialOverhead = 3
	// confirmations that a search is given: one that fails sends it back to lower rates.
	confirmations = 4
)

// DrainGrace is how long the servers are waited for, after a warm-up and after a window, until they have taken in the
// writes that nobody acknowledges. Eight connections were seen to hold what a mongod needed half a minute for.
const DrainGrace = 5 * time.Minute

// MostSeconds is how long a Measure that does not end with a number of operations may take when the target answers.
func (s Step) MostSeconds() int64 {
	seconds := int64(s.WarmupSeconds)
	if slices.ContainsFunc(s.Operations, Operation.unacknowledged) {
		seconds += 2 * int64(DrainGrace.Seconds())
	}
	switch {
	case s.Search != nil:
		return seconds + int64(s.Search.trials())*int64(s.Search.TrialSeconds+trialOverhead) +
			confirmations*int64(s.DurationSeconds+trialOverhead)
	case s.Arrival != nil || len(s.Actions) > 0:
		// Of the queue and of the actions, what is left is waited for at the same time.
		seconds += drainSeconds
	}
	return seconds + int64(s.DurationSeconds)
}

// unacknowledged says whether the plan has nobody acknowledge the operation.
func (o Operation) unacknowledged() bool {
	return o.WriteConcern != nil && o.WriteConcern.W == "0" && o.TakesWriteConcern()
}

// trials is how many a search needs at most: the two ends, then half of what is left each time, on the scale on which a
// tolerance is a distance; and as many again after confirmations that failed.
func (s Search) trials() int {
	if s.Lowest < 1 || s.Highest <= s.Lowest || s.TolerancePercent < 1 {
		return 2
	}
	distance := math.Log(float64(s.Highest)/float64(s.Lowest)) / math.Log1p(float64(s.TolerancePercent)/100)
	return 2 + 2*int(math.Ceil(math.Log2(max(distance, 1))))
}

// Growing says whether the step belongs to a checkpoint of a growth, after the loading of the dataset.
func (s Step) Growing() bool {
	return s.Documents > 0
}

// ChangesData says whether the dataset may be another one after the step: of a Load, whether it makes a loaded
// collection grow, and of a Measure, whether anything in it writes or moves documents.
func (s Step) ChangesData() bool {
	switch s.Kind {
	case StepLoad:
		return s.To > 0
	case StepMeasure:
		return slices.ContainsFunc(s.Operations, Operation.writes) || slices.ContainsFunc(s.Actions, Action.changesSharding)
	default:
		return false
	}
}

// writes says whether the operation may change documents. What a command does is not known.
func (o Operation) writes() bool {
	switch benchv1alpha1.OperationKind(o.Kind) {
	case benchv1alpha1.OperationFindOne, benchv1alpha1.OperationFind, benchv1alpha1.OperationCountDocuments,
		benchv1alpha1.OperationChangeStream, benchv1alpha1.OperationTail:
		return false
	case benchv1alpha1.OperationAggregate:
		return strings.Contains(o.Pipeline, `"$out"`) || strings.Contains(o.Pipeline, `"$merge"`)
	case benchv1alpha1.OperationTransaction:
		return slices.ContainsFunc(o.Operations, Operation.writes)
	default:
		return true
	}
}

// changesSharding says whether the action gives documents another place or their collection another shard key.
func (a Action) changesSharding() bool {
	switch a.Type {
	case ActionStartBalancer, ActionRefineShardKey, ActionReshardCollection:
		return true
	default:
		return false
	}
}
