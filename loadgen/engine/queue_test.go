package engine

import "testing"

func TestQueueKeepsTheOrderUpToItsLimit(t *testing.T) {
	q := queue{limit: 100}
	var pushed, popped int64
	for round := range 50 {
		for range round * 7 {
			if places := 100 - q.length; q.push(arrival{number: pushed}) != (places > 0) {
				t.Fatalf("pushed, or not, with %d places left", places)
			}
			pushed = popped + int64(q.length)
		}
		for range min(round*5, q.length) {
			if got := q.pop().number; got != popped {
				t.Fatalf("popped %d, want %d", got, popped)
			}
			popped++
		}
	}
	if q.largest != 100 || popped < 1000 {
		t.Errorf("up to %d places were taken, and %d arrivals popped", q.largest, popped)
	}
}
