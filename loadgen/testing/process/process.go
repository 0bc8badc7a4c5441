package process

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// startTimeout is how long a server may take until it answers; alone on a machine it takes half a second.
	startTimeout = 60 * time.Second
	pingInterval = 20 * time.Millisecond
	// startAttempts is more than one because another process may take the port between its choice and its use.
	startAttempts = 3
	// logLines are the last lines of a log that an error shows.
	logLines = 10
)

// Process is a server program at work.
type Process struct {
	// Command makes the command that runs it, and Answers is nil once it takes requests.
	Command func() *exec.Cmd
	Answers func(ctx context.Context) error
	// LogFile is what it writes to.
	LogFile string

	running *exec.Cmd
	exited  chan struct{}
}

// Run starts the program and returns once it answers.
func (p *Process) Run(ctx context.Context) error {
	if err := p.start(); err != nil {
		return err
	}
	if err := p.await(ctx); err != nil {
		p.Kill()
		log, _ := p.Log()
		return fmt.Errorf("%w; its log ends with:\n%s", err, Tail(log))
	}
	return nil
}

func (p *Process) start() error {
	log, err := os.OpenFile(p.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // The server has a handle of its own.
	running := p.Command()
	running.Stdout, running.Stderr = log, log
	if err := running.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	p.running, p.exited = running, exited
	go func() {
		_ = running.Wait()
		close(exited)
	}()
	return nil
}

// await returns once the server answers.
func (p *Process) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		err := p.Answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("the server ended with %s", p.running.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer within %s: %w", startTimeout, err)
		case <-ticker.C:
		}
	}
}

// Kill ends the server at once. Its data stays. It may be called again.
func (p *Process) Kill() {
	_ = p.running.Process.Kill()
	<-p.exited
}

// End has the server shut down in order, and returns when it has ended. Its data stays.
func (p *Process) End() error {
	if err := p.running.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("ending the server: %w", err)
	}
	<-p.exited
	return nil
}

// Restart starts a server that was killed or ended, on its data and its port, and returns once it answers.
func (p *Process) Restart(ctx context.Context) error {
	if err := p.Run(ctx); err != nil {
		return fmt.Errorf("restarting the server: %w", err)
	}
	return nil
}

// Suspend keeps the server from running until Resume, and returns when all of its threads stand still. Its connections
// stay open, and the kernel goes on taking what is sent to it.
func (p *Process) Suspend() error {
	if err := p.running.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(pingInterval) {
		if p.standsStill() {
			return nil
		}
	}
	return fmt.Errorf("the server did not stand still within %s", startTimeout)
}

// standsStill says whether all threads are stopped. The state comes after the name, which may hold anything, and ends
// with the last parenthesis.
func (p *Process) standsStill() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.running.Process.Pid))
	if err != nil || len(threads) == 0 {
		return false
	}
	for _, thread := range threads {
		content, err := os.ReadFile(thread)
		if err != nil {
			continue // It has ended.
		}
		if state := string(content); !strings.HasPrefix(state[strings.LastIndex(state, ")")+1:], " T") {
			return false
		}
	}
	return true
}

// Resume lets a server that was suspended go on.
func (p *Process) Resume() error {
	return p.running.Process.Signal(syscall.SIGCONT)
}

// Log is what the server has logged.
func (p *Process) Log() (string, error) {
	content, err := os.ReadFile(p.LogFile)
	return string(content), err
}

// Start tries to start a server on a new port and in a new folder until it works.
func Start[S any](tb testing.TB, start func(folder string, port int) (S, error)) S {
	tb.Helper()
	var last error
	for range startAttempts {
		port, err := FreePort()
		if err != nil {
			tb.Fatal(err)
		}
		folder, err := os.MkdirTemp("", "server-") //nolint:usetesting // A shared server outlives the test that started it.
		if err != nil {
			tb.Fatal(err)
		}
		server, err := start(folder, port)
		if err == nil {
			return server
		}
		last = errors.Join(err, os.RemoveAll(folder))
	}
	tb.Fatalf("starting a server: %v", last)
	panic("unreachable")
}

// FreePort is a free port of the loopback interface.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It returns at once.
	if err != nil {
		return 0, err
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// Command makes a command whose libraries lie in a folder of their own. It dies with the test process, and not with the
// test: a shared server outlives the test that needed it first.
func Command(program, libraries string, arguments ...string) *exec.Cmd {
	command := exec.Command(program, arguments...) //nolint:gosec,noctx // What it runs is what the developer put there.
	command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// Cache is the folder that `make mongod` and `make mariadb` fetch the servers to.
func Cache(tb testing.TB) string {
	tb.Helper()
	if cache := os.Getenv("MONGOBENCH_CACHE"); cache != "" {
		return cache
	}
	home, err := os.UserHomeDir()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(home, ".cache", "mongobench")
}

// Tail is the last lines of a log.
func Tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-logLines):], "\n")
}

// parallelTests is how many tests of a package run in parallel, unless -parallel says otherwise: what they wait for is
// mostly elections, timeouts and starting servers rather than a processor.
const parallelTests = "6"

// Shared are the servers that the tests of a package share, by name.
type Shared[S interface{ Stop() }] struct {
	mutex   sync.Mutex
	servers map[string]S
}

// Get returns the server with a name, which is started for the first who asks.
func (s *Shared[S]) Get(name string, start func() S) S {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if server, known := s.servers[name]; known {
		return server
	}
	server := start()
	if s.servers == nil {
		s.servers = map[string]S{}
	}
	s.servers[name] = server
	return server
}

// Main runs the tests of a package and stops the servers that they shared. It returns the exit code.
func (s *Shared[S]) Main(m *testing.M) int {
	_ = flag.Set("test.parallel", parallelTests)
	flag.Parse()
	defer func() {
		for _, server := range s.servers {
			server.Stop()
		}
	}()
	return m.Run()
}
