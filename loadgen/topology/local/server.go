package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Config says what to start.
type Config struct {
	// Program is mongod's file; empty: the one on PATH.
	Program string
	// ReplicaSet makes it a replica set of one, as transactions and change streams need it.
	ReplicaSet bool
}

// Server is a mongod that was started here.
type Server struct {
	// URI is its connection string.
	URI string

	folder string
	port   int
	// process ends as exited is closed.
	process *os.Process
	exited  chan struct{}
	stop    sync.Once
}

const (
	loopback   = "127.0.0.1"
	program    = "mongod"
	replicaSet = "local"
	logName    = "mongod.log"

	// startTime is how long a server may take until it answers, and a set of one until it has its primary: seconds,
	// unless the machine is busy.
	startTime = 2 * time.Minute
	// askTime bounds one question to a server that may not listen yet, and askPause lies between two of them.
	askTime  = 2 * time.Second
	askPause = 50 * time.Millisecond
	// stopTime is how long a server may take to end by itself.
	stopTime = 20 * time.Second
	// attempts are several since another process may take the port between its choice and its use.
	attempts = 3
	// logLines are the last lines of a server's log that an error shows.
	logLines = 5
)

// errAbsent is that there is no program to start.
var errAbsent = errors.New("there is no mongod on PATH: install MongoDB's Community Server, name the program with " +
	"--mongod, or give the connection string of a server that runs")

// Start starts a server and returns once it takes requests.
func Start(ctx context.Context, config Config) (*Server, error) {
	file, err := exec.LookPath(named(config.Program))
	switch {
	case errors.Is(err, exec.ErrNotFound) && config.Program == "":
		return nil, errAbsent
	case err != nil:
		return nil, fmt.Errorf("looking for mongod: %w", err)
	}
	for range attempts {
		var server *Server
		if server, err = start(ctx, file, config.ReplicaSet); err == nil {
			return server, nil
		}
		if !errors.Is(err, errExited) {
			break
		}
	}
	return nil, fmt.Errorf("starting %s: %w", file, err)
}

func named(given string) string {
	if given == "" {
		return program
	}
	return given
}

// errExited is that a server ended before it answered.
var errExited = errors.New("it ended at once")

func start(ctx context.Context, file string, set bool) (*Server, error) {
	folder, err := os.MkdirTemp("", "loadgen-mongod-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for its data: %w", err)
	}
	server := &Server{folder: folder, exited: make(chan struct{})}
	if server.port, err = freePort(ctx); err == nil {
		err = server.run(file, set)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("it did not answer within %s", startTime))
	defer cancel()
	if err = server.await(ctx, set); err != nil {
		err = server.explained(err)
		server.Stop()
		return nil, err
	}
	return server, nil
}

// freePort is one that nobody listens at now.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// run starts the process.
func (s *Server) run(file string, set bool) error {
	address := net.JoinHostPort(loopback, strconv.Itoa(s.port))
	arguments := []string{"--dbpath", s.folder, "--port", strconv.Itoa(s.port), "--bind_ip", loopback}
	if runtime.GOOS != "windows" {
		arguments = append(arguments, "--nounixsocket")
	}
	s.URI = "mongodb://" + address + "/?directConnection=true"
	if set {
		arguments = append(arguments, "--replSet", replicaSet)
		s.URI = "mongodb://" + address + "/?replicaSet=" + replicaSet
	}
	log, err := os.Create(filepath.Join(s.folder, logName))
	if err != nil {
		return err
	}
	started := make(chan error)
	go func() {
		// The process is to end when this one does, which the kernel takes for the end of the thread that started it.
		runtime.LockOSThread()
		command := exec.Command(file, arguments...) //nolint:gosec,noctx // The user says which; Stop ends it.
		command.Stdout, command.Stderr, command.SysProcAttr = log, log, ownGroup()
		err := command.Start()
		s.process = command.Process
		started <- errors.Join(err, log.Close())
		if err == nil {
			_ = command.Wait()
		}
		close(s.exited)
	}()
	return <-started
}

// await returns once the server takes requests, and writes.
func (s *Server) await(ctx context.Context, set bool) error {
	client, err := mongo.Connect(options.Client().SetDirect(true).SetServerSelectionTimeout(askTime).
		SetHosts([]string{net.JoinHostPort(loopback, strconv.Itoa(s.port))}))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	admin := client.Database("admin")
	for initiated := !set; ; {
		if !initiated {
			member := bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: net.JoinHostPort(loopback, strconv.Itoa(s.port))}}
			initiated = admin.RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: bson.D{
				{Key: "_id", Value: replicaSet}, {Key: "members", Value: bson.A{member}},
			}}}).Err() == nil
		}
		reply, err := admin.RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}}).Raw()
		if primary, _ := reply.Lookup("ismaster").BooleanOK(); err == nil && initiated && primary {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.exited:
			return errExited
		case <-time.After(askPause):
		}
	}
}

// explained adds to an error what the server said last.
func (s *Server) explained(err error) error {
	log, _ := os.ReadFile(filepath.Join(s.folder, logName))
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return fmt.Errorf("%w; its log ends with:\n%s", err, strings.Join(lines[max(0, len(lines)-logLines):], "\n"))
}

// Stop ends the server and removes its data. It may be called again.
func (s *Server) Stop() {
	s.stop.Do(func() {
		if err := terminate(s.process); err != nil {
			_ = s.process.Kill()
		}
		select {
		case <-s.exited:
		case <-time.After(stopTime):
			_ = s.process.Kill()
			<-s.exited
		}
		_ = os.RemoveAll(s.folder)
	})
}
