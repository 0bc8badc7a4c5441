package up

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

const (
	// patience is for one component, on a machine whose cores are all busy with something else.
	patience = 120 * time.Second
	// pollInterval is short, since the waits add up to the time that `up` takes.
	pollInterval = 50 * time.Millisecond
)

// await asks until the answer is nil. It gives up at once when a process of the cluster ends.
func (b *bringUp) await(ctx context.Context, what string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		if died := check(b.cluster); died != nil {
			return fmt.Errorf("waiting for %s: %w", what, died)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: not ready after %s: %w; logs are in %s",
				what, patience, err, b.cluster.State)
		case <-time.After(pollInterval):
		}
	}
}

// explain adds to an error which process has ended, when one has: that is most likely the cause.
func (b *bringUp) explain(err error) error {
	return errors.Join(err, check(b.cluster))
}

// check answers with an error when any process of the cluster has ended.
func check(c plan.Cluster) error {
	var failures error
	for _, name := range c.Machines() {
		failures = errors.Join(failures, machine.Check(c.Machine(name)))
	}
	return failures
}

// containerdAnswers answers nil once every node's containerd takes connections.
func (b *bringUp) containerdAnswers(ctx context.Context) error {
	for _, n := range b.cluster.Nodes() {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "unix", b.cluster.ContainerdSocket(n))
		if err != nil {
			return fmt.Errorf("connecting to containerd of %s: %w", n.Name(), err)
		}
		_ = connection.Close()
	}
	return nil
}

// Health answers nil when every process runs, the API server serves, and all nodes and the DNS server are ready.
func Health(ctx context.Context, c plan.Cluster) error {
	if err := check(c); err != nil {
		return err
	}
	server, err := connect(c)
	if err != nil {
		return err
	}
	if err := server.ready(ctx); err != nil {
		return err
	}
	if err := server.nodesReady(ctx, c.NodeCount); err != nil {
		return err
	}
	return server.dnsAvailable(ctx)
}

// mayLowerOOMScore tells whether this root has CAP_SYS_RESOURCE. In a sandbox it may not.
func mayLowerOOMScore() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // The kernel writes the capabilities from 0 to 31 into the first.
	err := unix.Capget(&header, &sets[0])
	return err == nil && sets[0].Effective&(1<<unix.CAP_SYS_RESOURCE) != 0
}
