package pacer

import (
	"math"
	"time"

	"github.com/mongobench/mongobench-operator/internal/formula"
)

const (
	// sliceLength is how often a formula is read: its rate goes evenly from one reading to the next.
	sliceLength = 100 * time.Millisecond
	// maxSlices is where a curve ends: with the longest step that there may be, a week.
	maxSlices = int64(7 * 24 * time.Hour / sliceLength)
)

// curve is a rate by a formula, as far as it was gone through: a ramp for each slice of time. Every cursor has its own,
// since counts only grow.
type curve struct {
	rate *formula.Formula
	// slice is the ramp that the last due time was in, and number how many there were before it.
	slice  ramp
	number int64
}

func newCurve(rate *formula.Formula) *curve {
	c := &curve{rate: rate, number: -1}
	c.next()
	return c
}

// next goes on to the slice after this one.
func (c *curve) next() {
	c.number++
	length := sliceLength.Seconds()
	begin := float64(c.number) * length
	c.slice = ramp{begin: begin, before: c.slice.after, length: length, from: c.at(begin), to: c.at(begin + length)}
	c.slice.after = c.slice.before + length*(c.slice.from+c.slice.to)/2
}

// at is the rate at a time: none where the formula has none.
func (c *curve) at(seconds float64) float64 {
	rate := c.rate.At(seconds)
	if math.IsNaN(rate) || math.IsInf(rate, 0) || rate < 0 {
		return 0
	}
	return rate
}

// due is when the count that is due reaches n, which is no less than at the last call.
func (c *curve) due(n float64) time.Duration {
	for n >= c.slice.after {
		if c.number >= maxSlices {
			return Never
		}
		c.next()
	}
	return c.slice.due(n)
}
