package outlet

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// sampledStep holds what is sampled of a step.
type sampledStep struct {
	name       string
	planned    []planv1.Operation
	most       int
	seed       uint64
	operations []sampledOperation
}

// sampledOperation holds what is sampled of an operation of the mix. Its classes are made when something is first in
// them.
type sampledOperation struct {
	classes [classes]atomic.Pointer[reservoir]
}

func (s *sampledStep) add(sampled *loadgen.Sampled) {
	class := &s.operations[sampled.Operation].classes[classOf(sampled)]
	kept := class.Load()
	if kept == nil {
		class.CompareAndSwap(nil, newReservoir(s.most))
		kept = class.Load()
	}
	kept.add(hashOf(s.seed, uint64(sampled.Number)), sampled)
}

// reservoir keeps, of the operations of a class since it was last emptied, those with the smallest hashes: which these
// are does not depend on the order in which they come.
type reservoir struct {
	// count is of all operations, and limit the hash that one must be below to be kept.
	count atomic.Int64
	limit atomic.Uint64

	mutex sync.Mutex
	kept  []hashed
	most  int
}

// hashed is an operation with the hash of its number.
type hashed struct {
	hash uint64
	loadgen.Sampled
}

func newReservoir(most int) *reservoir {
	r := &reservoir{most: most, kept: make([]hashed, 0, most)}
	r.limit.Store(math.MaxUint64)
	return r
}

func (r *reservoir) add(hash uint64, sampled *loadgen.Sampled) {
	r.count.Add(1)
	if hash >= r.limit.Load() {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.kept) < r.most {
		r.kept = append(r.kept, hashed{hash, *sampled})
	} else if largest := r.largest(); hash < r.kept[largest].hash {
		r.kept[largest] = hashed{hash, *sampled}
	}
	if len(r.kept) == r.most {
		r.limit.Store(r.kept[r.largest()].hash)
	}
}

// largest is the place of the largest hash.
func (r *reservoir) largest() int {
	largest := 0
	for i := range r.kept {
		if r.kept[i].hash > r.kept[largest].hash {
			largest = i
		}
	}
	return largest
}

// taken is what a reservoir held.
type taken struct {
	kept  []hashed
	count int64
}

// take empties the classes that hold anything, in their order.
func (s *sampledOperation) take(each func(class int, of *taken)) {
	for class := range s.classes {
		r := s.classes[class].Load()
		if r == nil {
			continue
		}
		if found := r.take(); len(found.kept) > 0 {
			each(class, found)
		}
	}
}

// take empties a reservoir. An operation that is counted at that moment and not kept yet is in the next interval.
func (r *reservoir) take() *taken {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	found := &taken{kept: slices.Clone(r.kept), count: r.count.Swap(0)}
	r.kept = r.kept[:0]
	r.limit.Store(math.MaxUint64)
	found.count = max(found.count, int64(len(found.kept)))
	return found
}

// hashOf spreads the numbers of operations evenly: the finaliser of SplitMix64.
func hashOf(seed, number uint64) uint64 {
	const golden, first, second = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb
	h := (number + seed + 1) * golden
	h = (h ^ h>>30) * first
	h = (h ^ h>>27) * second
	return h ^ h>>31
}
