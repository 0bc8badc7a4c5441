package drivertest

import (
	"math"
	"testing"
)

// Allocations is how many times run allocates each time that it runs. What others in the process allocate meanwhile,
// such as a driver that looks after its servers, is not its own: of many short rounds the one with the fewest counts.
func Allocations(run func()) float64 {
	const rounds, runs = 100, 10
	fewest := math.Inf(1)
	for range rounds {
		if fewest = min(fewest, testing.AllocsPerRun(runs, run)); fewest == 0 {
			break
		}
	}
	return fewest
}
