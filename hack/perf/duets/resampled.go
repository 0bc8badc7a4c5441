package duets

import (
	"math/rand/v2"
	"time"
)

// Resampled are trials of up to this length of what was recorded, put together anew: each of blocks of so many
// consecutive groups that begin anywhere, all of one recording, until the limit is filled (the moving block bootstrap,
// Künsch 1989, "The jackknife and the bootstrap for general stationary observations"). They tell more of few recordings
// than trials that are apart: what happened within a block comes after one another as it did. What takes longer than a
// block is broken up, and what differs from one start of servers to the next is seen of as many starts as there are
// recordings.
//
// The same recordings and seed give the same trials. Recordings shorter than a block give none.
func (s Series) Resampled(limit time.Duration, block, trials int, seed uint64) ([]Trial, error) {
	var long Series
	for _, r := range s {
		if len(r.Groups) >= block {
			long = append(long, r)
		}
	}
	if len(long) == 0 {
		return nil, nil
	}
	random := rand.New(rand.NewPCG(seed, uint64(block)))
	found := make([]Trial, 0, trials)
	for range trials {
		one, err := long[random.IntN(len(long))].shuffled(random, limit, block).trial(0, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

// shuffled is a recording of at least this length made of blocks of this one.
func (r *Recording) shuffled(random *rand.Rand, length time.Duration, block int) *Recording {
	made := *r
	made.Groups = nil
	for at := time.Duration(0); at <= length; {
		first := random.IntN(len(r.Groups) - block + 1)
		for number := first; number < first+block; number++ {
			group := r.Groups[number]
			at += group.At - r.at(number)
			group.At = at
			made.Groups = append(made.Groups, group)
		}
	}
	return &made
}
