package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

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
	kept, err := openAll(keep)
	if err != nil {
		return err
	}
	defer closeAll(kept)
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
func hide(path, source string, kept map[string]*os.File) error {
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
	for keep, handle := range kept {
		if !strings.HasPrefix(keep, path+"/") {
			continue
		}
		// By its descriptor, since its path no longer leads there.
		from := "/proc/self/fd/" + strconv.Itoa(int(handle.Fd()))
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

func openAll(paths []string) (map[string]*os.File, error) {
	opened := map[string]*os.File{}
	for _, path := range paths {
		handle, err := os.OpenFile(path, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			closeAll(opened)
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		opened[path] = handle
	}
	return opened, nil
}

func closeAll(files map[string]*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
