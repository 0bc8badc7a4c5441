package measure

// Recorded is the recording of a measure window, or of one group in it.
type Recorded struct {
	Recording *Recording
	// Threads that send the operations.
	Threads int
	// Dropped counts the operations of an open loop that were due and never sent, and may be called at any time; nil in a
	// closed one.
	Dropped func() int64
	// Skipped counts those that were due too long ago to be sent, in the same way.
	Skipped func() int64
}

// Recordings are those of one window: of a step with several groups of workers, which have other mixes and other loops,
// one each.
type Recordings []*Recording

// Publish has all of them published.
func (rs Recordings) Publish() {
	for _, r := range rs {
		r.Publish()
	}
}

// Live is what all of them have come to so far.
func (rs Recordings) Live() Live {
	var all Live
	for _, r := range rs {
		all.Add(r.Live())
	}
	return all
}

// Watch begins to look for the times in which no operation of any of them succeeded, as Recording.Watch does.
func (rs Recordings) Watch() *Gaps {
	gaps := newGaps()
	for _, r := range rs {
		r.gaps.Store(gaps)
	}
	return gaps
}

// Settle settles all of them.
func (rs Recordings) Settle() {
	for _, r := range rs {
		r.Settle()
	}
}

// IntervalMillis is the length of the intervals of all of them: those that are shorter are brought to it. It is called
// before Operations is.
func (rs Recordings) IntervalMillis() int {
	longest := Interval
	for _, r := range rs {
		longest = max(longest, r.length)
	}
	for _, r := range rs {
		r.widen(longest)
	}
	return int(longest.Milliseconds())
}
