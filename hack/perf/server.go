package main

import (
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

// startServer starts an empty mongod. stop removes it and its data.
func startServer(ctx context.Context, cache string) (*server, error) {
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
		Arguments: []string{
			"--dbpath", folder, "--logpath", filepath.Join(folder, "mongod.log"), "--port", port,
			"--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", serverCacheGB,
		},
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
