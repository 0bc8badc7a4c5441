package cgrouptest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
)

// made is how many cgroups this process has made, each under a name of its own.
var made atomic.Int64

// Limited makes a cgroup that may use this much of one core, in percent, until the test ends. Where none can be made
// the test is skipped.
func Limited(t *testing.T, percent int) (folder string) {
	t.Helper()
	const root, period = "/sys/fs/cgroup", 100_000
	name, quota := fmt.Sprintf("mongobench-test-%d-%d", os.Getpid(), made.Add(1)), percent*period/100
	folder, files := filepath.Join(root, "cpu", name), map[string]string{"cpu.cfs_quota_us": strconv.Itoa(quota)}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		folder, files = filepath.Join(root, name), map[string]string{"cpu.max": fmt.Sprintf("%d %d", quota, period)}
	}
	if err := os.Mkdir(folder, 0o750); err != nil {
		t.Skipf("no cgroup can be made here, so that no server can be limited: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(folder) })
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Skipf("no CPU limit can be set here: %v", err)
		}
	}
	return folder
}

// Join puts a process into a cgroup, until the test ends.
func Join(t *testing.T, folder, process string) {
	t.Helper()
	move := func(folder string) error {
		return os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte(process), 0o600)
	}
	if err := move(folder); err != nil {
		t.Fatal(err)
	}
	// A cgroup that holds a process cannot be removed.
	t.Cleanup(func() { _ = move(filepath.Dir(folder)) })
}
