package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endPatience is how long a process may take to end by itself once it was asked to.
const endPatience = 10 * time.Second

// command is how a process is started.
type command struct {
	path      string
	arguments []string
	// environment is added to that of this program.
	environment []string
	// input is read by the process; nil for none.
	input io.Reader
}

// process is a running program. It dies with this program, however that ends.
type process struct {
	name   string
	exec   *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
}

// start starts a program. Not bound to a context: who starts it ends it.
func start(name string, c command) (*process, error) {
	p := &process{name: name, exited: make(chan struct{})}
	p.exec = exec.Command(c.path, c.arguments...) //nolint:noctx // See above.
	p.exec.Env = append(os.Environ(), c.environment...)
	p.exec.Stdin, p.exec.Stdout, p.exec.Stderr = c.input, &p.output, &p.output
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

// kill ends a process at once.
func (p *process) kill() {
	_ = p.exec.Process.Kill()
	<-p.exited
}

// pause makes a process stand still until resume: it keeps what it has, and uses no CPU.
func (p *process) pause() error  { return p.signal(syscall.SIGSTOP) }
func (p *process) resume() error { return p.signal(syscall.SIGCONT) }

func (p *process) signal(signal syscall.Signal) error {
	if err := p.exec.Process.Signal(signal); err != nil {
		return fmt.Errorf("sending %s to %s: %w", signal, p.name, err)
	}
	return nil
}

// await waits until the process ends by itself, and fails when it does not in time or ends with an error.
func (p *process) await(ctx context.Context, patience time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return fmt.Errorf("%s has not ended within %s; it said:\n%s", p.name, patience, p.said())
	case <-p.exited:
	}
	if !p.exec.ProcessState.Success() {
		return p.ended()
	}
	return nil
}

// ended is the error of a process that should have gone on.
func (p *process) ended() error {
	return fmt.Errorf("%s ended with %s; it said:\n%s", p.name, p.exec.ProcessState, p.said())
}

// said is the end of what an ended process printed.
func (p *process) said() string {
	const enough = 2000
	select {
	case <-p.exited:
	default:
		return "(it is still running)"
	}
	text := strings.TrimSpace(p.output.String())
	return text[max(0, len(text)-enough):]
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// cpu is the CPU time, user and system, that the whole process used since it was started, threads that have ended
// included.
func (p *process) cpu() (time.Duration, error) {
	// The kernel's own numbering: the clock of process pid is ^pid, shifted past the bits that choose the clock, of which
	// 2 is what the scheduler counted, to the nanosecond.
	const shift, scheduler = 3, 2
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^p.exec.Process.Pid<<shift|scheduler), &at); err != nil {
		return 0, fmt.Errorf("reading the CPU time of %s: %w", p.name, err)
	}
	return time.Duration(at.Nano()), nil
}

// peakMemory is the largest resident size that the process has had, in bytes.
func (p *process) peakMemory() (int64, error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(p.exec.Process.Pid) + "/status")
	if err != nil {
		return 0, fmt.Errorf("reading the memory of %s: %w", p.name, err)
	}
	return parsePeakMemory(string(content))
}

func parsePeakMemory(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM among the %d bytes of a process's status", len(status))
}
