//go:build e2e

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/teardown"
)

// harness runs the program as people do, on a cluster of its own.
type harness struct {
	program, state string
}

// newHarness builds the program, and takes the cluster down when the test ends, however it ends.
func newHarness(t *testing.T) *harness {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	// Not t.TempDir: the path of its sockets would be too long for the kernel.
	state := fmt.Sprintf("/tmp/mbt%d", os.Getpid())
	h := &harness{program: filepath.Join(t.TempDir(), "cluster"), state: state}
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", h.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, output)
	}
	t.Cleanup(func() { h.run(t, "down") })
	return h
}

// command prepares a call of the program.
func (h *harness) command(args ...string) *exec.Cmd {
	// Not the test's context: the last call is made when that has ended.
	command := exec.CommandContext(context.Background(), h.program, args...)
	command.Env = append(os.Environ(), "MONGOBENCH_STATE="+h.state)
	return command
}

// run calls the program, which has to succeed, and answers with what it said.
func (h *harness) run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := h.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("cluster %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// downAndCompare takes the cluster down and compares the machine with what it was.
func (h *harness) downAndCompare(t *testing.T, before []string) {
	t.Helper()
	begin := time.Now()
	h.run(t, "down")
	t.Logf("down took %s", time.Since(begin).Round(time.Millisecond))
	if diff := cmp.Diff(before, h.traces(t)); diff != "" {
		t.Errorf("the machine is not as it was (-before +after):\n%s", diff)
	}
	if _, err := os.Stat(h.state); !os.IsNotExist(err) {
		t.Errorf("state folder is still there: %v", err)
	}
}

// traces lists what a cluster could leave on a machine: processes, mounts, devices, namespaces, cgroups, files at the
// places that its components know, and kernel settings.
func (h *harness) traces(t *testing.T) []string {
	t.Helper()
	members, err := teardown.Members(h.state)
	if err != nil {
		t.Fatalf("listing processes: %v", err)
	}
	found := []string{fmt.Sprintf("processes of the cluster: %v", members)}
	found = append(found, h.insiders(t)...)
	for _, pattern := range []string{
		"/run/*", "/run/netns/*", "/var/run/netns/*", "/var/lib/*", "/opt/*", "/etc/cni/*", "/etc/containerd/*",
		"/var/log/pods/*", "/var/log/containers/*", "/usr/libexec/kubernetes/*", "/sys/class/net/*",
		"/sys/fs/cgroup/*/" + plan.CgroupName(h.state), "/sys/fs/cgroup/" + plan.CgroupName(h.state),
	} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatalf("listing %s: %v", pattern, err)
		}
		found = append(found, matches...)
	}
	for _, file := range []string{
		"/proc/self/mountinfo", "/proc/net/route", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/panic",
		"/proc/sys/kernel/panic_on_oops", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/netfilter/nf_conntrack_max",
	} {
		content, err := os.ReadFile(file)
		found = append(found, fmt.Sprintf("%s %v\n%s", file, err != nil, content))
	}
	return found
}

// insiders lists the processes that are in another PID namespace than this one: the machines of a cluster, and all
// that runs in them. Those of a cluster with another state folder come and go as they please.
func (h *harness) insiders(t *testing.T) []string {
	t.Helper()
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatalf("reading own namespace: %v", err)
	}
	processes, err := machine.Processes()
	if err != nil {
		t.Fatalf("listing processes: %v", err)
	}
	byPID := map[int]machine.Process{}
	for _, process := range processes {
		byPID[process.PID] = process
	}
	var found []string
	for _, process := range processes {
		if h.belongsToAnother(process, byPID) {
			continue
		}
		folder := filepath.Join("/proc", strconv.Itoa(process.PID))
		namespace, err := os.Readlink(filepath.Join(folder, "ns", "pid"))
		name, _ := os.ReadFile(filepath.Join(folder, "comm"))
		// A zombie waits for the host's first process to take note of it, which is not ours to hasten.
		if err == nil && namespace != own && !process.Zombie {
			found = append(found, fmt.Sprintf("%d %s", process.PID, bytes.TrimSpace(name)))
		}
	}
	return found
}

// belongsToAnother tells whether a process, or one that it descends from, carries another cluster's mark.
func (h *harness) belongsToAnother(process machine.Process, byPID map[int]machine.Process) bool {
	for known := true; known; process, known = byPID[process.Parent] {
		if process.Marker != "" && process.Marker != h.state {
			return true
		}
	}
	return false
}

