package suite

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// shuffleStream keeps the order of runs apart from other uses of the same seed.
const shuffleStream = 0x6f72646572 // "order"

// slots are the runs of a suite in their order.
func slots(suite *benchv1alpha1.BenchmarkSuite, variants []Variant) []Slot {
	rounds := repetitions(suite)
	all := make([]Slot, 0, rounds*len(variants))
	add := func(variant, repetition int) {
		name := runName(suite.Name, variants[variant].Name, repetition, variants[variant].Hash)
		all = append(all, Slot{Variant: variant, Repetition: repetition, Name: name})
	}
	order := *spec.NormaliseSuite(suite.Spec).Order
	if order == benchv1alpha1.SuiteSequential {
		for variant := range variants {
			for repetition := 1; repetition <= rounds; repetition++ {
				add(variant, repetition)
			}
		}
		return all
	}
	seed := *spec.Normalise(suite.Spec.Template.Spec).Seed
	source := rand.NewPCG(uint64(seed), shuffleStream)
	for repetition := 1; repetition <= rounds; repetition++ {
		for _, variant := range round(order, repetition, len(variants), source) {
			add(variant, repetition)
		}
	}
	return all
}

// round is the order of the variants in one repetition. A shuffled suite has every variant once in each round as well,
// so that what changes with time meets all of them equally, and the rounds stay when there are more repetitions.
func round(order benchv1alpha1.SuiteOrder, repetition, variants int, source rand.Source) []int {
	indexes := make([]int, variants)
	for i := range indexes {
		indexes[i] = i
	}
	switch {
	case order == benchv1alpha1.SuiteShuffled:
		shuffle(indexes, source)
	case repetition%2 == 0:
		slices.Reverse(indexes)
	}
	return indexes
}

// shuffle is the algorithm of Fisher and Yates. It is written out because the order of a suite must not change with a
// release of Go: the generator's numbers are fixed, those of rand.Shuffle are not promised to be.
func shuffle(indexes []int, source rand.Source) {
	for i := len(indexes) - 1; i > 0; i-- {
		high, _ := bits.Mul64(source.Uint64(), uint64(i+1))
		indexes[i], indexes[high] = indexes[high], indexes[i]
	}
}
