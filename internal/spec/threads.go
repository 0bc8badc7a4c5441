package spec

import (
	"math"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/formula"
)

// An open loop has as many operations in flight on average as arrive in the time that one takes (Little 1961). The
// threads of one that declares none are twice those of operations that take 10 ms on average, since arrivals come in
// bursts, within bounds: a few are no cost, and each has a connection that takes the server memory.
const (
	assumedMillis                      = 10
	sparePerThread                     = 2
	fewestOpenThreads, mostOpenThreads = int64(16), int64(128)
	millisPerSecond, microsPerSecond   = 1000, 1_000_000
)

// threads are those of a step or group that declares none.
func threads(arrival *benchv1alpha1.Arrival, search *benchv1alpha1.Search, pods int32) int32 {
	rate := highestRate(arrival, search)
	if rate == 0 {
		return benchv1alpha1.DefaultStepThreads
	}
	wanted := min(max(rate*sparePerThread*assumedMillis/millisPerSecond, fewestOpenThreads), mostOpenThreads)
	return max(int32(wanted), pods)
}

// highestRate is the most operations per second that are due at any time of an open loop; 0 for a closed one.
func highestRate(arrival *benchv1alpha1.Arrival, search *benchv1alpha1.Search) int64 {
	var highest int64
	if search != nil {
		highest = search.MaxOperationsPerSecond
	}
	if arrival == nil {
		return highest
	}
	highest = max(highest, ptr.Deref(arrival.OperationsPerSecond, 0))
	for _, stage := range arrival.Stages {
		highest = max(highest, stage.OperationsPerSecond, ptr.Deref(stage.FromOperationsPerSecond, 0))
	}
	highest = max(highest, formulaPeak(arrival.Formula))
	var gaps int64
	for _, gap := range arrival.GapsMicros {
		gaps += gap
	}
	if gaps > 0 {
		highest = max(highest, int64(len(arrival.GapsMicros))*microsPerSecond/gaps)
	}
	// An open loop without a rate is refused elsewhere.
	return max(highest, 1)
}

// peakSeconds is how far a formula is looked at for its highest rate.
const peakSeconds = 3600

// formulaPeak is the highest rate of a formula's first hour; 0 without one, or of one that is refused elsewhere.
func formulaPeak(text *string) int64 {
	if text == nil {
		return 0
	}
	rate, err := formula.Parse(*text)
	if err != nil {
		return 0
	}
	highest := 0.0
	for second := range peakSeconds {
		if at := rate.At(float64(second)); at > highest && !math.IsInf(at, 1) {
			highest = at
		}
	}
	return int64(min(highest, math.MaxInt32))
}
