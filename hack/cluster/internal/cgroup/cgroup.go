package cgroup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Root is where the hierarchies are mounted.
const Root = "/sys/fs/cgroup"

// Unified tells whether the machine has version 2 alone: then the root itself is the one hierarchy.
func Unified() bool {
	_, err := os.Stat(filepath.Join(Root, "cgroup.controllers"))
	return err == nil
}

// Hierarchies lists where cgroups are to be made: each mounted hierarchy of version 1, or the one of version 2.
func Hierarchies() ([]string, error) {
	if Unified() {
		return []string{Root}, nil
	}
	entries, err := os.ReadDir(Root)
	if err != nil {
		return nil, fmt.Errorf("listing cgroup hierarchies: %w", err)
	}
	var hierarchies []string
	for _, entry := range entries {
		path := filepath.Join(Root, entry.Name())
		// Links name the same hierarchy twice, as cpu,cpuacct and cpu; what has no such file is no hierarchy.
		if _, err := os.Stat(filepath.Join(path, "cgroup.procs")); err == nil && entry.IsDir() {
			hierarchies = append(hierarchies, path)
		}
	}
	if len(hierarchies) == 0 {
		return nil, fmt.Errorf("finding cgroup hierarchies: none is mounted below %s", Root)
	}
	return hierarchies, nil
}

// Make makes the cgroup, such as "mongobench/node1", with all its parents and all controllers.
func Make(name string) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, hierarchy := range hierarchies {
		parent := hierarchy
		for part := range strings.SplitSeq(name, "/") {
			child := filepath.Join(parent, part)
			if err := makeChild(parent, child); err != nil {
				return fmt.Errorf("making cgroup %s: %w", child, err)
			}
			parent = child
		}
	}
	return nil
}

// makeChild makes one cgroup able to hold processes, or children that do.
func makeChild(parent, child string) error {
	if err := delegate(parent); err != nil {
		return err
	}
	if err := os.Mkdir(child, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if Unified() {
		return delegate(child)
	}
	// A cpuset of version 1 starts empty, and an empty one takes no process.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		if err := inherit(filepath.Join(parent, file), filepath.Join(child, file)); err != nil {
			return err
		}
	}
	return nil
}

// delegate lets the children of a cgroup of version 2 use every controller that it has itself.
func delegate(path string) error {
	controllers, err := os.ReadFile(filepath.Join(path, "cgroup.controllers"))
	if errors.Is(err, fs.ErrNotExist) || !Unified() {
		return nil
	}
	if err != nil {
		return err
	}
	for controller := range strings.FieldsSeq(string(controllers)) {
		// One by one: a controller that cannot be delegated (rdma, misc) must not keep back those that can.
		_ = os.WriteFile(filepath.Join(path, "cgroup.subtree_control"), []byte("+"+controller), 0o600)
	}
	return nil
}

// inherit copies a setting from the parent unless the child has its own.
func inherit(parent, child string) error {
	current, err := os.ReadFile(child)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(bytes.TrimSpace(current)) > 0 {
		return err
	}
	value, err := os.ReadFile(parent)
	if err != nil {
		return err
	}
	return os.WriteFile(child, value, 0o600)
}

// Processes lists the processes in the cgroup and below, in any hierarchy.
func Processes(name string) ([]int, error) {
	paths, err := below(name)
	var pids []int
	for _, path := range paths {
		content, failure := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		err = errors.Join(err, ignoreGone(failure))
		for field := range strings.FieldsSeq(string(content)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids, err
}

// Remove removes the cgroup with everything below, once its processes are gone: the kernel needs a moment to forget
// a process that has ended, so it is tried until the context ends.
func Remove(ctx context.Context, name string) error {
	for {
		err := removeOnce(name)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("removing cgroup %s: %w", name, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func removeOnce(name string) error {
	paths, err := below(name)
	if err != nil {
		return err
	}
	for _, path := range slices.Backward(paths) {
		err = errors.Join(err, ignoreGone(os.Remove(path)))
	}
	return err
}

// below lists the folders of the cgroup and of all below, parents first, in every hierarchy that has it.
func below(name string) ([]string, error) {
	hierarchies, err := Hierarchies()
	var paths []string
	for _, hierarchy := range hierarchies {
		err := filepath.WalkDir(filepath.Join(hierarchy, name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				paths = append(paths, path)
			}
			return ignoreGone(err)
		})
		if err != nil {
			return nil, fmt.Errorf("walking cgroup %s: %w", name, err)
		}
	}
	return paths, err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
