package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
)

const (
	serverVersion   = "6.0.5"
	serverCacheGB   = "2"
	serverPatience  = time.Minute
	controlPatience = 30 * time.Second
)

// server is the mongod that everything is measured against, with a connection that watches it.
type server struct {
	*process
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
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mongobench-perf-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for mongod: %w", err)
	}
	s := &server{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), folder: folder}
	s.process, err = start("mongod", command{
		path: filepath.Join(home, "mongod"),
		arguments: []string{
			"--dbpath", folder, "--logpath", filepath.Join(folder, "mongod.log"), "--port", strconv.Itoa(port),
			"--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", serverCacheGB,
		},
		environment: []string{"LD_LIBRARY_PATH=" + filepath.Join(home, "lib")},
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
	if s.process != nil {
		s.kill()
	}
	_ = os.RemoveAll(s.folder)
}

func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

func (s *server) awaitAnswer(ctx context.Context) error {
	begin := time.Now()
	for time.Since(begin) < serverPatience {
		if !s.running() {
			return s.ended()
		}
		connection, err := bare.Dial(ctx, s.address)
		if err == nil {
			s.control = connection
			return s.run(bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})
		}
		if err := pause(ctx, pollInterval); err != nil {
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

// pause waits, unless the context ends.
func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
