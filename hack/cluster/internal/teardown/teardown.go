package teardown

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/cgroup"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// deadline is for the whole; a killed process that does not end in this time never will.
const deadline = 60 * time.Second

// Down ends every process of the cluster and removes its cgroups and its state folder.
func Down(ctx context.Context, state string) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	if err := endProcesses(ctx, state); err != nil {
		return err
	}
	if err := cgroup.Remove(ctx, plan.CgroupName(state)); err != nil {
		return err
	}
	if err := unmountBelow(state); err != nil {
		return err
	}
	return removeState(state)
}

// endProcesses kills until none is left: a process that was being started while we looked is found the next time.
// One that is about to end has lost its mark and its namespaces already, so all that were killed are remembered.
func endProcesses(ctx context.Context, state string) error {
	killed := map[int]uint64{}
	for {
		members, err := Members(state)
		if err != nil {
			return err
		}
		for _, pid := range members {
			if process, err := machine.ReadProcess(pid); err == nil {
				killed[pid] = process.StartTime
			}
			// One that ended by itself meanwhile is no failure, and one that cannot be killed is found again.
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		maps.DeleteFunc(killed, func(pid int, startTime uint64) bool {
			process, err := machine.ReadProcess(pid)
			return err != nil || process.Zombie || process.StartTime != startTime
		})
		if len(members) == 0 && len(killed) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("ending processes: still there after SIGKILL: %v; "+
				"they are likely to wait for a device: see their state with `ps`", slices.Sorted(maps.Keys(killed)))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Members lists the processes of the cluster that is, or was, in the state folder.
func Members(state string) ([]int, error) {
	processes, err := machine.Processes()
	if err != nil {
		return nil, err
	}
	inCgroup, err := cgroup.Processes(plan.CgroupName(state))
	if err != nil {
		return nil, err
	}
	return selectMembers(processes, inCgroup, recordedNamespaces(state, processes), state), nil
}

// recordedNamespaces lists the network namespaces of the machines that were written down. One that the host's own
// processes are in is left out, however it got there: the kernel may have given the number to another by now.
func recordedNamespaces(state string, processes []machine.Process) map[string]bool {
	folders, _ := filepath.Glob(filepath.Join(state, "machines", "*"))
	recorded := map[string]bool{}
	for _, folder := range folders {
		if r, err := machine.LoadRecord(folder); err == nil && r.NetworkNamespace != "" {
			recorded[r.NetworkNamespace] = true
		}
	}
	// Marked processes tell their namespaces, too; so a record that was never written is not missed.
	for _, process := range processes {
		if process.Marker == state && process.NetworkNamespace != "" {
			recorded[process.NetworkNamespace] = true
		}
	}
	for _, host := range []int{os.Getpid(), 1} {
		if process, err := machine.ReadProcess(host); err == nil {
			delete(recorded, process.NetworkNamespace)
		}
	}
	return recorded
}

// selectMembers decides who belongs to the cluster: marked, in one of its network namespaces, or in its cgroup. The
// caller and its ancestors never do, even when they stand inside.
func selectMembers(
	processes []machine.Process, inCgroup []int, namespaces map[string]bool, state string,
) []int {
	spared := ancestors(processes, os.Getpid())
	var members []int
	for _, process := range processes {
		if process.Zombie || spared[process.PID] {
			continue
		}
		if process.Marker == state || namespaces[process.NetworkNamespace] || slices.Contains(inCgroup, process.PID) {
			members = append(members, process.PID)
		}
	}
	return members
}

// ancestors is the process itself, its parent, and so on up to the first.
func ancestors(processes []machine.Process, pid int) map[int]bool {
	parents := map[int]int{}
	for _, process := range processes {
		parents[process.PID] = process.Parent
	}
	line := map[int]bool{}
	for pid > 0 && !line[pid] {
		line[pid] = true
		pid = parents[pid]
	}
	return line
}

// unmountBelow detaches what is mounted below the state folder. Nothing should be, since machines mount in namespaces
// of their own; but the folder is about to be removed with all that can be reached through it.
func unmountBelow(state string) error {
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("listing mounts: %w", err)
	}
	points := mountsBelow(string(content), state)
	for _, point := range slices.Backward(points) {
		if err := unix.Unmount(point, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmounting %s: %w", point, err)
		}
	}
	return nil
}

// mountsBelow reads the mount points at or below a folder from a mountinfo table, in the order they were mounted.
func mountsBelow(table, folder string) []string {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var points []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		const pointField = 4
		if len(fields) <= pointField {
			continue
		}
		point := unescape.Replace(fields[pointField])
		if point == folder || strings.HasPrefix(point, folder+"/") {
			points = append(points, point)
		}
	}
	return points
}

// removeState removes the folder, and refuses to when it does not look like one of ours.
func removeState(state string) error {
	entries, err := os.ReadDir(state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the state folder: %w", err)
	}
	if len(entries) > 0 && !plan.IsState(entries) {
		return fmt.Errorf("removing %s: it holds files but no %s, so it is not a cluster's; "+
			"check MONGOBENCH_STATE", state, filepath.Base(plan.Marker(state)))
	}
	// The mark goes last: when we are killed in the middle, the next try still knows the folder.
	for _, entry := range entries {
		if path := filepath.Join(state, entry.Name()); path != plan.Marker(state) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	if err == nil {
		err = os.RemoveAll(state)
	}
	if err != nil {
		return fmt.Errorf("removing state: %w", err)
	}
	return nil
}
