package enter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// Exec runs a program in this process's place, inside. It only returns when it fails.
func Exec(c plan.Cluster, args, environment []string) error {
	// Namespaces are a thread's own, and the thread that calls exec gives its own to the program.
	runtime.LockOSThread()
	if err := join(c, plan.ControlPlane, unix.CLONE_NEWNET); err != nil {
		return err
	}
	if err := useClusterDNS(c); err != nil {
		return err
	}
	return Replace(args, environment)
}

// Replace runs a program in this process's place, here. It only returns when it fails.
func Replace(args, environment []string) error {
	path, err := lookUp(args[0], environment)
	if err != nil {
		return err
	}
	if err := unix.Exec(path, args, environment); err != nil {
		return fmt.Errorf("running %s: %w", path, err)
	}
	return nil
}

// Environment is the caller's, with the cluster's kubeconfig, and its kubectl first on the PATH. What the caller had
// of these is taken out: of two values most programs believe the first, and that may lead to another cluster.
func Environment(c plan.Cluster, binaries string, callers []string) []string {
	path := ""
	environment := []string{"KUBECONFIG=" + c.AdminKubeconfig()}
	for _, entry := range callers {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case "KUBECONFIG":
		case "PATH":
			path = value
		default:
			environment = append(environment, entry)
		}
	}
	return append(environment, "PATH="+binaries+":"+path)
}

// ExecOn runs a program in this process's place as one of a node's own, with its network and its files. It only returns
// when it fails.
func ExecOn(c plan.Cluster, node plan.Node, args, environment []string) error {
	runtime.LockOSThread()
	// What shares its root folder with other threads may not change what is mounted.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unsharing the root folder: %w", err)
	}
	if err := join(c, node.Name(), unix.CLONE_NEWNET, unix.CLONE_NEWNS); err != nil {
		return err
	}
	return Replace(args, environment)
}

// join takes this thread into namespaces of a machine.
func join(c plan.Cluster, name string, kinds ...int) error {
	record, err := machine.LoadRecord(c.Machine(name))
	if err != nil {
		return err
	}
	if !record.Running() {
		return fmt.Errorf("entering the cluster: %s has ended; run `cluster down`, then `cluster up`", name)
	}
	// By its handle, which stays the same process's.
	process, err := unix.PidfdOpen(record.PID, 0)
	if err != nil {
		return fmt.Errorf("entering %s: %w", name, err)
	}
	defer func() { _ = unix.Close(process) }()
	for _, kind := range kinds {
		if err := unix.Setns(process, kind); err != nil {
			return fmt.Errorf("entering %s: %w; it needs root", name, err)
		}
	}
	return nil
}

// useClusterDNS puts another resolv.conf in place of the host's, for this process only.
func useClusterDNS(c plan.Cluster) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unsharing mounts: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	const target = "/etc/resolv.conf"
	if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	source := c.Config(plan.ControlPlane, "resolv.conf")
	if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("replacing %s: %w", target, err)
	}
	return nil
}

// Configure writes the resolv.conf of those who enter.
func Configure(c plan.Cluster) error {
	path := c.Config(plan.ControlPlane, "resolv.conf")
	content := fmt.Sprintf("nameserver %s\nsearch default.svc.%s svc.%s %s\noptions ndots:5\n",
		plan.DNSAddress, plan.Domain, plan.Domain, plan.Domain)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing resolv.conf: %w", err)
	}
	return nil
}

// lookUp finds a program on the PATH that it is going to have, which is not this process's.
func lookUp(name string, environment []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var path string
	for _, entry := range environment {
		if value, found := strings.CutPrefix(entry, "PATH="); found {
			path = value
		}
	}
	return assets.LookUp(name, path)
}
