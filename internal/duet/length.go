package duet

import (
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// shortestWindow is the length where nothing says that a longer one is better: of the same time more windows say more.
const shortestWindow = time.Second

// WindowLength says how long the windows of a step are to be, from how many operations each side answered in the
// intervals of its warm-up. It is the longer of what the two sides need.
func WindowLength(step planv1.Step, samples [2][]int64, interval time.Duration) time.Duration {
	needs := statistics.WindowNeeds{Interval: interval}
	longest := shortestWindow
	for _, side := range samples {
		counts, answered := make([]float64, len(side)), 0.0
		for i, count := range side {
			counts[i] = float64(count)
			answered += float64(count)
		}
		if answered == 0 {
			continue
		}
		// By Little's law, with every thread at work.
		needs.Latency = time.Duration(float64(step.Threads) * float64(len(side)) * float64(interval) / answered)
		if chosen, err := statistics.ChooseWindow(counts, needs); err == nil {
			longest = max(longest, chosen.Length)
		}
	}
	return longest
}
