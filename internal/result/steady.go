package result

import (
	"math"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// What steady means here. The bounds are wide: a database has checkpoints and a shared machine its neighbours, and what
// is to be found is a cache that still fills, a disk whose credit runs out, a cluster that still moves chunks.
const (
	// steadyBatch is how long the intervals are that are averaged before they are looked at, five of a second each as in
	// MSER-5: what goes up and down within that is not a matter of steadiness.
	steadyBatch = 5 * time.Second

	// fewestBatches is below which nothing is said: half a minute.
	fewestBatches = 6

	// fewestInBatch is how many operations a batch must have on average: of fewer there is no telling a rate from chance.
	fewestInBatch = 1

	// transientShare of the mean is how far a batch at the start must lie outside the others to be called a transient.
	// Without it, noise alone would be cut at a random place.
	transientShare = 0.05

	// maxVariation is the largest coefficient of variation of the batches.
	maxVariation = 0.20

	// maxDrift is by how much the means of both halves may differ, and driftErrors by how many standard errors they must.
	maxDrift    = 0.10
	driftErrors = 2

	// randomMargin is by how much operations that come at random may seem to vary more than they do, in few batches.
	randomMargin = 3

	// maxThroughput bounds the intervals that a broken report could ask for: twelve days of seconds.
	maxThroughput = 1 << 20
)

// FindSteady says from when on a step's throughput was steady. It is nil when the window has less than half a minute,
// or fewer operations than batches, but some.
//
// A transient at the start is cut off where the mean squared error of the rest is smallest, within the first half of
// the window: MSER-5, White 1997, "An effective truncation heuristic for bias reduction in simulation output",
// Simulation 69(6). Batches before the cut that are like those after it are taken back, for noise alone is cut too.
// MSER always cuts somewhere, so that what is left is judged as well: it is steady when its batches vary by less than
// 20 % of their mean beyond what counting at random brings, and its second half is within 10 % of its first, or within
// two standard errors.
func FindSteady(step reportv1.Step) *reportv1.Steady {
	counts := Throughput(step)
	interval := time.Duration(step.IntervalMillis) * time.Millisecond
	if interval <= 0 {
		return nil
	}
	size := int(max(1, steadyBatch/interval))
	batches := batchMeans(counts, size)
	inBatch := mean(batches) * float64(size)
	if len(batches) < fewestBatches || inBatch > 0 && inBatch < fewestInBatch {
		return nil
	}
	cut := takeBack(batches, truncation(batches), size)
	if !level(batches[cut:], size) {
		return &reportv1.Steady{VariationPercent: percent(Vary(counts).Coefficient)}
	}
	from := cut * size
	return &reportv1.Steady{
		Reached:          true,
		AfterMillis:      (time.Duration(from) * interval).Milliseconds(),
		VariationPercent: percent(Vary(counts[from:]).Coefficient),
	}
}

// Throughput is how many operations succeeded in each whole interval of the measure window. The last reply of an
// operation may come after the window; the intervals after it are left out.
func Throughput(s reportv1.Step) []int64 {
	interval := time.Duration(s.IntervalMillis) * time.Millisecond
	if interval <= 0 {
		return nil
	}
	// After the last reply there may be intervals without any.
	whole := min(int64(s.Window()/interval), maxThroughput)
	if whole <= 0 || intervalCount(s) == 0 {
		return nil
	}
	counts := make([]int64, whole)
	for operation := range s.Mix() {
		AddCounts(counts, operation.Intervals[:min(len(operation.Intervals), len(counts))])
	}
	return counts
}

// truncation is how many batches MSER cuts off: the number up to half of them for which the variance of the rest, over
// the size of the rest, is smallest.
func truncation(batches []float64) int {
	best, least := len(batches)/2, math.Inf(1)
	var average, squares, size float64
	for cut, batch := range slices.Backward(batches) {
		// Welford's way of adding a value to a mean and to the sum of the squares of what differs from it.
		size++
		difference := batch - average
		average += difference / size
		squares += difference * (batch - average)
		if estimate := squares / (size * size); cut <= len(batches)/2 && estimate <= least {
			best, least = cut, estimate
		}
	}
	return best
}

// takeBack moves a cut towards the start for as long as the batch before it is within the range of those after it, or
// nearly so.
func takeBack(batches []float64, cut, size int) int {
	rest := batches[cut:]
	average := mean(rest)
	margin := max(transientShare*average, math.Sqrt(average/float64(size)))
	lowest, highest := slices.Min(rest)-margin, slices.Max(rest)+margin
	for cut > 0 && batches[cut-1] >= lowest && batches[cut-1] <= highest {
		cut--
	}
	// A start that differs by no more than halves may differ is as good as the rest.
	if cut > 0 && math.Abs(mean(batches[:cut])-average) <= maxDrift*average {
		return 0
	}
	return cut
}

// level says whether batches of this many intervals are about the same from begin to end.
func level(batches []float64, size int) bool {
	average := mean(batches)
	if average <= 0 {
		return false
	}
	// Operations that come at random have a variance of one per operation, of which a batch mean shows a part in size.
	random := average / float64(size)
	if variance(batches) > maxVariation*average*maxVariation*average+randomMargin*random {
		return false
	}
	early, late := batches[:len(batches)/2], batches[len(batches)/2:]
	drift := math.Abs(mean(late) - mean(early))
	if drift <= maxDrift*average {
		return true
	}
	// The spread within each half, not of all: what is asked is whether the halves differ by more than that.
	spread := max(variance(early), random)/float64(len(early)) + max(variance(late), random)/float64(len(late))
	return drift <= driftErrors*math.Sqrt(spread)
}

// batchMeans are the means of as many whole batches as there are.
func batchMeans(counts []int64, size int) []float64 {
	means := make([]float64, 0, len(counts)/size)
	for ; len(counts) >= size; counts = counts[size:] {
		means = append(means, float64(sum(counts[:size]))/float64(size))
	}
	return means
}

func percent(share float64) int {
	return int(math.Round(share * 100))
}

// Variation says how evenly a series goes on.
type Variation struct {
	Mean float64
	// Coefficient of variation: the standard deviation over the mean. 0 is a series that never changes.
	Coefficient float64
	// Dispersion is the index of dispersion, the variance over the mean. For counts it says how bursty they are: 1 when
	// what is counted comes at random (Poisson), less when it comes evenly, more when it comes in bursts. It depends on
	// the length of the intervals (Cox and Lewis 1966, "The statistical analysis of series of events"; Gusella 1991).
	Dispersion float64
	// PeakToMean is the largest value over the mean.
	PeakToMean float64
}

// Vary looks at a series. Values below 0 are not known and are left out; of fewer than two there is only a mean, and
// without a mean nothing.
func Vary(values []int64) Variation {
	known := make([]float64, 0, len(values))
	var peak int64
	for _, value := range values {
		if value >= 0 {
			known = append(known, float64(value))
			peak = max(peak, value)
		}
	}
	average := mean(known)
	if len(known) < 2 || average == 0 {
		return Variation{Mean: average}
	}
	spread := variance(known)
	return Variation{
		Mean: average, Coefficient: math.Sqrt(spread) / average, Dispersion: spread / average,
		PeakToMean: float64(peak) / average,
	}
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}

// variance is that of a whole population, as MSER has it.
func variance(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	average := mean(values)
	var sum float64
	for _, value := range values {
		sum += (value - average) * (value - average)
	}
	return sum / float64(len(values))
}
