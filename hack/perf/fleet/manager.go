package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// startPatience and endPatience are how long the manager may take to fill its cache, and to end.
	startPatience = time.Minute
	endPatience   = 15 * time.Second
	askPatience   = 10 * time.Second
	poll          = 100 * time.Millisecond
)

// manager is the running program. It dies with this program, however that ends.
type manager struct {
	command *exec.Cmd
	log     string
	address string
	exited  chan struct{}
}

// startManager starts the program, and returns when it has seen the cluster. Not bound to a context: who starts it ends
// it.
func startManager(ctx context.Context, program, kubeconfig, folder string) (*manager, error) {
	addresses, err := freeAddresses(ctx, 2)
	if err != nil {
		return nil, err
	}
	m := &manager{log: filepath.Join(folder, "manager.log"), address: addresses[0], exited: make(chan struct{})}
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the manager's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	m.command = exec.Command(program, //nolint:noctx // See above.
		"--loadgen-image=example.com/loadgen:1",
		"--metrics-bind-address="+addresses[0], "--health-probe-bind-address="+addresses[1])
	m.command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	m.command.Stdout, m.command.Stderr = log, log
	// A group of its own, so that Ctrl-C in a terminal reaches this program alone, which then ends the manager.
	m.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := m.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the manager: %w", err)
	}
	go func() {
		_ = m.command.Wait()
		close(m.exited)
	}()
	err = await(ctx, startPatience, "the manager to be ready", func() (bool, error) {
		_, err := get(ctx, "http://"+addresses[1]+"/readyz")
		return err == nil, m.ended()
	})
	if err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

// ended is the error of a manager that does not run any more.
func (m *manager) ended() error {
	const enough = 2000
	select {
	case <-m.exited:
	default:
		return nil
	}
	said, _ := os.ReadFile(m.log)
	return fmt.Errorf("the manager ended with %s; it said:\n%s", m.command.ProcessState, said[max(0, len(said)-enough):])
}

// stop ends the manager as Kubernetes would.
func (m *manager) stop() {
	_ = m.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.exited:
	case <-time.After(endPatience):
		_ = m.command.Process.Kill()
		<-m.exited
	}
}

func (m *manager) metrics(ctx context.Context) (metrics, error) {
	text, err := get(ctx, "http://"+m.address+"/metrics")
	if err != nil {
		if ended := m.ended(); ended != nil {
			err = ended
		}
		return nil, fmt.Errorf("asking the manager for its metrics: %w", err)
	}
	return parseMetrics(text)
}

// memory is the resident size of the manager, in bytes: the largest that it has had, and that of now.
func (m *manager) memory() (peak, now int64, err error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(m.command.Process.Pid) + "/status")
	if err != nil {
		return 0, 0, fmt.Errorf("reading the manager's memory: %w", err)
	}
	if peak, err = kibibytes(string(status), "VmHWM:"); err != nil {
		return 0, 0, err
	}
	now, err = kibibytes(string(status), "VmRSS:")
	return peak, now, err
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

// freeAddresses are loopback addresses that nobody listens on.
func freeAddresses(ctx context.Context, count int) ([]string, error) {
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

// get is the body that an address answers with.
func get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
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

// await looks again and again until something is so.
func await(ctx context.Context, patience time.Duration, what string, is func() (bool, error)) error {
	deadline := time.Now().Add(patience)
	for {
		so, err := is()
		if so || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %s for %s", patience, what)
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
