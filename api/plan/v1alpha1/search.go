package v1alpha1

import (
	"slices"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Search looks for the highest rate at which a percentile of the response time keeps below a limit; what it finds has
// to hold once more, for longer.
type Search struct {
	// PercentileMillis is the percentile in thousandths of a percent: 99000 is p99.
	PercentileMillis int `json:"percentileMillis"`
	// LimitMicros is the objective.
	LimitMicros int64 `json:"limitMicros"`
	// Process by which operations arrive: Constant or Poisson.
	Process benchv1alpha1.ArrivalProcess `json:"process"`
	// Lowest and Highest rate that are tried, in operations per second over all pods.
	Lowest  int64 `json:"lowest"`
	Highest int64 `json:"highest"`
	// TrialSeconds that a rate has to hold at least. The step's DurationSeconds are those of the confirmation.
	TrialSeconds int `json:"trialSeconds"`
	// TolerancePercent of the rate is where the search ends, and MaxSeconds after which it ends in any case.
	TolerancePercent int `json:"tolerancePercent"`
	MaxSeconds       int `json:"maxSeconds"`
	// Together says that several pods make the trials: a load generator of a release in which each would search by itself
	// does not know the field, and refuses the plan.
	Together bool `json:"together,omitempty"`
}

const (
	// limitsPerTrial: a rate a twentieth above what a target can do makes a queue that takes twenty times the limit until
	// an operation waits for longer than the limit.
	limitsPerTrial = 20
	// unclear is how many times longer a trial goes on while its answer is not clear.
	unclear = 4
)

// LeastTrial is how long a rate has to hold.
func (s Search) LeastTrial() time.Duration {
	return max(time.Duration(s.TrialSeconds)*time.Second, limitsPerTrial*time.Duration(s.LimitMicros)*time.Microsecond)
}

// LongestTrial is when a trial ends although its answer is not clear.
func (s Search) LongestTrial() time.Duration {
	return unclear * s.LeastTrial()
}

// SearchesTogether says whether several pods make the trials of a search, for which they tell each other of these.
func (p Plan) SearchesTogether() bool {
	return p.Pods > 1 && slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Search != nil })
}
