package plan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// markerFile says that a folder is the state of a cluster, and so may be removed as a whole.
const markerFile = "cluster.json"

// unfinishedMarker is the same file while it is being written.
const unfinishedMarker = markerFile + ".new"

// longestState keeps the paths of the sockets below the state folder within the 107 bytes that the kernel takes.
const longestState = 50

// StateFolder is where the cluster lives: $MONGOBENCH_STATE, or a folder of its own under /var/lib.
func StateFolder() (string, error) {
	folder := os.Getenv("MONGOBENCH_STATE")
	if folder == "" {
		folder = "/var/lib/mongobench"
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("finding the state folder: %w", err)
	}
	if len(absolute) > longestState {
		return "", fmt.Errorf("state folder %s: longer than %d characters, too long for the sockets below it; "+
			"set MONGOBENCH_STATE to a shorter path", absolute, longestState)
	}
	return absolute, nil
}

// CacheFolder is where what was built or downloaded stays: $MONGOBENCH_CACHE, or ~/.cache/mongobench.
func CacheFolder() (string, error) {
	folder := os.Getenv("MONGOBENCH_CACHE")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache folder: %w; set MONGOBENCH_CACHE", err)
		}
		folder = filepath.Join(home, ".cache", "mongobench")
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return absolute, nil
}

// LockFile is the lock of the cluster in the state folder. It is in the cache, since the state goes with the cluster.
func LockFile(cache, state string) string { return filepath.Join(cache, CgroupName(state)+".lock") }

// Marker is the file by which a state folder is known.
func Marker(state string) string { return filepath.Join(state, markerFile) }

// IsState tells whether a folder with these entries is the state of a cluster, be it one that was just begun.
func IsState(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		return entry.Name() == markerFile || entry.Name() == unfinishedMarker
	})
}

// PKI is the folder of keys and certificates.
func (c Cluster) PKI() string { return filepath.Join(c.State, "pki") }

// Key is a file in it.
func (c Cluster) Key(file string) string { return filepath.Join(c.PKI(), file) }

// Kubeconfig is the file with which the named user reaches the API server.
func (c Cluster) Kubeconfig(user string) string {
	return filepath.Join(c.State, "kubeconfig", user+".conf")
}

// AdminKubeconfig is the file for people and tests; it works on the host and inside the cluster.
func (c Cluster) AdminKubeconfig() string { return c.Kubeconfig("admin") }

// EtcdData is where etcd keeps everything.
func (c Cluster) EtcdData() string { return filepath.Join(c.State, "etcd") }

// Volumes is where the volumes of the default StorageClass are.
func (c Cluster) Volumes() string { return filepath.Join(c.State, "volumes") }

// Program is the copy of the orchestrator that the machines run; `go run` removes the original.
func (c Cluster) Program() string { return filepath.Join(c.State, "bin", "cluster") }

// Machine is the folder of one machine: its record, logs, configuration and private directories.
func (c Cluster) Machine(name string) string { return filepath.Join(c.State, "machines", name) }

// Config is a configuration file of one machine.
func (c Cluster) Config(machine, file string) string {
	return filepath.Join(c.Machine(machine), "etc", file)
}

// ContainerdSocket is a node's containerd as seen from the host.
func (c Cluster) ContainerdSocket(node Node) string {
	return filepath.Join(c.Machine(node.Name()), "fs", "run", "containerd", "containerd.sock")
}
