package observe

import "slices"

// Latest is what one server said last.
type Latest struct {
	// Member is its host and port.
	Member string
	// Missed are the samples that did not come in time so far.
	Missed int64
	// values by the place of their figure; nil when the last sample did not come.
	values []int64
}

// Value is a figure as it stood: of one whose unit ends in /s the counter that the rate is made of,
// since the server was started, in the unit without the /s. It is not known of a figure that the server does not tell.
func (l Latest) Value(figure string) (value int64, known bool) {
	place, there := places[figure]
	if !there || l.values == nil || l.values[place] == unknown {
		return 0, false
	}
	if f := figures[place]; f.counter() {
		return f.scale(l.values[place]), true
	}
	return l.values[place], true
}

// Latest is what each server said last, in the order in which they are observed. It may be called at any time.
func (o *Observer) Latest() []Latest {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	all := make([]Latest, 0, len(o.watches))
	for _, w := range o.watches {
		if latest := w.latest.Load(); latest != nil {
			all = append(all, *latest)
		}
	}
	return all
}

// tell keeps a copy of a sample, which is nil when it did not come, where others may read it.
func (w *watch) tell(s *sample) {
	latest := &Latest{Member: w.server.Name(), Missed: w.recording.missed}
	if s != nil {
		// The recording changes its samples when it makes one of two.
		latest.values = slices.Clone(s.values)
	} else {
		latest.Missed++
	}
	w.latest.Store(latest)
}
