package v1alpha1

import "time"

// Ping is what load pods found before a step by asking one server for nothing but an answer, with nothing else to do.
type Ping struct {
	// Member is the server's host and port.
	Member string `json:"member"`
	// Pods that asked it; 1 in a pod's own report.
	Pods int `json:"pods"`
	// Exchanges are the answers that came, of all pods.
	Exchanges int64 `json:"exchanges"`
	// MinMicros is the shortest round trip of all. MedianMicros and P99Micros are of the pod for which they were largest,
	// and NearestMicros is the median of the pod for which it was smallest. P99Micros is 0 with fewer than a hundred
	// exchanges.
	MinMicros     int64 `json:"minMicros"`
	NearestMicros int64 `json:"nearestMicros"`
	MedianMicros  int64 `json:"medianMicros"`
	P99Micros     int64 `json:"p99Micros,omitempty"`
	// Clock compares the pods' clocks with the server's; nil when the server does not tell the time.
	Clock *Clock `json:"clock,omitempty"`
}

// Clock is how load pods' clocks stood against that of one server, by exchange: the server read its clock after the
// pod had sent the question and before it had the answer.
type Clock struct {
	// LeastAheadMicros and MostAheadMicros are by how much a pod's clock was ahead of the server's; less than 0 is behind.
	LeastAheadMicros int64 `json:"leastAheadMicros"`
	MostAheadMicros  int64 `json:"mostAheadMicros"`
	// UncertaintyMicros is by how much any of these may be wrong at most.
	UncertaintyMicros int64 `json:"uncertaintyMicros"`
	// FirstStart and LastStart are when the first and the last pod began the step, by the server's clock.
	FirstStart time.Time `json:"firstStart,omitzero"`
	LastStart  time.Time `json:"lastStart,omitzero"`
}

// SpreadMicros is by how much the pods' clocks differ from one another.
func (c Clock) SpreadMicros() int64 { return c.MostAheadMicros - c.LeastAheadMicros }

// Farthest is the one of the longest median round trip; nil of none.
func Farthest(pings []Ping) *Ping {
	var farthest *Ping
	for i := range pings {
		if farthest == nil || pings[i].MedianMicros > farthest.MedianMicros {
			farthest = &pings[i]
		}
	}
	return farthest
}
