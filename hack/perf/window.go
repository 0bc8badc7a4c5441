package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

const (
	pollInterval = 50 * time.Millisecond
	// busyRate is how many operations a second say that a contender is at its work, and not still getting ready.
	busyRate = 100
	busyFor  = 6
	// beginPatience is how long a contender may take until it works: one that loads its own documents first needs some.
	beginPatience = 90 * time.Second
	warmUp        = 500 * time.Millisecond
)

// window is what was seen of one contender while it was at full work.
type window struct {
	// Rate is operations, or documents, per second.
	Rate float64
	// Client and Server are the CPU time of the two processes, in microseconds an operation.
	Client, Server float64
	// Cores that the client used.
	Cores float64
	// Memory is the largest resident size of the client until the end of the window, in bytes.
	Memory int64
	// Own is what the contender itself says it used, in microseconds an operation; 0 when it says nothing.
	Own float64
}

// sample is one reading of the clocks and counters.
type sample struct {
	at             time.Time
	operations     int64
	client, server time.Duration
}

// between turns two samples into rates.
func between(first, last sample) (window, error) {
	operations := float64(last.operations - first.operations)
	length := last.at.Sub(first.at)
	if operations <= 0 || length <= 0 {
		return window{}, fmt.Errorf("nothing was done in a window of %s", length)
	}
	return window{
		Rate:   operations / length.Seconds(),
		Client: float64((last.client - first.client).Nanoseconds()) / 1000 / operations,
		Server: float64((last.server - first.server).Nanoseconds()) / 1000 / operations,
		Cores:  (last.client - first.client).Seconds() / length.Seconds(),
	}, nil
}

func (s *server) sample(client *process.Process, counters []string) (sample, error) {
	operations, err := s.operations(counters)
	if err != nil {
		return sample{}, err
	}
	taken := sample{at: time.Now(), operations: operations}
	if taken.client, err = client.CPU(); err != nil {
		return sample{}, err
	}
	taken.server, err = s.CPU()
	return taken, err
}

// watch waits until a contender is at full work, and measures it from the outside for the length of a window.
func (s *server) watch(ctx context.Context, client *process.Process, counters []string, length time.Duration) (window, error) {
	if err := s.awaitWork(ctx, client, counters); err != nil {
		return window{}, err
	}
	if err := process.Sleep(ctx, warmUp); err != nil {
		return window{}, err
	}
	first, err := s.sample(client, counters)
	if err != nil {
		return window{}, err
	}
	if err := process.Sleep(ctx, length); err != nil {
		return window{}, err
	}
	if err := client.Ended(); err != nil {
		return window{}, err
	}
	last, err := s.sample(client, counters)
	if err != nil {
		return window{}, err
	}
	measured, err := between(first, last)
	if err != nil {
		return window{}, fmt.Errorf("%s: %w", client.Name, err)
	}
	measured.Memory, _, err = client.Memory()
	return measured, err
}

// awaitWork returns once the counters rise steadily.
func (s *server) awaitWork(ctx context.Context, client *process.Process, counters []string) error {
	before, err := s.operations(counters)
	begin, busy := time.Now(), 0
	for err == nil && busy < busyFor {
		if err := process.Sleep(ctx, pollInterval); err != nil {
			return err
		}
		if err := client.Ended(); err != nil {
			return err
		}
		if time.Since(begin) > beginPatience {
			return fmt.Errorf("%s has not begun to work within %s", client.Name, beginPatience)
		}
		var now int64
		now, err = s.operations(counters)
		busy++
		if float64(now-before) < busyRate*pollInterval.Seconds() {
			busy = 0
		}
		before = now
	}
	return err
}

// awaitStill returns once the counters rest: a server finishes what it was asked for although its client is gone, and
// an insert would bring back the collection that was dropped before it.
func (s *server) awaitStill(ctx context.Context, counters []string) error {
	before, err := s.operations(counters)
	for still := 0; err == nil && still < 2; still++ {
		if err := process.Sleep(ctx, pollInterval); err != nil {
			return err
		}
		var now int64
		now, err = s.operations(counters)
		if now != before {
			still = -1
		}
		before = now
	}
	return err
}
