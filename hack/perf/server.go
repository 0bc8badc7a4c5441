package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

const (
	serverVersion   = "6.0.5"
	serverCacheGB   = "2"
	serverPatience  = time.Minute
	controlPatience = 30 * time.Second
)

// server is the mongod that all is measured against, with a connection that watches it.
type server struct {
	*process.Process

	address string
	folder  string
	control *bare.Connection
}

// startServer starts an empty mongod, with more arguments. stop removes it and its data.
func startServer(ctx context.Context, cache string, more ...string) (*server, error) {
	home := filepath.Join(cache, "mongod", serverVersion)
	if _, err := os.Stat(filepath.Join(home, "mongod")); err != nil {
		return nil, fmt.Errorf("finding mongod: %w; make mongod fetches it", err)
	}
	addresses, err := process.FreeAddresses(ctx, 1)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addresses[0])
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mongobench-perf-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for mongod: %w", err)
	}
	s := &server{address: addresses[0], folder: folder}
	s.Process, err = process.Start("mongod", process.Command{
		Path: filepath.Join(home, "mongod"),
		Arguments: append([]string{
			"--dbpath", folder, "--logpath", filepath.Join(folder, "mongod.log"), "--port", port,
			"--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", serverCacheGB,
		}, more...),
		Environment: []string{"LD_LIBRARY_PATH=" + filepath.Join(home, "lib")},
	})
	if err == nil {
		err = s.awaitAnswer(ctx)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop ends the server and removes its data.
func (s *server) stop() {
	if s.control != nil {
		_ = s.control.Close()
	}
	if s.Process != nil {
		s.Kill()
	}
	_ = os.RemoveAll(s.folder)
}

func (s *server) awaitAnswer(ctx context.Context) error {
	begin := time.Now()
	for time.Since(begin) < serverPatience {
		if err := s.Ended(); err != nil {
			return err
		}
		connection, err := bare.Dial(ctx, s.address)
		if err == nil {
			s.control = connection
			return s.run(bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})
		}
		if err := process.Sleep(ctx, pollInterval); err != nil {
			return err
		}
	}
	return fmt.Errorf("mongod has not answered within %s", serverPatience)
}

func (s *server) run(command bson.D) error {
	_, err := s.ask(command)
	return err
}

func (s *server) ask(command bson.D) (bson.Raw, error) {
	if err := s.control.Deadline(time.Now().Add(controlPatience)); err != nil {
		return nil, err
	}
	return s.control.Run(command)
}

// clean removes what a contender leaves, so that every window begins with the same server.
func (s *server) clean(c contender) error {
	var failures error
	for _, name := range c.databases {
		failures = errors.Join(failures, s.run(bson.D{{Key: "dropDatabase", Value: 1}, {Key: "$db", Value: name}}))
	}
	for _, name := range c.collections {
		failures = errors.Join(failures, s.run(bson.D{{Key: "drop", Value: name}, {Key: "$db", Value: goYCSBDatabase}}))
	}
	return failures
}

// operations are the server's own counters, which count every client alike.
func (s *server) operations(counters []string) (int64, error) {
	reply, err := s.ask(bson.D{
		{Key: "serverStatus", Value: 1},
		{Key: "repl", Value: 0},
		{Key: "metrics", Value: 0},
		{Key: "locks", Value: 0},
		{Key: "tcmalloc", Value: 0},
		{Key: "wiredTiger", Value: 0},
		{Key: "transactions", Value: 0},
		{Key: "network", Value: 0},
		{Key: "security", Value: 0},
		{Key: "$db", Value: "admin"},
	})
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, name := range counters {
		count, ok := reply.Lookup("opcounters", name).AsInt64OK()
		if !ok {
			return 0, fmt.Errorf("the server does not count %q", name)
		}
		sum += count
	}
	return sum, nil
}

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
func (s *server) watch(
	ctx context.Context, client *process.Process, counters []string, length time.Duration,
) (window, error) {
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
	begin := time.Now()
	return s.follow(ctx, counters, busyFor, func(done int64) (bool, error) {
		err := client.Ended()
		if err == nil && time.Since(begin) > beginPatience {
			err = fmt.Errorf("%s has not begun to work within %s", client.Name, beginPatience)
		}
		return float64(done) >= busyRate*pollInterval.Seconds(), err
	})
}

// awaitStill returns once the counters rest: a server finishes what it was asked for although its client is gone, and
// an insert would bring back the collection that was dropped before it.
func (s *server) awaitStill(ctx context.Context, counters []string) error {
	return s.follow(ctx, counters, 2, func(done int64) (bool, error) { return done == 0, nil })
}

// follow looks at the counters until what was done since the look before was as wanted several times in a row.
func (s *server) follow(
	ctx context.Context, counters []string, inARow int, wanted func(done int64) (bool, error),
) error {
	before, err := s.operations(counters)
	for times := 0; err == nil && times < inARow; {
		if err := process.Sleep(ctx, pollInterval); err != nil {
			return err
		}
		now, failure := s.operations(counters)
		yes, trouble := wanted(now - before)
		err = cmp.Or(trouble, failure)
		times, before = times+1, now
		if !yes {
			times = 0
		}
	}
	return err
}
