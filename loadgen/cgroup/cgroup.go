package cgroup

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Throttling is how a CPU limit was kept. Linux gives a cgroup its share of processor time for each period, of 100 ms
// unless it is told otherwise, and stops all of its threads until the next when that is used up.
type Throttling struct {
	// Periods in which the cgroup had something to run, and Throttled those of them in which it was stopped.
	Periods, Throttled int64
}

const (
	mount = "sys/fs/cgroup"
	file  = "cpu.stat"
	// controller is the one of version 1 that has the limit.
	controller = "cpu"
)

// Of is how the limit of a process was kept so far; root is the root of the file system, and process its number or
// "self". It is not known without a limit.
func Of(root fs.FS, process string) (Throttling, bool) {
	lines, err := fs.ReadFile(root, path.Join("proc", process, "cgroup"))
	if err != nil {
		return Throttling{}, false
	}
	for _, name := range places(string(lines)) {
		content, err := fs.ReadFile(root, name)
		if err != nil {
			continue
		}
		found := Throttling{Periods: number("nr_periods", content), Throttled: number("nr_throttled", content)}
		if found.Periods > 0 {
			return found, true
		}
	}
	return Throttling{}, false
}

// places are the files in which the numbers may be, by the lines of /proc/PID/cgroup: each "number:controllers:path",
// without controllers of version 2. In a container the path may be the one that the node knows, and its own cgroup is
// then at the mount.
func places(lines string) []string {
	var found []string
	for line := range strings.Lines(lines) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		controllers, own := parts[1], parts[2]
		switch {
		case controllers == "":
			found = append(found, path.Join(mount, own, file), path.Join(mount, file))
		case slices.Contains(strings.Split(controllers, ","), controller):
			for _, folder := range []string{controllers, controller} {
				found = append(found, path.Join(mount, folder, own, file), path.Join(mount, folder, file))
			}
		}
	}
	return found
}

// number follows a name with which a line begins; 0 when there is none.
func number(name string, content []byte) int64 {
	for line := range strings.Lines(string(content)) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == name {
			found, _ := strconv.ParseInt(words[1], 10, 64)
			return found
		}
	}
	return 0
}
