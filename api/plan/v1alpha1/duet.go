package v1alpha1

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Duet has every Measure of a plan take turns with that of another plan on another target, the baseline.
type Duet struct {
	// Baseline is what is done to the other target. It has a Measure of the same name for each of the plan's, in the same
	// order, and no Duet.
	Baseline Plan `json:"baseline"`
	// Form of the windows.
	Form benchv1alpha1.DuetForm `json:"form"`
	// WindowMillis is the length of a window, in whole seconds; 0: it is chosen from how the warm-up varies.
	WindowMillis int64 `json:"windowMillis,omitempty"`
	// Lines is how many lines the confidence is held over: those of the plan, and of others that are judged with it.
	Lines int `json:"lines"`
}

// Line is one metric that a Measure of a duet compares.
type Line struct {
	Metric benchv1alpha1.Metric `json:"metric"`
	// Operation of the mix; empty: all together.
	Operation string `json:"operation,omitempty"`
	// LowerIsBetter, as of a latency.
	LowerIsBetter bool `json:"lowerIsBetter,omitempty"`
	// MinEffectPercent is the smallest change that matters, and ConfidencePercent that of the verdicts on all lines
	// together.
	MinEffectPercent  int `json:"minEffectPercent"`
	ConfidencePercent int `json:"confidencePercent"`
}
