package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// inheritedDescriptor is where an inherited file arrives, in the init as in the process it is passed on to.
const inheritedDescriptor = 3

// Main is the life of a machine's init: set up, then start what is asked for on standard input, and reap for ever.
// The arguments are those that Start passes.
func Main(args []string) error {
	if len(args) != 4 {
		return errors.New("machine: only `cluster up` starts machines")
	}
	name, folder, keep := args[0], args[1], args[2:]
	if err := unix.Sethostname([]byte(name)); err != nil {
		return fmt.Errorf("setting host name: %w", err)
	}
	if err := mountPrivately(filepath.Join(folder, "fs"), keep); err != nil {
		return err
	}
	// The setting belongs to the network namespace; nodes forward between their pods and the other nodes.
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o600); err != nil {
		return fmt.Errorf("switching forwarding on: %w", err)
	}
	// Descriptor 3 is for the one process that asks for it, not for all.
	unix.CloseOnExec(inheritedDescriptor)
	s := &supervisor{folder: folder, names: map[int]string{}}
	go s.serve(os.Stdin)
	s.reap()
	return nil
}

// supervisor starts processes and writes down which of them ended.
type supervisor struct {
	folder string
	// mutex is held from before a process is started until its name is known, so that one that fails at once is
	// not taken for another's orphan.
	mutex sync.Mutex
	names map[int]string
}

// serve starts one process for each command, until its starter lets go of the pipe.
func (s *supervisor) serve(input io.Reader) {
	decoder := json.NewDecoder(input)
	for {
		var command Command
		if err := decoder.Decode(&command); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(os.Stderr, "reading commands: %v\n", err)
			}
			return
		}
		s.mutex.Lock()
		pid, err := s.spawn(command)
		if err == nil {
			s.names[pid] = command.Name
		}
		s.mutex.Unlock()
		if err != nil {
			s.note(command.Name, err.Error())
		}
	}
}

// spawn starts a process with its log as output and nothing as input.
func (s *supervisor) spawn(command Command) (int, error) {
	log, err := os.OpenFile(LogFile(s.folder, command.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("opening log: %w", err)
	}
	defer func() { _ = log.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	defer func() { _ = null.Close() }()
	files := []uintptr{null.Fd(), log.Fd(), log.Fd()}
	if command.Inherit {
		files = append(files, inheritedDescriptor)
	}
	pid, err := syscall.ForkExec(command.Args[0], command.Args, &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", command.Args[0], err)
	}
	return pid, nil
}

// reap waits for children, those that were started here as well as orphans of theirs (each container's shim is one).
func (s *supervisor) reap() {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == nil:
			s.end(pid, status)
		case errors.Is(err, syscall.ECHILD):
			<-children
		}
	}
}

// end notes the end of a process that was started here.
func (s *supervisor) end(pid int, status syscall.WaitStatus) {
	s.mutex.Lock()
	name, known := s.names[pid]
	delete(s.names, pid)
	s.mutex.Unlock()
	if known {
		s.note(name, describe(status))
	}
}

// note writes down, for `up` and for people, that a process has ended.
func (s *supervisor) note(name, how string) {
	if err := os.WriteFile(filepath.Join(s.folder, exitedFolder, name), []byte(how+"\n"), 0o600); err != nil {
		fmt.Fprintf(os.Stderr, "noting the end of %s: %v\n", name, err)
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
