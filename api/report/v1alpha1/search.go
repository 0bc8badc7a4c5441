package v1alpha1

// What a search ended at.
const (
	// LimitedByTarget: at higher rates the target missed the objective.
	LimitedByTarget = "Target"
	// LimitedByGenerator and LimitedByThreads: at higher rates the load generator was late itself, or had no thread free
	// to send by. What the target could do is not known beyond what was found.
	LimitedByGenerator = "Generator"
	LimitedByThreads   = "Threads"
	// LimitedByMaximum: the highest rate that may be tried was kept.
	LimitedByMaximum = "Maximum"
	// LimitedByTime: the time was over before the range was narrow.
	LimitedByTime = "Time"
)

// Search is what a search for the highest rate found.
type Search struct {
	// PercentileMillis and LimitMicros are the objective, and Process the arrivals, as in the plan.
	PercentileMillis int    `json:"percentileMillis"`
	LimitMicros      int64  `json:"limitMicros"`
	Process          string `json:"process,omitempty"`
	// Found is the highest confirmed rate in operations per second; 0 when not even the lowest kept the objective.
	Found int64 `json:"found"`
	// Below is the lowest rate that does not keep it; 0 when that is not known. Either is right with ConfidencePercent.
	Below             int64 `json:"below,omitempty"`
	ConfidencePercent int   `json:"confidencePercent,omitempty"`
	// LimitedBy is what the search ended at: a constant LimitedBy.
	LimitedBy string  `json:"limitedBy,omitempty"`
	Trials    []Trial `json:"trials"`
}

// Trial is one rate that a search tried.
type Trial struct {
	Rate     int64 `json:"rate"`
	Achieved int64 `json:"achieved"`
	// Millis is how long operations came due, and Due how many.
	Millis int64 `json:"millis,omitempty"`
	Due    int64 `json:"due,omitempty"`
	// Slow are those of them that were answered after the limit, failed, or were not sent at all.
	Slow int64 `json:"slow,omitempty"`
	// Micros is the percentile of the response time that was seen.
	Micros  int64 `json:"micros"`
	Errors  int64 `json:"errors"`
	Dropped int64 `json:"dropped"`
	Kept    bool  `json:"kept"`
	// OddsToOne are those of the answer, of which one trial gives 9 at most.
	OddsToOne    float64 `json:"oddsToOne,omitempty"`
	Confirmation bool    `json:"confirmation,omitempty"`
	// LimitedBy says of a trial that was not kept what the limit was: LimitedByTarget, LimitedByGenerator or
	// LimitedByThreads; and Because why it is not the target's.
	LimitedBy string `json:"limitedBy,omitempty"`
	Because   string `json:"because,omitempty"`
	// RecoveryMillis is how long the target was waited for before, until it had recovered from an earlier trial; and
	// Unsettled why it had not even then.
	RecoveryMillis int64  `json:"recoveryMillis,omitempty"`
	Unsettled      string `json:"unsettled,omitempty"`
}
