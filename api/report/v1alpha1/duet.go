package v1alpha1

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// Duet is what the windows of two targets came to that were measured in turns. The report that it is in is that of the
// candidate.
type Duet struct {
	// Form is the plan's.
	Form benchv1alpha1.DuetForm `json:"form"`
	// Baseline is the report of the other side.
	Baseline Report `json:"baseline"`
	// Steps that were measured, in the order of the plan.
	Steps []DuetStep `json:"steps"`
}

// Sides of a duet, as DuetWindow names them.
const (
	SideBaseline  = "baseline"
	SideCandidate = "candidate"
)

// DuetStep is what the windows of one step came to.
type DuetStep struct {
	Name string `json:"name"`
	// WindowMillis is how long each window was.
	WindowMillis int64 `json:"windowMillis"`
	// Windows in the order in which they were measured.
	Windows []DuetWindow `json:"windows,omitempty"`
	// OmittedWindows is how many undisturbed windows are left out of Windows, because the report was too large.
	OmittedWindows int `json:"omittedWindows,omitempty"`
	// ElapsedMillis is the time from the begin of the first window to the end of the last.
	ElapsedMillis int64 `json:"elapsedMillis"`
	// Lines that were compared, in the order of the plan.
	Lines []DuetLine `json:"lines"`
}

// Measured is how many windows there were, and how many of them the other side disturbed.
func (s DuetStep) Measured() (windows, disturbed int) {
	for _, window := range s.Windows {
		if window.Disturbed != "" {
			disturbed++
		}
	}
	return len(s.Windows) + s.OmittedWindows, disturbed
}

// DuetWindow is one window of one side.
type DuetWindow struct {
	Side string `json:"side"`
	// AtMillis is when it began, after the first one.
	AtMillis int64 `json:"atMillis"`
	// Replies within the window, and Errors, of all operations.
	Replies int64 `json:"replies"`
	Errors  int64 `json:"errors,omitempty"`
	// Disturbed says what the other side was at, which should have rested: the group of the window is not compared.
	Disturbed string `json:"disturbed,omitempty"`
}

// DuetLine is one metric, and how the candidate compares with the baseline in it.
type DuetLine struct {
	Metric benchv1alpha1.Metric `json:"metric"`
	// Operation of the mix; empty: all together.
	Operation string `json:"operation,omitempty"`
	// Verdict is Improved, Unchanged, Regressed, NotDetected or Inconclusive.
	Verdict benchv1alpha1.Verdict `json:"verdict"`
	// MinEffectPercent is the smallest change that matters.
	MinEffectPercent int `json:"minEffectPercent,omitempty"`
	// Baseline and Candidate are the metric over all windows that were compared, in its unit.
	Baseline  int64 `json:"baseline"`
	Candidate int64 `json:"candidate"`
	// Pairs of values that were compared, a group of windows each, or several where one had too few operations.
	Pairs int `json:"pairs"`
	// EffectBasisPoints is the change, in hundredths of a percent of the baseline, and the others bound it at any time
	// with the confidence of the plan; both are nil while nothing is known.
	EffectBasisPoints *int64 `json:"effectBasisPoints,omitempty"`
	LowBasisPoints    *int64 `json:"lowBasisPoints,omitempty"`
	HighBasisPoints   *int64 `json:"highBasisPoints,omitempty"`
	// DecidedMillis is when the verdict was reached, after the begin of the first window; 0: it was not.
	DecidedMillis int64 `json:"decidedMillis,omitempty"`
	// Course is how the bounds became narrower.
	Course []DuetPoint `json:"course,omitempty"`
}

// DuetPoint is what was known of a line at some time.
type DuetPoint struct {
	// AtMillis is after the begin of the first window.
	AtMillis          int64 `json:"atMillis"`
	EffectBasisPoints int64 `json:"effectBasisPoints"`
	LowBasisPoints    int64 `json:"lowBasisPoints"`
	HighBasisPoints   int64 `json:"highBasisPoints"`
}
