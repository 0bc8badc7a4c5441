// Package lock keeps two commands from working on the same cluster at the same time. The kernel releases the lock
// with the process that holds it, so a killed command blocks nobody. It imports the standard library,
// golang.org/x/sys and plan.
package lock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// Take waits for the lock of the cluster in the state folder; release lets it go. The file is in the cache, since the
// state folder goes with the cluster.
func Take(ctx context.Context, state, cache string) (release func(), err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	path := filepath.Join(cache, plan.CgroupName(state)+".lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("taking the lock: %w", err)
	}
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("taking the lock %s: another `cluster` command holds it: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
