package statistics

import "math"

// mostBasisPoints bounds a change that is written: a million times as much.
const mostBasisPoints = 1e10

// BasisPoints is a change in percent as the API has it: in hundredths of a percent, rounded, and bounded where it is
// infinite.
func BasisPoints(percent float64) int64 {
	return int64(math.Round(max(-mostBasisPoints, min(mostBasisPoints, percent*100))))
}
