package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	command.Env = []string{
		MarkerVariable + "=" + options.State, "PATH=" + options.Path, "HOME=/root", "LANG=C.UTF-8",
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
	m := &Machine{folder: options.Folder, commands: commands}
	if m.Record, err = record(options.Name, command.Process.Pid); err != nil {
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
