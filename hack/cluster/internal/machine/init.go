package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
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

// privateFolders are where the components of a node keep things at fixed paths (sockets, pod logs, CNI's records,
// named network namespaces). Each machine sees an empty folder of its own there.
var privateFolders = []string{"/run", "/var/run", "/tmp", "/var/lib", "/var/log"}

// settings are the kernel settings that a kubelet sees to. They are the whole host's, so the kubelet is shown files
// with the values that it wants, and the host keeps its own.
var settings = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// mountPrivately gives this process's mount namespace its private folders, kept below the folder given.
func mountPrivately(folder string, keep []string) error {
	// Nothing that is mounted here may reach the host ...
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	// ... while pods may ask for mounts to be passed on between them and their node.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("making mounts shared: %w", err)
	}
	kept := map[string]int{}
	for _, path := range keep {
		descriptor, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("opening %s: %w", path, err)
		}
		defer func() { _ = unix.Close(descriptor) }()
		kept[path] = descriptor
	}
	for _, path := range privateFolders {
		if err := hide(path, filepath.Join(folder, path), kept); err != nil {
			return err
		}
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	return maskSettings(filepath.Join(folder, "sysctl"))
}

// hide puts a folder of ours over a folder of the host, with the kept folders still in it.
func hide(path, source string, kept map[string]int) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.IsDir()) {
		return nil // A link, like /var/run on most machines, leads to a folder that is hidden itself.
	}
	if err == nil {
		err = os.MkdirAll(source, 0o755)
	}
	if err == nil {
		err = os.Chmod(source, info.Mode())
	}
	if err == nil {
		err = unix.Mount(source, path, "", unix.MS_BIND|unix.MS_REC, "")
	}
	if err != nil {
		return fmt.Errorf("hiding %s: %w", path, err)
	}
	for keep, descriptor := range kept {
		if !strings.HasPrefix(keep, path+"/") {
			continue
		}
		// By its descriptor, since its path no longer leads there.
		from := "/proc/self/fd/" + strconv.Itoa(descriptor)
		err := os.MkdirAll(keep, 0o755)
		if err == nil {
			err = unix.Mount(from, keep, "", unix.MS_BIND|unix.MS_REC, "")
		}
		if err != nil {
			return fmt.Errorf("keeping %s: %w", keep, err)
		}
	}
	return nil
}

// maskSettings puts a file over each kernel setting that a kubelet would change.
func maskSettings(folder string) error {
	for name, value := range settings {
		target := filepath.Join("/proc/sys", name)
		if _, err := os.Stat(target); err != nil {
			continue // Not every kernel has every setting, and the kubelet copes.
		}
		source := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(source), 0o755)
		if err == nil {
			err = os.WriteFile(source, []byte(value+"\n"), 0o600)
		}
		if err == nil {
			err = unix.Mount(source, target, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("masking %s: %w", target, err)
		}
	}
	return nil
}
