package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// shortestWindow and longestWindow are the first and the last length that are tried, in seconds.
	shortestWindow, longestWindow = 1, 5
	// leastOperations is how many operations a window has, so that their number does not vary by chance alone.
	leastOperations = 30
	// leastLatencies is how many times an operation's latency a window lasts: an operation that begins in a window and
	// ends after it belongs to neither side.
	leastLatencies = 10
	// leastQuads is how many quads the series must hold for the noise of a length to be known from it.
	leastQuads = 8
	// muchNoisier is how many times the noise of the quietest length a shorter one may have: the variance of few quads is
	// known to a half only, and longer windows leave fewer quads to look after.
	muchNoisier = 2.0
	// windowLags is how many lags a WindowLength has correlations of.
	windowLags = 3
)

// WindowNeeds is what the windows are for, in which two sides are loaded in turn.
type WindowNeeds struct {
	// Interval is that of one count of the series: a second or an integer part of it, such as 100 ms.
	Interval time.Duration
	// Latency is that of an operation; 0 where it is not known, and then it asks for nothing.
	Latency time.Duration
}

// Window is the length of windows that was chosen.
type Window struct {
	// Length is that of one window, in whole seconds; a quad is four of them.
	Length time.Duration
	// Enough says that the windows hold as many operations as are needed. Otherwise Length is the longest, and a value of
	// such a window says little.
	Enough bool
	// Lengths are all that were tried, from the shortest on.
	Lengths []WindowLength
}

// WindowLength is what a series says of windows of one length.
type WindowLength struct {
	Length time.Duration
	// Operations of a window, in the mean.
	Operations float64
	// Enough says that these are as many as are needed, and that they are short in comparison with the window.
	Enough bool
	// Autocorrelation of the logarithms of windows at lags 1, 2 and 3; NaN where the series has fewer than eight quads.
	Autocorrelation []float64
	// Noise is the long-run variance of the log ratio of a quad whose sides do not differ, times the seconds that the quad
	// takes: how much of it is left after a second of measuring. NaN where the series has fewer than eight quads.
	Noise float64
}

// ChooseWindow finds the best length of windows between 1 and 5 s from how many operations ended in each interval while
// one side was warmed up. It is the shortest that has enough operations (30, and ten times their latency) and no more
// than twice the noise of the quietest length that has. A percentile that needs more of them is read from several quads
// together, which takes as long as longer windows would, and leaves the throughput its short ones.
//
// That is nearly always the shortest that has enough: what disturbs a machine lasts for seconds, so that the windows of
// a quad are the more alike the closer they are. A longer one is quieter where something comes back with the period of
// a quad. The series is cut into quads at each of its intervals, as if the two sides took turns in it, so that where a
// period begins makes no difference.
//
// The series has one second at least, and no count is negative.
func ChooseWindow(counts []float64, needs WindowNeeds) (Window, error) {
	if err := needs.check(counts); err != nil {
		return Window{}, err
	}
	var window Window
	quietest := math.Inf(1)
	for seconds := shortestWindow; seconds <= longestWindow; seconds++ {
		length := needs.measure(counts, time.Duration(seconds)*time.Second)
		window.Lengths = append(window.Lengths, length)
		if length.Enough && length.Noise < quietest {
			quietest = length.Noise
		}
	}
	chosen := slices.IndexFunc(window.Lengths, func(length WindowLength) bool {
		// What is not known is not noisier, and neither is what has no noise at all.
		return length.Enough && !(length.Noise > muchNoisier*quietest)
	})
	if chosen < 0 {
		window.Length = longestWindow * time.Second
		return window, nil
	}
	window.Length, window.Enough = window.Lengths[chosen].Length, true
	return window, nil
}

func (n WindowNeeds) check(counts []float64) error {
	if err := check(counts); err != nil {
		return err
	}
	switch {
	case n.Interval <= 0 || n.Interval > time.Second || time.Second%n.Interval != 0:
		return fmt.Errorf("an interval of %s is no integer part of a second", n.Interval)
	case n.Latency < 0:
		return fmt.Errorf("the latency is %s", n.Latency)
	case slices.Min(counts) < 0:
		return errors.New("a count is negative")
	case time.Duration(len(counts))*n.Interval < time.Second:
		return errors.New("the series is shorter than a second")
	}
	return nil
}

// measure is what the series says of one length.
func (n WindowNeeds) measure(counts []float64, length time.Duration) WindowLength {
	width := int(length / n.Interval)
	measured := WindowLength{
		Length: length, Operations: meanFrom(counts, 0) * float64(width), Noise: math.NaN(),
	}
	measured.Enough = measured.Operations >= leastOperations && length >= leastLatencies*n.Latency
	known := len(counts) >= 4*leastQuads*width
	logs := logsOfWindows(counts, width)
	for lag := 1; lag <= windowLags; lag++ {
		correlation := math.NaN()
		if known {
			correlation = correlationAt(logs, lag*width)
		}
		measured.Autocorrelation = append(measured.Autocorrelation, correlation)
	}
	if known {
		measured.Noise = quadVariance(logs, width) * 4 * length.Seconds()
	}
	return measured
}

// logsOfWindows are the logarithms of how many operations there are in a window that begins at each interval. A window
// without any counts as half an operation.
func logsOfWindows(counts []float64, width int) []float64 {
	var logs []float64
	for start := 0; start+width <= len(counts); start++ {
		total := 0.0
		for _, count := range counts[start : start+width] {
			total += count
		}
		logs = append(logs, math.Log(max(total, 0.5)))
	}
	return logs
}

// correlationAt is that of values with those a lag later; 0 when all are equal.
func correlationAt(values []float64, lag int) float64 {
	deviations := around(values, meanFrom(values, 0))
	squares := products(deviations, 0)
	if squares == 0 {
		return 0
	}
	return products(deviations, lag) / squares * float64(len(values)) / float64(len(values)-lag)
}

// quadVariance is the long-run variance of the log ratio of quads, around 0, which it is when both sides are one: that
// of a ratio, and what those that follow each other have in common.
func quadVariance(logs []float64, width int) float64 {
	var ratios []float64
	for start := 0; start+3*width < len(logs); start++ {
		ratios = append(ratios, (logs[start+width]+logs[start+2*width]-logs[start]-logs[start+3*width])/2)
	}
	variance := products(ratios, 0) / float64(len(ratios))
	return variance + 2*max(0, products(ratios, 4*width)/float64(len(ratios)-4*width))
}
