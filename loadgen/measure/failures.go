package measure

import (
	"errors"
	"fmt"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// A worker whose operations have all failed for this long, and this many times, gives up: the database is gone or
// refuses what the workload asks, and a measurement of that would only look like one.
const (
	giveUpAfter    = time.Minute
	giveUpFailures = 3
)

// Failures are those of a worker since its last success.
type Failures struct {
	number int
	// since is when the first of them was sent.
	since time.Time
}

// Add counts what became of an operation. The error is why the worker is to give up.
func (f *Failures) Add(failure error, sent, replied time.Time) error {
	if failure == nil {
		f.number = 0
		return nil
	}
	if f.number == 0 {
		f.since = sent
	}
	f.number++
	failing := replied.Sub(f.since)
	if f.number < giveUpFailures || failing < giveUpAfter {
		return nil
	}
	return fmt.Errorf("had nothing but failures for %s, %d of them; the last: %w", failing.Round(time.Second), f.number,
		failure)
}

// NothingSucceeded is the error of a step in which no operation succeeded and some failed: it has measured nothing.
func NothingSucceeded(operations []reportv1.Operation) error {
	var succeeded int64
	var failure error
	for _, operation := range operations {
		succeeded += operation.Count
		for _, class := range operation.ErrorClasses {
			failure = errors.Join(failure, fmt.Errorf("operation %q failed %d times (%s), first: %s",
				operation.Name, class.Count, class.Class, class.FirstMessage))
		}
	}
	if succeeded == 0 && failure != nil {
		return fmt.Errorf("no operation succeeded: %w", failure)
	}
	return nil
}