func TestSecondUpFindsTheClusterHealthyAndDownLeavesNothing(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	begin := time.Now()
	h.run(t, "up")
	t.Logf("up took %s", time.Since(begin).Round(time.Millisecond))
	if said := h.run(t, "up"); !strings.Contains(said, "already up and healthy") {
		t.Errorf("second up said:\n%s", said)
	}
	if said := h.run(t, "kubectl", "auth", "can-i", "get", "pods"); !strings.Contains(said, "yes") {
		t.Errorf("the admin cannot get pods: %s", said)
	}
	said := h.run(t, "exec", "--", "getent", "ahostsv4", "kubernetes.default")
	if !strings.Contains(said, plan.APIServiceAddress) {
		t.Errorf("kubernetes.default resolves to %q, want %s", said, plan.APIServiceAddress)
	}
	h.downAndCompare(t, before)
	// Nothing is up: that is what it is to look like, and no error.
	h.downAndCompare(t, before)
}

func TestDownAfterUpWasKilledAtAnyMomentLeavesNothing(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	for range 6 {
		after := time.Duration(rand.Int64N(int64(15 * time.Second)))
		t.Logf("killing up after %s", after)
		h.killUp(t, after)
		h.downAndCompare(t, before)
	}
}

func TestUpAfterUpWasKilledStartsAfresh(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	h.killUp(t, 3*time.Second)
	if said := h.run(t, "up"); !strings.Contains(said, "unfinished") {
		t.Errorf("up after a killed up said:\n%s", said)
	}
	h.downAndCompare(t, before)
}

func TestComponentThatDiedIsNamedAndTakenDown(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	for _, component := range []string{"kubelet", "containerd", "etcd", "kube-scheduler"} {
		h.run(t, "up", "--nodes", "2")
		h.killComponent(t, component)
		output, err := h.command("status").CombinedOutput()
		if err == nil || !strings.Contains(string(output), component+" of ") {
			t.Errorf("status after %s died: %v\n%s", component, err, output)
		}
		h.downAndCompare(t, before)
	}
}

func TestNodeComesBackAfterItWasWithoutPower(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	h.run(t, "up", "--nodes", "2")
	if output, err := h.command("stop-node", "node1").CombinedOutput(); err == nil {
		t.Errorf("the first node was stopped: %s", output)
	}
	h.run(t, "stop-node", "node2")
	output, err := h.command("status").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "node2 has ended") {
		t.Errorf("status without node2: %v\n%s", err, output)
	}
	h.run(t, "start-node", "node2")
	h.run(t, "status")
	if said := h.run(t, "kubectl", "get", "--raw", "/api/v1/nodes/node2/proxy/healthz"); !strings.Contains(said, "ok") {
		t.Errorf("node2 says %q", said)
	}
	h.downAndCompare(t, before)
}

func TestPausedAPIServerAnswersNobodyUntilItIsResumed(t *testing.T) {
	h := newHarness(t)
	before := h.traces(t)
	h.run(t, "up")
	h.run(t, "pause", "kube-apiserver")
	if output, err := h.command("kubectl", "version", "--request-timeout", "2s").CombinedOutput(); err == nil {
		t.Errorf("a paused server answers: %s", output)
	}
	h.run(t, "resume", "kube-apiserver")
	h.run(t, "kubectl", "version")
	h.run(t, "pause", "kube-apiserver")
	h.downAndCompare(t, before)
}

// killUp starts `up` and kills it after the time, or lets it end when it is faster.
func (h *harness) killUp(t *testing.T, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	command := exec.CommandContext(ctx, h.program, "up", "--nodes", "2") // The context's end is a SIGKILL.
	command.Env = append(os.Environ(), "MONGOBENCH_STATE="+h.state)
	output, err := command.CombinedOutput()
	t.Logf("up: %v\n%s", err, output)
}

// killComponent kills one process of the cluster by its name, and waits until its machine has noticed.
func (h *harness) killComponent(t *testing.T, component string) {
	t.Helper()
	members, err := teardown.Members(h.state)
	if err != nil {
		t.Fatalf("listing processes: %v", err)
	}
	for _, pid := range members {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil || strings.TrimSpace(string(name)) != component {
			continue
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatalf("killing %s: %v", component, err)
		}
	}
	deadline := time.After(10 * time.Second)
	for {
		noted, err := filepath.Glob(filepath.Join(h.state, "machines", "*", "exited", component))
		if err == nil && len(noted) > 0 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("the death of %s was not noticed", component)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
