package comparison

import (
	"slices"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// DefaultThresholds are those of a suite that names none: throughput and 99th percentile of every step.
func DefaultThresholds() []benchv1alpha1.Threshold {
	return []benchv1alpha1.Threshold{
		{Metric: benchv1alpha1.MetricOperationsPerSecond},
		{Metric: benchv1alpha1.MetricP99Micros},
	}
}

// limits are what one figure is judged by.
type limits struct {
	higherIsBetter bool
	// minEffect in percent.
	minEffect float64
	// confidence between 0 and 1.
	confidence float64
}

func (l limits) alpha() float64 { return 1 - l.confidence }

// WithDefaults is a threshold with all that it leaves open filled in.
func WithDefaults(threshold benchv1alpha1.Threshold) benchv1alpha1.Threshold {
	direction := benchv1alpha1.LowerIsBetter
	if throughput(infoOf(threshold.Metric)) {
		direction = benchv1alpha1.HigherIsBetter
	}
	if threshold.Direction == nil {
		threshold.Direction = &direction
	}
	if threshold.MinEffectPercent == nil {
		threshold.MinEffectPercent = new(benchv1alpha1.DefaultMinEffectPercent)
	}
	if threshold.ConfidencePercent == nil {
		threshold.ConfidencePercent = new(benchv1alpha1.DefaultConfidencePercent)
	}
	return threshold
}

func limitsOf(threshold benchv1alpha1.Threshold) limits {
	whole := WithDefaults(threshold)
	return limits{
		higherIsBetter: *whole.Direction == benchv1alpha1.HigherIsBetter,
		minEffect:      float64(*whole.MinEffectPercent),
		confidence:     float64(*whole.ConfidencePercent) / 100,
	}
}

// selector is the part that a threshold and a fixed figure have in common: which figures of a run they are about.
type selector struct {
	metric          benchv1alpha1.Metric
	step, operation *string
}

func thresholdSelector(t benchv1alpha1.Threshold) selector {
	return selector{metric: t.Metric, step: t.Step, operation: t.Operation}
}

func figureSelector(f benchv1alpha1.Figure) selector {
	return selector{metric: f.Metric, step: f.Step, operation: f.Operation}
}

func (s selector) selects(key Key) bool {
	if s.metric != key.Metric || s.step != nil && *s.step != key.Step {
		return false
	}
	if s.operation != nil {
		return *s.operation == key.Operation
	}
	return key.Operation == "" || !infoOf(s.metric).Overall
}

// detail is larger the more is named.
func (s selector) detail() int {
	detail := 0
	if s.operation != nil {
		detail++
	}
	if s.step != nil {
		detail++
	}
	return detail
}

// key that stands for a selector that selects nothing.
func (s selector) key() Key {
	return Key{Metric: s.metric, Step: ptr.Deref(s.step, ""), Operation: ptr.Deref(s.operation, "")}
}

// closest is the index of the selector that says the most about a key, of equals the first; -1 when none does.
func closest(selectors []selector, key Key) int {
	best := -1
	for i, s := range selectors {
		if s.selects(key) && (best < 0 || s.detail() > selectors[best].detail()) {
			best = i
		}
	}
	return best
}

// subject is one figure that is to be compared.
type subject struct {
	key    Key
	limits limits
	// figure is what it is compared with; nil for the samples of a baseline.
	figure *int64
}

// subjects are what the settings ask for of these samples, in the order of the thresholds, and of one threshold in that
// of the samples' figures.
func (s Settings) subjects(samples []Sample) []subject {
	thresholds, about := s.thresholds(), s.selectors()
	if len(s.Figures) == 0 {
		return choose(about, samples, func(key Key, i int) subject {
			return subject{key: key, limits: limitsOf(thresholds[i])}
		})
	}
	figures := make([]selector, 0, len(s.Figures))
	for _, figure := range s.Figures {
		figures = append(figures, figureSelector(figure))
	}
	return choose(figures, samples, func(key Key, i int) subject {
		return subject{key: key, limits: s.limitsFor(key), figure: s.Figures[i].Value}
	})
}

// limitsFor a key are those of the threshold that is about it, or else the usual ones.
func (s Settings) limitsFor(key Key) limits {
	return limitsOf(s.ThresholdFor(key))
}

// ThresholdFor a figure is the one that says the most about it, with all defaults. Where none is about it, it is the
// usual one of the metric.
func (s Settings) ThresholdFor(key Key) benchv1alpha1.Threshold {
	if of := closest(s.selectors(), key); of >= 0 {
		return WithDefaults(s.thresholds()[of])
	}
	return WithDefaults(benchv1alpha1.Threshold{Metric: key.Metric})
}

// selectors of the thresholds, in their order.
func (s Settings) selectors() []selector {
	thresholds := s.thresholds()
	selectors := make([]selector, 0, len(thresholds))
	for _, threshold := range thresholds {
		selectors = append(selectors, thresholdSelector(threshold))
	}
	return selectors
}

func (s Settings) thresholds() []benchv1alpha1.Threshold {
	if len(s.Thresholds) == 0 {
		return DefaultThresholds()
	}
	return s.Thresholds
}

// choose makes a subject of every key that a selector is the closest of, and of every selector that selects none.
func choose(selectors []selector, samples []Sample, subjectOf func(key Key, selector int) subject) []subject {
	keys := keysOf(samples)
	var chosen []subject
	for i, s := range selectors {
		if !slices.ContainsFunc(keys, s.selects) {
			chosen = append(chosen, subjectOf(s.key(), i))
			continue
		}
		for _, key := range keys {
			if closest(selectors, key) == i {
				chosen = append(chosen, subjectOf(key, i))
			}
		}
	}
	return chosen
}

// keysOf are the keys of all samples, in the order in which they are first seen.
func keysOf(samples []Sample) []Key {
	var keys []Key
	seen := make(map[Key]bool)
	for _, sample := range samples {
		for _, figure := range sample.Figures {
			if !seen[figure.Key] {
				seen[figure.Key] = true
				keys = append(keys, figure.Key)
			}
		}
	}
	return keys
}
