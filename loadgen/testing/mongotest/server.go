package mongotest

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// startTimeout is how long a mongod may take until it answers; alone on a machine it takes half a second.
	startTimeout = 60 * time.Second
	pingInterval = 50 * time.Millisecond
	// startAttempts is more than one because another process may take the port between its choice and its use.
	startAttempts = 3
)

// Versions of the servers that most tests run against: one that still speaks the old protocol, and a current one.
func Versions() []string {
	return []string{"4.4.2", "6.0.5"}
}

// All are the versions of all servers that `make mongod` fetches, for tests of what depends on the version: flags,
// commands and the ways of talking to a server.
func All() []string {
	return []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"}
}

// Newest is the version of those that take most commands, for tests that take too long to be repeated with others.
func Newest() string {
	return "6.0.5"
}

// Server is a running mongod.
type Server struct {
	Version string
	// Address as host:port.
	Address string
	// Folder that its data is in.
	Folder string
	// home is where mongod lies, and arguments are what it was started with.
	home      string
	arguments []string
	process   *exec.Cmd
	exited    chan struct{}
}

// URI is the connection string of the server.
func (s *Server) URI() string {
	return "mongodb://" + s.Address + "/?directConnection=true"
}

// Stop ends the server at once and removes its data. It may be called again.
func (s *Server) Stop() {
	_ = s.process.Process.Kill()
	<-s.exited
	_ = os.RemoveAll(s.Folder)
}

// Pause keeps the server from running for a time, and returns how long it really stood still. Its connections stay
// open, and the kernel goes on taking what is sent to it.
func (s *Server) Pause(length time.Duration) (time.Duration, error) {
	if err := s.process.Process.Signal(syscall.SIGSTOP); err != nil {
		return 0, fmt.Errorf("stopping mongod: %w", err)
	}
	stopped := time.Now()
	time.Sleep(length)
	if err := s.process.Process.Signal(syscall.SIGCONT); err != nil {
		return 0, fmt.Errorf("letting mongod go on: %w", err)
	}
	return time.Since(stopped), nil
}

var shared = struct {
	sync.Mutex
	servers map[string]*Server
}{servers: map[string]*Server{}}

// Shared returns the server of this version that all tests of the package use. The package's TestMain must call Main.
func Shared(tb testing.TB, version string) *Server {
	tb.Helper()
	return SharedAs(tb, "", version)
}

// SharedAs is Shared for servers that have a name beside their version, and more arguments for mongod: those of the
// test that needs it first.
func SharedAs(tb testing.TB, name, version string, arguments ...string) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	key := name + " " + version
	if server := shared.servers[key]; server != nil {
		return server
	}
	server := start(tb, version, usual(arguments...))
	shared.servers[key] = server
	return server
}

// parallelTests is how many tests of a package run in parallel, unless -parallel says otherwise: what they wait for is
// mostly elections, timeouts and starting servers rather than a processor.
const parallelTests = "6"

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func Main(m *testing.M) int {
	_ = flag.Set("test.parallel", parallelTests)
	flag.Parse()
	defer func() {
		for _, server := range shared.servers {
			server.Stop()
		}
	}()
	return m.Run()
}

// Start starts a server for one test, with more arguments for mongod.
func Start(tb testing.TB, version string, arguments ...string) *Server {
	tb.Helper()
	return StartExactly(tb, version, usual(arguments...))
}

// Arguments make the arguments of a mongod from the folder of its data and its port.
type Arguments func(data string, port int) []string

// StartExactly starts a server for one test with these arguments and no others.
func StartExactly(tb testing.TB, version string, arguments Arguments) *Server {
	tb.Helper()
	server := start(tb, version, arguments)
	tb.Cleanup(server.Stop)
	return server
}

// usual are arguments for a server that takes little and is reached from here alone, and more.
func usual(more ...string) Arguments {
	return func(data string, port int) []string {
		return append([]string{
			"--dbpath", data, "--port", strconv.Itoa(port), "--bind_ip", "127.0.0.1", "--nounixsocket",
			"--wiredTigerCacheSizeGB", "0.25", "--wiredTigerEngineConfigString", "log=(prealloc=false)",
			// Tests log in often, and with the race detector a login takes longer than all else that they do.
			"--setParameter", "scramIterationCount=5000", "--setParameter", "scramSHA256IterationCount=5000",
			// The diagnostic data that a server writes every second is not read.
			"--setParameter", "diagnosticDataCollectionEnabled=false",
		}, more...)
	}
}

func start(tb testing.TB, version string, arguments Arguments) *Server {
	tb.Helper()
	home := folder(tb, version)
	var last error
	for range startAttempts {
		server, err := try(tb.Context(), home, version, arguments)
		if err == nil {
			return server
		}
		last = err
	}
	tb.Fatalf("starting mongod %s: %v", version, last)
	return nil
}

// folder is where the server of a version lies. A test is skipped where it is missing.
func folder(tb testing.TB, version string) string {
	tb.Helper()
	cache := os.Getenv("MONGOBENCH_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			tb.Fatal(err)
		}
		cache = filepath.Join(home, ".cache", "mongobench")
	}
	home := filepath.Join(cache, "mongod", version)
	if _, err := os.Stat(filepath.Join(home, "mongod")); err != nil { //nolint:gosec // The developer's own folder.
		tb.Skipf("needs mongod: %v; make mongod fetches it", err)
	}
	return home
}

// try starts a server once and waits until it answers.
func try(ctx context.Context, home, version string, arguments Arguments) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp("", "mongotest-")
	if err != nil {
		return nil, err
	}
	server := &Server{
		Version: version, Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Folder: data,
		home: home, arguments: arguments(data, port),
	}
	if err := server.run(); err != nil {
		return nil, err
	}
	if err := server.awaitAnswer(ctx); err != nil {
		log, _ := server.Log()
		server.Stop()
		return nil, fmt.Errorf("%w; its log ends with:\n%s", err, tail(log))
	}
	return server, nil
}

// run starts the process.
func (s *Server) run() error {
	// Not bound to the test's context: a shared server outlives the test that needed it first.
	// What it starts is what the developer put there.
	process := exec.Command(filepath.Join(s.home, "mongod"), s.arguments...) //nolint:gosec,noctx // See above.
	process.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(s.home, "lib"))
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // The server has a handle of its own.
	process.Stdout, process.Stderr = log, log
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
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

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It returns at once.
	if err != nil {
		return 0, err
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// awaitAnswer returns once the server answers a ping.
func (s *Server) awaitAnswer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		err := ping(ctx, s.Address)
		if err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("mongod ended with %s", s.process.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("mongod did not answer within %s: %w", startTimeout, err)
		case <-ticker.C:
		}
	}
}

// tail is the last lines of a log.
func tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
