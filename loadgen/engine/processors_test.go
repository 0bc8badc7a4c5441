package engine

import (
	"testing"
	"time"
)

func TestOneProcessorIsEnough(t *testing.T) {
	const second = time.Second
	many := turn{elapsed: second, cpu: second, operations: 10_000, late: 100_000}
	for name, tc := range map[string]struct {
		one  turn
		want bool
	}{
		"when it does the same with less": {turn{elapsed: second, cpu: second / 2, operations: 9_800, late: 100_000}, true},
		"not when it does less":           {turn{elapsed: second, cpu: second / 2, operations: 9_600, late: 100_000}, false},
		"not when it saves nothing":       {turn{elapsed: second, cpu: second * 74 / 100, operations: 7_400}, false},
		"not when it is busy all the time": {
			turn{elapsed: second, cpu: second * 80 / 100, operations: 10_000, late: 100_000}, false,
		},
		"not when operations are sent later": {
			turn{elapsed: second, cpu: second / 2, operations: 10_000, late: 400_000}, false,
		},
		"not when it is not known": {turn{elapsed: second, cpu: 0, operations: 100}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.one.enough(many); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

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
