package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MarkerVariable is in the environment of every process that a cluster starts, with the state folder as its value:
// so a process is found even when `up` was killed before it could write down what it had started.
const MarkerVariable = "MONGOBENCH_CLUSTER"

// Record is what is remembered of a running machine.
type Record struct {
	Name string `json:"name"`
	// PID is the machine's init, in the host's numbering.
	PID int `json:"pid"`
	// StartTime is the kernel's start time of that process: a PID alone may be another's by now.
	StartTime uint64 `json:"startTime"`
	// NetworkNamespace is its identity, as in net:[4026532000].
	NetworkNamespace string `json:"networkNamespace"`
}

// record describes a process that was just started.
func record(name string, pid int) (Record, error) {
	process, err := ReadProcess(pid)
	if err != nil {
		return Record{}, err
	}
	return Record{
		Name: name, PID: pid, StartTime: process.StartTime, NetworkNamespace: process.NetworkNamespace,
	}, nil
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
