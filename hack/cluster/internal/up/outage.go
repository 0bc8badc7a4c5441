package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/network"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/teardown"
)

// cutTime is how long the kernel may take to end all processes of a node.
const cutTime = time.Minute

// StopNode takes the power from a node: all that runs on it is gone, and nobody is told.
func StopNode(ctx context.Context, c plan.Cluster, name string) error {
	node, err := c.FindNode(name)
	if err != nil {
		return err
	}
	if node == c.Nodes()[0] {
		return fmt.Errorf("%s has the cluster's DNS, and its control plane reaches services through it: "+
			"stop another node", name)
	}
	ctx, cancel := context.WithTimeout(ctx, cutTime)
	defer cancel()
	return machine.Cut(ctx, c.Machine(name))
}

// StartNode brings a node back that StopNode has stopped, and waits until the node itself says that it is ready.
func StartNode(ctx context.Context, options Options, c plan.Cluster, name string) error {
	node, err := c.FindNode(name)
	if err != nil {
		return err
	}
	record, err := machine.LoadRecord(c.Machine(name))
	if err != nil {
		return err
	}
	if record.Running() {
		return fmt.Errorf("%s is running", name)
	}
	b := &bringUp{
		Options: options, cluster: c, tools: assets.FindTools(options.Cache), machines: map[string]*machine.Machine{},
	}
	defer b.release()
	return b.restart(ctx, node)
}

// restart does for one node what bringing up the cluster does for all.
func (b *bringUp) restart(ctx context.Context, node plan.Node) error {
	begin, name := time.Now(), node.Name()
	containerd, err := b.tools.Program("containerd")
	if err != nil {
		return err
	}
	b.facts = component.Facts{Kubernetes: assets.Binaries(b.Cache), Containerd: containerd}
	if b.server, err = connect(b.cluster); err != nil {
		return err
	}
	hub, err := machine.LoadRecord(b.cluster.Machine(plan.ControlPlane))
	if err != nil {
		return err
	}
	if err := machine.Renew(b.cluster.Machine(name)); err != nil {
		return err
	}
	b.Say("starting %s", name)
	if err := b.startMachine(ctx, name, nil); err != nil {
		return err
	}
	if err := network.Rejoin(b.cluster, node, hub.PID, b.machines[name].PID); err != nil {
		return b.explain(err)
	}
	if err := b.run(name, component.Containerd(b.cluster, node, b.facts)); err != nil {
		return err
	}
	if err := b.await(ctx, "containerd", b.containerdAnswers); err != nil {
		return err
	}
	if err := b.run(name, component.Agents(b.cluster, node, b.facts)...); err != nil {
		return err
	}
	return b.await(ctx, name, func(ctx context.Context) error { return b.server.nodeReadySince(ctx, name, begin) })
}

// Pause makes a process of the control plane stand still, so that nobody is answered and nobody is refused; Resume lets
// it go on.
func Pause(c plan.Cluster, process string) error { return signal(c, process, unix.SIGSTOP) }

// Resume lets a process go on that Pause has stopped.
func Resume(c plan.Cluster, process string) error { return signal(c, process, unix.SIGCONT) }

// signal sends a signal to a process of the control plane, which is known by the name of its program.
func signal(c plan.Cluster, process string, what unix.Signal) error {
	record, err := machine.LoadRecord(c.Machine(plan.ControlPlane))
	if err != nil {
		return err
	}
	members, err := teardown.Members(c.State)
	if err != nil {
		return err
	}
	for _, pid := range members {
		found, err := machine.ReadProcess(pid)
		if err != nil || found.Parent != record.PID || program(pid) != process {
			continue
		}
		if err := unix.Kill(pid, what); err != nil {
			return fmt.Errorf("sending %s to %s: %w", unix.SignalName(what), process, err)
		}
		return nil
	}
	return errors.New("the control plane runs no " + process)
}

// program is the name of the file that a process runs; empty when it has ended.
func program(pid int) string {
	arguments, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	path, _, _ := strings.Cut(string(arguments), "\x00")
	return filepath.Base(path)
}
