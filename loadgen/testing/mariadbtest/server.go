package mariadbtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// startTimeout is how long a server may take until it takes connections; alone on a machine it takes half a second.
	startTimeout = 60 * time.Second
	pingInterval = 20 * time.Millisecond
	// startAttempts is more than one because another process may take the port between its choice and its use.
	startAttempts = 3
)

// The users of every server. The load's may do everything, and the observer's what the operator's may.
const (
	User             = "load"
	Password         = "s3cret of load"
	ObserverUser     = "observer"
	ObserverPassword = "s3cret of observer"
)

// Server is a running mariadbd.
type Server struct {
	// Address as host:port, which one that was started by Run does not know, and Socket the path of its socket.
	Address, Socket string
	// Folder that its data is in.
	Folder string
	// program is what runs, with these arguments.
	program   Program
	arguments []string
	process   *exec.Cmd
	exited    chan struct{}
}

// URI is the connection string of the load's user, over the loopback interface.
func (s *Server) URI() string {
	return "mysql://" + User + ":" + strings.ReplaceAll(Password, " ", "%20") + "@" + s.Address + "/"
}

// SocketURI is the connection string of the load's user, over the socket.
func (s *Server) SocketURI() string {
	return "mysql://" + User + ":" + strings.ReplaceAll(Password, " ", "%20") + "@localhost/?socket=" + s.Socket
}

// Stop ends the server at once and removes its data. It may be called again.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.Folder)
}

// MyRocks are the arguments of a server whose tables are MyRocks' unless they say otherwise.
func MyRocks() []string {
	return []string{
		"--plugin-load-add=ha_rocksdb.so", "--default-storage-engine=rocksdb", "--rocksdb-block-cache-size=32M",
	}
}

// HandlerSocket are the arguments of a server that takes that protocol at these ports of the loopback interface.
func HandlerSocket(port, writePort int, secret string) []string {
	return []string{
		"--plugin-maturity=beta", "--plugin-load-add=handlersocket.so", "--handlersocket-address=127.0.0.1",
		"--handlersocket-port=" + strconv.Itoa(port), "--handlersocket-port-wr=" + strconv.Itoa(writePort),
		"--handlersocket-threads=4", "--handlersocket-threads-wr=1", "--handlersocket-plain-secret=" + secret,
		"--handlersocket-plain-secret-wr=" + secret,
	}
}

var shared = struct {
	sync.Mutex
	servers map[string]*Server
}{servers: map[string]*Server{}}

// Shared returns the server that all tests of the package use. The package's TestMain must call Main.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	return SharedAs(tb, "")
}

// SharedAs is Shared for servers that have a name, and more arguments: those of the test that needs it first.
func SharedAs(tb testing.TB, name string, arguments ...string) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if server := shared.servers[name]; server != nil {
		return server
	}
	server := start(tb, arguments)
	shared.servers[name] = server
	return server
}

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func Main(m *testing.M) int {
	defer func() {
		for _, server := range shared.servers {
			server.Stop()
		}
	}()
	return m.Run()
}

// Start starts a server for one test, with more arguments for mariadbd.
func Start(tb testing.TB, arguments ...string) *Server {
	tb.Helper()
	server := start(tb, arguments)
	tb.Cleanup(server.Stop)
	return server
}

// Run starts a server on data that a test has made itself, in a folder that takes the log as well: with the program's
// arguments and the test's, which say where the data, the socket and the ports are. It stops with the test.
func Run(tb testing.TB, folder, socket string, arguments ...string) *Server {
	tb.Helper()
	program := Installed(tb)
	server := &Server{
		Socket: socket, Folder: folder, program: program, arguments: slices.Concat(arguments, program.Arguments()),
	}
	if err := server.run(); err != nil {
		tb.Fatalf("starting mariadbd: %v", err)
	}
	tb.Cleanup(server.Kill)
	if err := server.awaitGreeting(tb.Context()); err != nil {
		log, _ := server.Log()
		tb.Fatalf("%v; its log ends with:\n%s", err, tail(log))
	}
	return server
}

func start(tb testing.TB, arguments []string) *Server {
	tb.Helper()
	program := Installed(tb)
	var last error
	for range startAttempts {
		server, err := try(tb.Context(), program, arguments)
		if err == nil {
			return server
		}
		last = err
	}
	tb.Fatalf("starting mariadbd: %v", last)
	return nil
}

// try starts a server once, on new data, and waits until it takes connections.
func try(ctx context.Context, program Program, arguments []string) (*Server, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp("", "mariadbtest-")
	if err != nil {
		return nil, err
	}
	server := &Server{
		Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Socket: filepath.Join(data, "sock"), Folder: data,
		program: program,
	}
	server.arguments = append(server.usual(), arguments...)
	server.arguments = append(server.arguments, "--bind-address=127.0.0.1", "--port="+strconv.Itoa(port))
	if err := server.bootstrap(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(data))
	}
	if err := server.run(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(data))
	}
	if err := server.awaitGreeting(ctx); err != nil {
		log, _ := server.Log()
		server.Stop()
		return nil, fmt.Errorf("%w; its log ends with:\n%s", err, tail(log))
	}
	return server, nil
}

// usual are arguments for a server that takes little.
func (s *Server) usual() []string {
	return append([]string{
		"--no-defaults", "--basedir=" + s.program.home, "--datadir=" + filepath.Join(s.Folder, "data"),
		"--tmpdir=" + filepath.Join(s.Folder, "tmp"), "--socket=" + s.Socket,
		"--pid-file=" + filepath.Join(s.Folder, "pid"),
		"--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--aria-log-file-size=8M",
		"--innodb-use-native-aio=0", "--performance-schema=off", "--skip-name-resolve", "--host-cache-size=0",
	}, s.program.Arguments()...)
}

// run starts the process.
func (s *Server) run() error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // The server has a handle of its own.
	process := s.program.command(s.arguments)
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.process, s.exited = process, exited
	go func() {
		_ = process.Wait()
		close(exited)
	}()
	return nil
}

// FreePort is a port of the loopback interface that is free.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It returns at once.
	if err != nil {
		return 0, err
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// awaitGreeting returns once the server takes connections: it then says the first word.
func (s *Server) awaitGreeting(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		err := s.greeted(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("mariadbd ended with %s", s.process.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("mariadbd took no connections within %s: %w", startTimeout, err)
		case <-ticker.C:
		}
	}
}

func (s *Server) greeted(ctx context.Context) error {
	connection, err := new(net.Dialer).DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, err = io.ReadFull(connection, make([]byte, 5))
	return err
}

// tail is the last lines of a log.
func tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
