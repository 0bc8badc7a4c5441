package search

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// queuedShare: waiting for a free thread for more than one in this much of the response time is noticed in it.
	queuedShare = 10
	// busyFactor: a target that takes this many times as long as it does at rest has a queue itself.
	busyFactor = 2
)

// Circumstances are those of a trial that was not kept. Times are in microseconds; those not named otherwise are of the
// objective's percentile.
type Circumstances struct {
	// Generator says why the load generator may have been the limit; empty when it was not.
	Generator   string
	Threads     int
	LimitMicros int64
	// Response time, of which an operation was Queued until a thread was free, and then took the Service time.
	ResponseMicros, QueuedMicros, ServiceMicros int64
	// MedianMicros is the median of the service time, and Usual that of the target at rest.
	MedianMicros, UsualMicros int64
}

// LimitedBy says what was the limit, and why unless it was the target.
//
// When operations wait for a thread, either the target is too slow, or there are too few threads. It is the threads,
// or may be, when the operations once sent take no longer than the objective allows, and hardly longer than those of a
// target at rest: then nothing shows that the target would not carry more at a time.
func (c Circumstances) LimitedBy() (limitedBy, because string) {
	switch {
	case c.Generator != "":
		return reportv1.LimitedByGenerator, c.Generator
	case c.QueuedMicros*queuedShare > c.ResponseMicros && c.ServiceMicros <= c.LimitMicros &&
		c.MedianMicros < busyFactor*c.UsualMicros:
		return reportv1.LimitedByThreads, fmt.Sprintf("operations waited for one of %d threads for %s of %s, and once sent "+
			"half of them took %s, against %s at rest", c.Threads, present.Micros(c.QueuedMicros),
			present.Micros(c.ResponseMicros), present.Micros(c.MedianMicros), present.Micros(c.UsualMicros))
	default:
		return reportv1.LimitedByTarget, ""
	}
}
