package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const exitedFolder = "exited"

// Options say what a machine is to be.
type Options struct {
	Name string
	// Folder is the machine's own folder below the state folder.
	Folder string
	// Program is the file to run as init: the orchestrator itself.
	Program string
	// State marks the machine's processes, and stays visible inside.
	State string
	// Keep is a further folder that stays visible inside at its own path, although a parent may be private.
	Keep string
	// Path is the PATH of the processes inside.
	Path string
	// Inherited is an open file that processes may ask for as descriptor 3, or nil.
	Inherited *os.File
}

// Command is a process to be started in a machine.
type Command struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	// Inherit passes the machine's inherited file on as descriptor 3.
	Inherit bool `json:"inherit,omitempty"`
}

// Machine is a running machine as its starter holds it.
type Machine struct {
	Record

	folder   string
	commands io.WriteCloser
}

// Start starts the machine's init in new namespaces and records it. The init outlives its starter.
func Start(ctx context.Context, options Options) (*Machine, error) {
	for _, folder := range []string{exitedFolder, "log", "fs"} {
		if err := os.MkdirAll(filepath.Join(options.Folder, folder), 0o750); err != nil {
			return nil, fmt.Errorf("making folders of machine %s: %w", options.Name, err)
		}
	}
	log, err := os.OpenFile(LogFile(options.Folder, "init"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening log of machine %s: %w", options.Name, err)
	}
	defer func() { _ = log.Close() }()
	// The end of the context does not end it: the machine outlives its starter.
	command := exec.CommandContext(context.WithoutCancel(ctx), options.Program,
		"machine", options.Name, options.Folder, options.State, options.Keep)
	// What runs on it, but for containers, collects garbage when its heap has grown to five times what is in use: that
	// leaves more of the processors to what is measured.
	command.Env = []string{
		MarkerVariable + "=" + options.State, "PATH=" + options.Path, "HOME=/root", "LANG=C.UTF-8", "GOGC=400",
	}
	command.Dir = "/"
	command.Stdout, command.Stderr = log, log
	if options.Inherited != nil {
		command.ExtraFiles = []*os.File{options.Inherited}
	}
	command.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
	}
	commands, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("opening command pipe of machine %s: %w", options.Name, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting machine %s: %w; namespaces need root", options.Name, err)
	}
	// Reap it should it die while we are here; when we end first, the host's init does.
	go func() { _ = command.Wait() }()
	m := &Machine{Record: Record{Name: options.Name}, folder: options.Folder, commands: commands}
	if m.Process, err = ReadProcess(command.Process.Pid); err != nil {
		return nil, fmt.Errorf("starting machine %s: %w; see %s", options.Name, err, log.Name())
	}
	return m, m.save(options.Folder)
}

// Run asks the machine's init to start a process.
func (m *Machine) Run(command Command) error {
	if err := json.NewEncoder(m.commands).Encode(command); err != nil {
		return fmt.Errorf("asking %s to start %s: %w; see %s", m.Name, command.Name, err, LogFile(m.folder, "init"))
	}
	return nil
}

// Release lets go of the machine; it keeps running.
func (m *Machine) Release() {
	_ = m.commands.Close()
}

// Process is what /proc tells of a process.
type Process struct {
	// PID is in the host's numbering.
	PID    int `json:"pid"`
	Parent int `json:"-"`
	// StartTime is by the kernel's clock: a PID alone may be another's by now.
	StartTime uint64 `json:"startTime"`
	Zombie    bool   `json:"-"`
	// NetworkNamespace is its identity, as in net:[4026532000].
	NetworkNamespace string `json:"networkNamespace"`
	// Marker is the value of MarkerVariable in its environment, empty when it has none.
	Marker string `json:"-"`
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

// MarkerVariable is in the environment of every process that a cluster starts, with the state folder as its value:
// so a process is found even when `up` was killed before it could write down what it had started.
const MarkerVariable = "MONGOBENCH_CLUSTER"

// Record is what is remembered of a running machine: its name, and its init.
type Record struct {
	Name string `json:"name"`
	Process
}

// save writes the record into the machine's folder.
func (r Record) save(folder string) error {
	content, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding record of %s: %w", r.Name, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "machine.json"), content, 0o600); err != nil {
		return fmt.Errorf("writing record of %s: %w", r.Name, err)
	}
	return nil
}

// LoadRecord reads what was remembered of the machine in the folder.
func LoadRecord(folder string) (Record, error) {
	content, err := os.ReadFile(filepath.Join(folder, "machine.json"))
	if err != nil {
		return Record{}, fmt.Errorf("reading record of machine: %w", err)
	}
	var r Record
	if err := json.Unmarshal(content, &r); err != nil {
		return Record{}, fmt.Errorf("reading record of machine: %w", err)
	}
	return r, nil
}

// Running tells whether the recorded process, and not another with its PID, is still there.
func (r Record) Running() bool {
	process, err := ReadProcess(r.PID)
	return err == nil && process.StartTime == r.StartTime && !process.Zombie
}

// LogFile is where a process of the machine in the folder writes.
func LogFile(folder, process string) string { return filepath.Join(folder, "log", process+".log") }

// Check answers with an error when the machine, or a process in it, has ended: which, how, and what it said last.
func Check(folder string) error {
	r, err := LoadRecord(folder)
	if err != nil {
		return err
	}
	if !r.Running() {
		return fmt.Errorf("machine %s has ended; last lines of %s:\n%s",
			r.Name, LogFile(folder, "init"), tail(LogFile(folder, "init")))
	}
	ended, _ := filepath.Glob(filepath.Join(folder, exitedFolder, "*")) // The pattern is a good one.
	var failures []error
	for _, note := range ended {
		how, err := os.ReadFile(note)
		if err != nil {
			return fmt.Errorf("reading ended process: %w", err)
		}
		log := LogFile(folder, filepath.Base(note))
		failures = append(failures, fmt.Errorf("%s of %s has ended (%s); last lines of %s:\n%s",
			filepath.Base(note), r.Name, bytes.TrimSpace(how), log, tail(log)))
	}
	return errors.Join(failures...)
}

// tail is the end of a log file, indented, for an error message.
func tail(path string) string {
	const lines = 12
	content, err := os.ReadFile(path)
	if err != nil {
		return "  (" + err.Error() + ")"
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return "  " + strings.Join(all, "\n  ")
}
