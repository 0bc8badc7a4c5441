package comparison

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Name is what people call a metric.
func Name(metric benchv1alpha1.Metric) string { return figure.ComparedBy(metric).Name }

// Quantity writes a value of a metric for people.
func Quantity(metric benchv1alpha1.Metric, value int64) string {
	switch figure.ComparedBy(metric).Unit {
	case figure.PerSecond:
		return present.Count(value) + "/s"
	case figure.PerMillion:
		return present.Count(value) + " per million"
	case figure.Micros:
		return present.Micros(value)
	case figure.Bytes:
		return present.Bytes(value)
	case figure.Count, figure.Millis:
	}
	return present.Count(value)
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

// limitsFor a key are those of ThresholdFor.
func (s Settings) limitsFor(key Key) limits {
	threshold := s.ThresholdFor(key)
	return limits{
		higherIsBetter: *threshold.Direction == benchv1alpha1.HigherIsBetter,
		minEffect:      float64(*threshold.MinEffectPercent),
		confidence:     float64(*threshold.ConfidencePercent) / 100,
	}
}

// ThresholdFor a figure is the one that says the most about it, with all defaults. Where none is about it, it is the
// usual one of the metric.
func (s Settings) ThresholdFor(key Key) benchv1alpha1.Threshold {
	thresholds := spec.Thresholds(s.Thresholds)
	if of := closest(thresholds, key); of >= 0 {
		return thresholds[of]
	}
	return spec.Thresholds([]benchv1alpha1.Threshold{{Metric: key.Metric}})[0]
}

// selects says whether a threshold is about a figure.
func selects(threshold benchv1alpha1.Threshold, key Key) bool {
	if threshold.Metric != key.Metric || threshold.Step != nil && *threshold.Step != key.Step {
		return false
	}
	if threshold.Operation != nil {
		return *threshold.Operation == key.Operation
	}
	return key.Operation == "" || !figure.ComparedBy(threshold.Metric).Overall
}

// closest is the index of the threshold that says the most about a key, of equals the first; -1 when none does.
func closest(thresholds []benchv1alpha1.Threshold, key Key) int {
	detail := func(of benchv1alpha1.Threshold) (named int) {
		for _, name := range []*string{of.Step, of.Operation} {
			if name != nil {
				named++
			}
		}
		return named
	}
	best := -1
	for i, threshold := range thresholds {
		if selects(threshold, key) && (best < 0 || detail(threshold) > detail(thresholds[best])) {
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

// subjects are what the settings ask for of these samples: fixed figures where there are any, else thresholds, in their
// order, and of one of them in that of the samples' figures. One that is about no figure has a subject all the same.
func (s Settings) subjects(samples []Sample) []subject {
	asked := spec.Thresholds(s.Thresholds)
	if len(s.Figures) > 0 {
		asked = nil
	}
	for _, fixed := range s.Figures {
		asked = append(asked, benchv1alpha1.Threshold{
			Metric: fixed.Metric, Step: fixed.Step, Operation: fixed.Operation,
		})
	}
	keys := Keys(Side{Samples: samples})
	var chosen []subject
	for i, one := range asked {
		found := false
		add := func(key Key) {
			subject := subject{key: key, limits: s.limitsFor(key)}
			if len(s.Figures) > 0 {
				subject.figure = s.Figures[i].Value
			}
			chosen = append(chosen, subject)
		}
		for _, key := range keys {
			found = found || selects(one, key)
			if closest(asked, key) == i {
				add(key)
			}
		}
		if !found {
			add(Key{Metric: one.Metric, Step: ptr.Deref(one.Step, ""), Operation: ptr.Deref(one.Operation, "")})
		}
	}
	return chosen
}

// Keys are those of the figures of all samples, in the order in which they are first seen.
func Keys(sides ...Side) []Key {
	var keys []Key
	seen := make(map[Key]bool)
	for _, side := range sides {
		for _, sample := range side.Samples {
			for _, figure := range sample.Figures {
				if !seen[figure.Key] {
					seen[figure.Key] = true
					keys = append(keys, figure.Key)
				}
			}
		}
	}
	return keys
}
