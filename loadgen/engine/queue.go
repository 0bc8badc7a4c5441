package engine

import "time"

// arrival is an operation that is due some time after the start of its window.
type arrival struct {
	number int64
	due    time.Duration
}

// queue holds what is due and not yet sent, in the order in which it was due. It grows as needed, up to a limit.
type queue struct {
	limit int
	// ring holds length arrivals from first on, and then again from its start.
	ring          []arrival
	first, length int
	// largest is the largest length that there ever was.
	largest int
}

// push adds an arrival, and says no when there is no place left.
func (q *queue) push(a arrival) bool {
	if q.length == q.limit {
		return false
	}
	if q.length == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.length)%len(q.ring)] = a
	q.length++
	q.largest = max(q.largest, q.length)
	return true
}

func (q *queue) grow() {
	const least = 64
	ring := make([]arrival, min(max(2*len(q.ring), least), q.limit))
	copied := copy(ring, q.ring[q.first:])
	copy(ring[copied:], q.ring[:q.first])
	q.ring, q.first = ring, 0
}

// pop takes the arrival that was due first. There must be one.
func (q *queue) pop() arrival {
	a := q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.length--
	return a
}
