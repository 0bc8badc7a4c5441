package duet

import (
	"context"
	"fmt"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	// restPercent of a processor is what a side at rest may use: an idle mongod takes one or two for its own statistics
	// and for being looked at, and with more the side that is measured has less.
	restPercent = 10
	// restLimit is how long a side is waited for that is still busy with what it was asked for.
	restLimit = 5 * time.Second
	// restPeriod is how often it is looked at meanwhile.
	restPeriod = 100 * time.Millisecond
	// lookLimit bounds one look.
	lookLimit = 2 * time.Second
)

// resting looks at the servers of a side; nil: they are not looked at.
type resting interface {
	Look(ctx context.Context) []observe.Latest
}

// reading is what the servers of a side said.
type reading struct {
	at time.Time
	// cpu is the CPU time of each server, by its name, in milliseconds.
	cpu map[string]int64
	// busy is what a server is at, in a few words; empty: nothing.
	busy string
}

func read(ctx context.Context, side resting) reading {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	found := reading{at: time.Now(), cpu: map[string]int64{}}
	for _, server := range side.Look(ctx) {
		if millis, known := server.CPUMillis(); known {
			found.cpu[server.Member] = millis
		}
		if why := server.Busy(); why != "" && found.busy == "" {
			found.busy = why
		}
	}
	return found
}

// used is how much of a processor the servers used between two readings, in percent.
func (r reading) used(before reading) int64 {
	var millis int64
	for name, now := range r.cpu {
		if then, known := before.cpu[name]; known && now > then {
			millis += now - then
		}
	}
	elapsed := r.at.Sub(before.at).Milliseconds()
	if elapsed <= 0 {
		return 0
	}
	return 100 * millis / elapsed
}

// settled waits until the other side has come to rest, but not for long, and returns what it said last.
func (s *side) settled(ctx context.Context) reading {
	other := s.resting[s.which.Other()]
	if other == nil {
		return reading{}
	}
	for limit := time.Now().Add(restLimit); ; {
		found := read(ctx, other)
		if found.busy == "" || found.at.After(limit) ||
			(alarm.Timer{}).Until(ctx, time.Now().Add(restPeriod)) != nil {
			return found
		}
	}
}

// disturbed says what the other side did in a window in which it should have rested; empty: nothing that matters.
func (s *side) disturbed() string {
	other := s.resting[s.which.Other()]
	if other == nil || s.rested.at.IsZero() {
		return ""
	}
	found := read(context.Background(), other)
	if used := found.used(s.rested); used > restPercent {
		return fmt.Sprintf("used %d %% of a processor", used)
	}
	if s.rested.busy != "" && found.busy != "" {
		return found.busy
	}
	return ""
}
