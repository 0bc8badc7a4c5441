package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Command is how a process is started.
type Command struct {
	Path      string
	Arguments []string
	// Environment is added to that of this program.
	Environment []string
	// Input makes what the process reads; nil for nothing.
	Input func() io.Reader
}

// Process is a running program.
type Process struct {
	Name   string
	exec   *exec.Cmd
	said   tail
	exited chan struct{}
}

// Start starts a program. Not bound to a context: the caller ends it.
func Start(name string, c Command) (*Process, error) {
	p := &Process{Name: name, exited: make(chan struct{})}
	p.exec = exec.Command(c.Path, c.Arguments...) //nolint:noctx // See above.
	p.exec.Env = append(os.Environ(), c.Environment...)
	p.exec.Stdout, p.exec.Stderr = &p.said, &p.said
	if c.Input != nil {
		p.exec.Stdin = c.Input()
	}
	// A group of its own, so that Ctrl-C in a terminal reaches this program alone, which then ends the others.
	p.exec.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	// A feeder of input that blocks must not keep a dead process from being seen as dead.
	p.exec.WaitDelay = time.Second
	if err := p.exec.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = p.exec.Wait()
		close(p.exited)
	}()
	return p, nil
}

// PID is its number.
func (p *Process) PID() int { return p.exec.Process.Pid }

// Kill ends a process at once.
func (p *Process) Kill() {
	_ = p.exec.Process.Kill()
	<-p.exited
}

// Stop ends a process as Kubernetes would: it is asked to, and killed when it does not end in time.
func (p *Process) Stop(patience time.Duration) {
	_ = p.exec.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.Kill()
	}
}

// Pause makes a process stand still until Resume: it keeps what it has, and uses no CPU.
func (p *Process) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume has it go on.
func (p *Process) Resume() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(signal syscall.Signal) error {
	if err := p.exec.Process.Signal(signal); err != nil {
		return fmt.Errorf("sending %s to %s: %w", signal, p.Name, err)
	}
	return nil
}

// Await waits until the process ends by itself, and fails when it does not in time or ends with an error.
func (p *Process) Await(ctx context.Context, patience time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return fmt.Errorf("%s has not ended within %s; it said:\n%s", p.Name, patience, p.said.String())
	case <-p.exited:
	}
	if p.exec.ProcessState.Success() {
		return nil
	}
	return p.Ended()
}

// Ended is the error of a process that should have gone on; nil while it does.
func (p *Process) Ended() error {
	select {
	case <-p.exited:
		return fmt.Errorf("%s ended with %s; it said:\n%s", p.Name, p.exec.ProcessState, p.said.String())
	default:
		return nil
	}
}

// CPU is the CPU time, user and system, that the whole process used since it was started, threads that have ended
// included.
func (p *Process) CPU() (time.Duration, error) {
	// The kernel's own numbering: the clock of process pid is ^pid, shifted past the bits that choose the clock, of which
	// 2 is what the scheduler counted, to the nanosecond.
	const shift, scheduler = 3, 2
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^p.PID()<<shift|scheduler), &at); err != nil {
		return 0, fmt.Errorf("reading the CPU time of %s: %w", p.Name, err)
	}
	return time.Duration(at.Nano()), nil
}

// Memory is the resident size of the process, in bytes: the largest that it has had, and that of now.
func (p *Process) Memory() (peak, now int64, err error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/status")
	if err == nil {
		peak, err = kibibytes(string(status), "VmHWM:")
	}
	if err == nil {
		now, err = kibibytes(string(status), "VmRSS:")
	}
	if err != nil {
		return 0, 0, fmt.Errorf("reading the memory of %s: %w", p.Name, err)
	}
	return peak, now, nil
}

// kibibytes reads one size of a process's status, and returns it in bytes.
func kibibytes(status, name string) (int64, error) {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			size, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return size << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in the %d bytes of a process's status", name, len(status))
}

// tail keeps the end of what is written.
type tail struct {
	lock sync.Mutex
	kept []byte
}

func (t *tail) Write(text []byte) (int, error) {
	const enough = 2000
	t.lock.Lock()
	defer t.lock.Unlock()
	t.kept = append(t.kept, text...)
	t.kept = append(t.kept[:0], t.kept[max(0, len(t.kept)-enough):]...)
	return len(text), nil
}

func (t *tail) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return string(bytes.TrimSpace(t.kept))
}

// Sleep waits, unless the context ends.
func Sleep(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

// FreeAddresses are addresses on loopback that no process listens on.
func FreeAddresses(ctx context.Context, count int) ([]string, error) {
	addresses := make([]string, 0, count)
	for range count {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("finding a free port: %w", err)
		}
		// Until all are found, so that they differ.
		defer func() { _ = listener.Close() }()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}

// Get is the body that a process answers with, in the form that is asked for.
func Get(ctx context.Context, url, accept string) (string, error) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return string(body), err
}
