package machine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is what /proc tells of a process.
type Process struct {
	PID              int
	Parent           int
	StartTime        uint64
	Zombie           bool
	NetworkNamespace string
	// Marker is the value of MarkerVariable in its environment, empty when it has none.
	Marker string
}

// ReadProcess reads one process; it fails when the process is gone.
func ReadProcess(pid int) (Process, error) {
	folder := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return Process{}, fmt.Errorf("reading process %d: %w", pid, err)
	}
	process, err := parseStat(string(stat))
	if err != nil {
		return Process{}, fmt.Errorf("reading process %d: %w", pid, err)
	}
	// A zombie has neither of these any more; that is no error.
	process.NetworkNamespace, _ = os.Readlink(filepath.Join(folder, "ns", "net"))
	environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
	process.Marker = variable(environment, MarkerVariable)
	return process, nil
}

// Processes reads all processes that are there; those that end meanwhile are left out.
func Processes() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if process, err := ReadProcess(pid); err == nil {
			all = append(all, process)
		}
	}
	return all, nil
}

// parseStat reads a line of /proc/PID/stat. The name, in parentheses, may itself hold spaces and parentheses, so
// fields are counted from the last one that closes.
func parseStat(line string) (Process, error) {
	end := strings.LastIndexByte(line, ')')
	open := strings.IndexByte(line, ' ')
	if end < 0 || open < 0 {
		return Process{}, fmt.Errorf("parsing stat line %q: no process name", line)
	}
	pid, err := strconv.Atoi(line[:open])
	if err != nil {
		return Process{}, fmt.Errorf("parsing stat line: %w", err)
	}
	// What follows the name: state, parent, ..., with the start time as the 20th.
	fields := strings.Fields(line[end+1:])
	const startTimeField = 19
	if len(fields) <= startTimeField {
		return Process{}, fmt.Errorf("parsing stat line %q: too few fields", line)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return Process{}, fmt.Errorf("parsing stat line: parent: %w", err)
	}
	start, err := strconv.ParseUint(fields[startTimeField], 10, 64)
	if err != nil {
		return Process{}, fmt.Errorf("parsing stat line: start time: %w", err)
	}
	return Process{PID: pid, Parent: parent, StartTime: start, Zombie: fields[0] == "Z" || fields[0] == "X"}, nil
}

// variable finds a variable in an environment block as /proc shows it.
func variable(block []byte, name string) string {
	for entry := range bytes.SplitSeq(block, []byte{0}) {
		if value, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			return string(value)
		}
	}
	return ""
}
