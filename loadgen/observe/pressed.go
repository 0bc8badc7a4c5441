package observe

import (
	"fmt"
	"time"
)

const (
	// From these shares of its cache on, in percent, WiredTiger has the clients' own threads evict pages:
	// eviction_trigger and eviction_dirty_trigger, as mongod has them by default.
	fullPercent, dirtyPercent = 95, 20
	// agedPercent is the share of its redo log that InnoDB lets pages be behind before it flushes in haste.
	agedPercent = 75
	// behind is how far a secondary may be behind: a primary hears of them every two seconds.
	behind = 5 * time.Second
)

// Pressed says what a server is still busy with, in a few words, by what it said last; empty when none is.
func (o *Observer) Pressed() string {
	for _, latest := range o.Latest() {
		if why := latest.pressed(); why != "" {
			return latest.Member + " " + why
		}
	}
	return ""
}

func (l Latest) pressed() string {
	// share of what is most, in percent; 0 when it is not told.
	share := func(part, most string) int64 {
		used, known := l.Value(part)
		all, told := l.Value(most)
		if !known || !told || all <= 0 {
			return 0
		}
		return used * 100 / all
	}
	if _, redo := l.Value("checkpoint.maximumAge"); redo {
		// InnoDB keeps its cache full, and dirty for as long as it likes.
		if aged := share("checkpoint.age", "checkpoint.maximumAge"); aged >= agedPercent {
			return fmt.Sprintf("has not flushed pages for %d %% of its redo log", aged)
		}
		return ""
	}
	if full := share("cache.used", "cache.maximum"); full >= fullPercent {
		return fmt.Sprintf("has filled %d %% of its cache", full)
	}
	if dirty := share("cache.dirty", "cache.maximum"); dirty >= dirtyPercent {
		return fmt.Sprintf("has %d %% of its cache dirty", dirty)
	}
	if lag, known := l.Value(largestLag); known && time.Duration(lag)*time.Millisecond > behind {
		return fmt.Sprintf("has a secondary that is %s behind", time.Duration(lag)*time.Millisecond)
	}
	return ""
}
