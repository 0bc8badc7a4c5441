package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// volatile is what is in memory on a real machine, and so empty after it was without power; and what an earlier life
// noted of processes that ended.
var volatile = []string{exitedFolder, "fs/run", "fs/var/run", "fs/tmp"}

// Cut ends the machine in the folder as a power cut would: its processes, mounts and network devices are gone at once,
// and what is on its disk stays. With the first process of its PID namespace all others end.
func Cut(ctx context.Context, folder string) error {
	r, err := LoadRecord(folder)
	if err != nil {
		return err
	}
	if !r.Running() {
		return fmt.Errorf("machine %s has ended already", r.Name)
	}
	if err := unix.Kill(r.PID, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("ending machine %s: %w", r.Name, err)
	}
	for r.Running() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("ending machine %s: still there after SIGKILL: %w", r.Name, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Renew makes the folder of a machine that was cut ready for its next start.
func Renew(folder string) error {
	var failures error
	for _, stale := range volatile {
		failures = errors.Join(failures, os.RemoveAll(filepath.Join(folder, stale)))
	}
	if failures != nil {
		return fmt.Errorf("emptying what a machine keeps in memory: %w", failures)
	}
	return nil
}
