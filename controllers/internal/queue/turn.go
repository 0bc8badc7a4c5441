package queue

import (
	"k8s.io/apimachinery/pkg/types"
)

// exact is how many runs of a line are told exactly where they are, and whom they wait for. An exact position for
// each of n runs would be n*n/2 writes until the line is empty.
const exact = 3

// step is by how much one number that is not exact differs from the next: "no more than 10, 100, 1000".
const step = 10

// Turn is the answer to a run that asks whether it is its turn.
type Turn struct {
	// Admitted: it is.
	Admitted bool
	// Group that it waits or is admitted in.
	Group string
	// Ahead is the number of runs that wait before it. If it is not Exact there are no more than that.
	Ahead int
	Exact bool
	// Measured are the runs of the group that are admitted, in their order; only when Ahead is exact.
	Measured []types.NamespacedName
}

// told is what makes one answer to a waiting run different from another.
type told struct {
	group string
	ahead int
	// changes counts those of the admitted runs of the group; 0 where these are not told of.
	changes int
}

// published rounds the number of runs ahead to what is told: from exact on up to a power of ten.
func published(ahead int) int {
	if ahead < exact {
		return ahead
	}
	bound := step
	for bound < ahead {
		bound *= step
	}
	return bound
}

// marks are the places of a line at which a run that moves by one is told something new: those that are exact, and
// those on either side of a power of ten.
func marks(length int) []int {
	var places []int
	for i := 0; i <= exact && i < length; i++ {
		places = append(places, i)
	}
	for power := published(exact); power < length; power *= step {
		places = append(places, power)
		if power+1 < length {
			places = append(places, power+1)
		}
	}
	return places
}
