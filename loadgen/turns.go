package loadgen

import (
	"context"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Turns give out the windows of a duet: two engines follow a plan each, with a target of its own, and what they measure
// is measured in turns. There is one for each side; it is called by one goroutine at a time.
type Turns interface {
	// Next waits until it is this side's turn in a measured step of this name, and says what it is to do. Without more,
	// the step is over for this side. It returns when the context ends.
	Next(ctx context.Context, step string) (turn Turn, more bool, err error)
	// Done gives the turn back, once the target owes no reply.
	Done(done Done)
	// Percent of the present step that is done, 0 to 100. It may be called at any time.
	Percent() int
}

// Turn is what a side is to do until it gives the turn back.
type Turn struct {
	// WarmUp is how long to send what is not measured, and Window how long to measure afterwards; 0 is not at all.
	WarmUp, Window time.Duration
	// Sample has a turn say how many operations were answered in each of these times of its WarmUp; 0 has not.
	Sample time.Duration
	// Number of the window among those of this side, from 0 on.
	Number int
}

// Done is what a side did in a turn.
type Done struct {
	// Begin and End of the window; the replies to what was sent in it may have come after its end, until Replied.
	Begin, End, Replied time.Time
	// Operations of the window, in the order of the mix.
	Operations []DoneOperation
	// Samples are the operations that were answered, one after the other.
	Samples []int64
}

// DoneOperation is what one operation of a mix did in a window.
type DoneOperation struct {
	// Replies that came within the window, and Errors, wherever they came.
	Replies, Errors int64
	// Latency of all that were sent in the window and have one, in microseconds, those that failed included; nil without
	// any.
	Latency *hdrhistogram.Histogram
}
