package clocktest

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// Machine has a wall clock that can be set, and the monotonic clock of the machine that the test runs on.
type Machine struct{ ahead atomic.Int64 }

// Set sets the wall clock forward, or back.
func (m *Machine) Set(by time.Duration) { m.ahead.Add(int64(by)) }

// Now is what time.Now would be on this machine.
func (m *Machine) Now() time.Time {
	now := time.Now()
	by := time.Duration(m.ahead.Load())
	return move(now, now.Round(0).Add(by))
}

// reading is laid out as a time.Time with a monotonic reading is: a flag, the seconds since 1885 and the nanoseconds of
// the wall clock; the monotonic clock; the zone. Nothing but the machine's clock makes one whose two clocks disagree.
type reading struct {
	wall uint64
	ext  int64
	loc  *time.Location
}

const (
	hasMonotonic = 1 << 63
	nanosBits    = 30
)

// epoch is what the seconds of a reading count from.
var epoch = time.Date(1885, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()

// move changes the wall clock of a reading, and not its monotonic clock.
func move(now, wall time.Time) time.Time {
	raw := (*reading)(unsafe.Pointer(&now)) //nolint:gosec // The layout is checked by the tests of package clock.
	if raw.wall&hasMonotonic != 0 {
		raw.wall = hasMonotonic | uint64(wall.Unix()-epoch)<<nanosBits | uint64(wall.Nanosecond())
	}
	return now
}
