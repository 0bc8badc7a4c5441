package part

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// buildDeadline bounds the build of the largest neighbour on a slow machine with empty caches.
	buildDeadline = 30 * time.Minute
	// endDeadline is how long a program may take to end when it is told to.
	endDeadline = 30 * time.Second
	// logTail is how much a program's log tells of a failed test.
	logTail = 8 << 10
)

// Root is the repository's folder.
func Root(t *testing.T) string {
	t.Helper()
	out := output(t, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(out)
}

// Program builds a pinned program of hack/e2e/neighbours/NAME/module, if this machine has not got it yet, and tells its
// path. program is the last part of one `tool` line, of which there are several; unset: the first.
func Program(t *testing.T, name, program string) string {
	t.Helper()
	arguments := []string{name}
	if program != "" {
		arguments = append(arguments, program)
	}
	return strings.TrimSpace(output(t, ".", filepath.Join(Root(t), "hack", "tools", "tool.sh"), arguments...))
}

// Source is the folder of a neighbour's own module, where its manifests are. Nothing may be written there.
func Source(t *testing.T, name, module string) string {
	t.Helper()
	folder := filepath.Join(Root(t), "hack", "e2e", "neighbours", name, "module")
	output(t, folder, "go", "mod", "download", module)
	return strings.TrimSpace(output(t, folder, "go", "list", "-m", "-f", "{{.Dir}}", module))
}

func output(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildDeadline)
	defer cancel()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = folder
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("running %s %s: %v\n%s", program, strings.Join(arguments, " "), err, said.String())
	}
	return string(out)
}

// Process is a running program.
type Process struct {
	command *exec.Cmd
	ended   chan struct{}
	log     *log
}

// Command is a program that goes on after the test itself, for as long as what the test cleans up needs it: the test's
// own context ends before that.
func Command(t *testing.T, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(context.WithoutCancel(t.Context()), program, arguments...)
}

// Start starts a Command, and ends it with the test: it is asked to, and killed when it does not. What it printed
// last is told when the test failed.
func Start(t *testing.T, command *exec.Cmd) *Process {
	t.Helper()
	process := &Process{command: command, ended: make(chan struct{}), log: &log{}}
	command.Stdout, command.Stderr = process.log, process.log
	// Should the test itself be killed, nothing is left running.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatalf("starting %s: %v", command.Path, err)
	}
	go func() {
		defer close(process.ended)
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		process.Stop()
		if t.Failed() {
			t.Logf("%s printed last:\n%s", filepath.Base(command.Path), process.log.tail())
		}
	})
	return process
}

// Stop ends the program.
func (p *Process) Stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(endDeadline):
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// Err tells that the program has ended, with what it printed last, for those that wait for what it does.
func (p *Process) Err() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s ended by itself: %s\n%s", filepath.Base(p.command.Path), p.command.ProcessState, p.log.tail())
	default:
		return nil
	}
}

// Free is an address of loopback that nothing listens at.
func Free(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// log keeps what a program prints.
type log struct {
	mu      sync.Mutex
	printed bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.printed.Write(b)
}

func (l *log) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.printed.Bytes()
	return string(all[max(0, len(all)-logTail):])
}
