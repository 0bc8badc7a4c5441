package workload

import (
	"math"
	"math/bits"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// drift bounds, in square roots of the number of operations, how far a worker may lag behind another. The workers of a
// closed loop go each at its own pace, so their distance grows as that of a random walk does: with S workers, whose
// latencies deviate by as much as their mean, by the square root of n*S. 32 are four standard deviations of 64 workers.
const drift = 32

// walked is about how many operations are looked at, one by one, to find an insert by its rank. Beyond, its place is
// estimated.
const walked = 512

// newest draws records by a Latest distribution from those that are loaded and those that the step has inserted before.
//
// That a record was inserted before operation n is a function of n alone, as all that is drawn: inserts of the last
// drift*sqrt(n) operations do not count, since other workers may not have come that far. A worker that is further
// behind makes reads miss, which shows in the documents that were read. What a warm-up inserts, the measurement does
// not draw, since it cannot know how far the warm-up came.
//
//	loaded records │ inserts of operations 0 .. n-drift*sqrt(n) │ under way
//	oldest                                    rank 2, 1, 0 ────>│
//
// It differs from YCSB in the above, and in three points more: the number of inserts before n is the expected one, so
// that it need not be counted; the inserts with higher ranks are found by where they are expected, which makes a rank
// k an insert whose real rank deviates from k by about the square root of k; and the distribution is always that of
// the range as it is, while YCSB keeps a constant from when the run began, by which it hardly draws rank 2 and those
// after it once the range has grown a few times.
type newest struct {
	mix     *Mix
	growing *keydist.Growing
	loaded  int64
	// spans are the operations that insert, and most is the largest number of documents of one.
	spans []span
	most  uint64
	// documents are inserted, on average, by this number of operations.
	documents, operations uint64
	// exact is the rank from which on the place is estimated.
	exact uint64
}

// span is where the random points of a mix lie, from and last included, at which it picks an operation that inserts
// so many documents. To compare with it takes half the time of the pick.
type span struct {
	from, last uint64
	documents  int64
}

func isLatest(d planv1.Distribution) bool {
	return benchv1alpha1.DistributionType(d.Type) == benchv1alpha1.DistributionLatest
}

// newNewest looks at what a complete mix inserts into a collection; nil when that is nothing.
func newNewest(m *Mix, c collection, growing *keydist.Growing) *newest {
	n := &newest{mix: m, growing: growing, loaded: c.loaded, operations: m.bounds[len(m.bounds)-1]}
	low := uint64(0)
	for i := range m.operations {
		if count := m.operations[i].insertsInto(c); count > 0 && m.bounds[i] > low {
			from := firstPoint(low, n.operations)
			n.spans = append(n.spans, span{from: from, last: firstPoint(m.bounds[i], n.operations) - 1, documents: count})
			n.most = max(n.most, uint64(count))
			n.documents += uint64(count) * (m.bounds[i] - low)
		}
		low = m.bounds[i]
	}
	if n.most == 0 {
		return nil
	}
	n.exact = max(scale(walked, n.documents, n.operations), 1)
	return n
}

// firstPoint is the least point that is scaled to this item or a later one of so many. One beyond the last item has the
// point 2^64, which is 0.
func firstPoint(item, items uint64) uint64 {
	if item == items {
		return 0
	}
	point, rest := bits.Div64(item, 0, items)
	if rest > 0 {
		point++
	}
	return point
}

// inserts is how many documents the operation with this number inserts.
func (n *newest) inserts(number int64) int64 {
	point := uint64(n.mix.stream.At(number))
	for i := range n.spans {
		if s := &n.spans[i]; point >= s.from && point <= s.last {
			return s.documents
		}
	}
	return 0
}

// scale is x*numerator/denominator, rounded down. The result must fit.
func scale(x, numerator, denominator uint64) uint64 {
	high, low := bits.Mul64(x, numerator)
	quotient, _ := bits.Div64(high, low, denominator)
	return quotient
}

// record draws for the operation with this number.
func (n *newest) record(p stream.Point, number int64) int64 {
	base := int64(0)
	if number >= FirstWarmupNumber {
		base = FirstWarmupNumber
	}
	before := number - base
	visible := max(before-int64(drift*math.Sqrt(float64(before))), 0)
	inserted := scale(uint64(visible), n.documents, n.operations)
	rank := n.growing.Rank(uint64(p), uint64(n.loaded)+inserted)
	switch {
	case rank >= inserted:
		return n.loaded - 1 - int64(rank-inserted)
	case rank < n.exact:
		return n.walk(base, visible-1, int64(rank))
	default:
		return n.sample(base, visible, rank, p)
	}
}

// walk goes back from a place to the document of this rank before it. Places count from the base.
func (n *newest) walk(base, place, rank int64) int64 {
	for ; place >= 0; place-- {
		count := n.inserts(base + place)
		if rank < count {
			return n.mix.insertRecord(base+place) + count - 1 - rank
		}
		rank -= count
	}
	// Fewer were inserted than expected.
	return n.loaded - 1
}

// sample takes one of the documents around the place where that of this rank is expected, each with the same chance.
// The width is twice the deviation of the number of inserts up to there.
func (n *newest) sample(base, visible int64, rank uint64, p stream.Point) int64 {
	half := int64(scale(uint64(math.Sqrt(float64(rank)))+1, n.operations, n.documents))
	place := visible - 1 - int64(scale(rank, n.operations, n.documents))
	first, last := max(place-half, 0), min(place+half, visible-1)
	if place >= 0 {
		// So many attempts all fail once in e^8 draws, when there are as many inserts as expected.
		for attempt := range 8 * scale(n.most, n.operations, n.documents) {
			at, rest := bits.Mul64(p.Value(attempt+1), uint64(last-first+1))
			slot, _ := bits.Mul64(rest, n.most)
			chosen := base + first + int64(at)
			if int64(slot) < n.inserts(chosen) {
				return n.mix.insertRecord(chosen) + int64(slot)
			}
		}
	}
	return n.walk(base, place, 0)
}
