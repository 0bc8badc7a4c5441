package v1alpha1

import (
	"fmt"
	"time"
)

// Reasons for doubt: the names of the reasons of a run's condition Trusted, which a test compares with these.
const (
	DoubtGeneratorSaturated = "GeneratorSaturated"
	DoubtStartSkew          = "StartSkew"
	DoubtOperationErrors    = "OperationErrors"
)

const (
	// saturatedPercent of its CPU is where a load generator begins to measure itself. A reply that arrives has to wait
	// for the CPU; by the simplest model of a queue that wait is u/(1-u) times the work on one reply at utilisation u:
	// once at 50 %, nine times at 90 %, nineteen times at 95 %.
	saturatedPercent = 90

	// maxThrottledShare is one in this much of the window. While a load generator is kept from running by its CPU limit,
	// every reply waits for it; with more of that than one part in a hundred the 99th percentile is its own.
	maxThrottledShare = 100

	// maxStartSkew is how far from the published instant a pod may begin. At the shortest step, one second, it leaves
	// 95 % of the window to all pods together.
	maxStartSkew = 50 * time.Millisecond

	// maxErrorShare is one in this many operations. An operation that failed is in no latency, so that with more of
	// them even the 99th percentile is of a choice of the requests.
	maxErrorShare = 100
)

// Doubt is a reason not to believe a report's numbers.
type Doubt struct {
	// Reason is one of the constants of this package.
	Reason string `json:"reason"`
	// Message says in which step, by how much, and what to do.
	Message string `json:"message"`
}

// Doubts finds the reasons not to believe what was measured, each once, for the step where it is worst. None is nil. A
// report that contradicts itself is an error: it cannot even be doubted.
func Doubts(report Report) ([]Doubt, error) {
	checks := []struct {
		reason string
		// severity of a step: what it has of the evil, and the message; 0 when there is no doubt.
		severity func(Step) (int64, string)
	}{
		{DoubtGeneratorSaturated, saturation},
		{DoubtStartSkew, startSkew},
		{DoubtOperationErrors, operationErrors},
	}
	if err := consistent(report); err != nil {
		return nil, fmt.Errorf("looking for doubts: %w", err)
	}
	var doubts []Doubt
	for _, check := range checks {
		var worst int64
		var message string
		for _, step := range report.Steps {
			if step.Kind != kindMeasure {
				continue
			}
			if severity, text := check.severity(step); severity > worst {
				worst, message = severity, text
			}
		}
		if worst > 0 {
			doubts = append(doubts, Doubt{Reason: check.reason, Message: message})
		}
	}
	return doubts, nil
}

// consistent compares the two places that count the operations that succeeded.
func consistent(report Report) error {
	for _, step := range report.Steps {
		if step.Kind != kindMeasure {
			continue
		}
		for _, operation := range step.Operations {
			times, err := mergeHistograms(operation.ServiceTime)
			if err != nil {
				return fmt.Errorf("step %q, operation %q: %w", step.Name, operation.Name, err)
			}
			if times.TotalCount() != operation.Count {
				return fmt.Errorf("step %q, operation %q: %d operations were counted and %d were timed",
					step.Name, operation.Name, operation.Count, times.TotalCount())
			}
		}
	}
	return nil
}

func saturation(step Step) (int64, string) {
	percent := step.Generator.BusiestPodPercent
	throttled := time.Duration(step.Generator.ThrottledMicros) * time.Microsecond
	const advice = "so that it may have been the limit, not the server; give spec.loadGenerator more cpu or more pods"
	switch {
	case percent >= saturatedPercent:
		return int64(percent), fmt.Sprintf("step %q: a load pod used %d %% of its CPU, %s", step.Name, percent, advice)
	case throttled*maxThrottledShare > step.Duration():
		return int64(max(percent, 1)), fmt.Sprintf("step %q: a load pod was kept from running by its CPU limit for %s "+
			"of %s, %s", step.Name, throttled.Round(time.Millisecond), step.Duration().Round(time.Millisecond), advice)
	default:
		return 0, ""
	}
}

func startSkew(step Step) (int64, string) {
	skew := time.Duration(magnitude(step.StartSkewMicros)) * time.Microsecond
	if skew <= maxStartSkew {
		return 0, ""
	}
	return int64(skew), fmt.Sprintf("step %q: a load pod began %s from the agreed instant, and %s are allowed; see "+
		"whether the nodes' clocks agree and their CPUs are free", step.Name, skew.Round(time.Millisecond), maxStartSkew)
}

func operationErrors(step Step) (int64, string) {
	var succeeded, failed int64
	var first ErrorClass
	for _, operation := range step.Operations {
		succeeded += operation.Count
		failed += operation.Errors
		for _, class := range operation.ErrorClasses {
			if class.Count > first.Count {
				first = class
			}
		}
	}
	all := succeeded + failed
	if failed*maxErrorShare <= all {
		return 0, ""
	}
	message := fmt.Sprintf("step %q: %d of %d operations failed", step.Name, failed, all)
	if first.Count > 0 {
		message += fmt.Sprintf(", most often with a %s error: %s", first.Class, first.FirstMessage)
	}
	// Shares are compared, in millionths, since steps differ in length.
	return failed * 1_000_000 / all, message
}
