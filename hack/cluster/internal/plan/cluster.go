package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// All addresses come from 198.18.0.0/15, the range that RFC 2544 sets aside for benchmarks, so that nothing here can
// collide with an address that means something elsewhere.
//
//	198.18.0.0/24      machines: .1 the control plane, .11 .12 .13 the nodes
//	198.18.128.0/17    pods: 198.18.(128+N).0/24 on node N
//	198.19.0.0/16      services: .0.1 the API server, .0.10 DNS
const (
	MachineRange        = "198.18.0.0/24"
	ControlPlaneAddress = "198.18.0.1"
	PodRanges           = "198.18.128.0/17"
	ServiceRange        = "198.19.0.0/16"
	APIServiceAddress   = "198.19.0.1"
	DNSAddress          = "198.19.0.10"
	Domain              = "cluster.local"
)

// MaxNodes is a limit of sense, not of the address plan: the nodes share the cores of one machine.
const MaxNodes = 3

// Node is one member of the cluster, numbered from 1.
type Node struct {
	Index int
}

// Name is both the node's name in the API and its machine's name.
func (n Node) Name() string { return fmt.Sprintf("node%d", n.Index) }

// Address is where the kubelet listens.
func (n Node) Address() string {
	return netip.AddrFrom4([4]byte{198, 18, 0, byte(10 + n.Index)}).String()
}

// PodRange is where the node's pods get their addresses from.
func (n Node) PodRange() string {
	address := netip.AddrFrom4([4]byte{198, 18, byte(128 + n.Index), 0})
	return netip.PrefixFrom(address, 24).String()
}

// ControlPlane is the name of the machine that runs everything but the nodes.
const ControlPlane = "control-plane"

// DefaultPort is where the API server is reached, on 127.0.0.1 of the host as well as inside the cluster. Another
// port is taken when this one is in use.
const DefaultPort = 16443

// Cluster is what has to be remembered between two commands.
type Cluster struct {
	// State is the folder that holds the whole cluster; removing the cluster removes it.
	State string `json:"state"`
	// NodeCount is the number of nodes, from 1 to MaxNodes.
	NodeCount int `json:"nodeCount"`
	// Port is the port of the API server, the same on the host and inside: so one kubeconfig serves both.
	Port int `json:"port"`
	// Finished tells that `up` reached its end once; without it the cluster is a ruin to be taken down.
	Finished bool `json:"finished"`
}

// ErrNoCluster is what Load answers when the state folder holds no cluster.
var ErrNoCluster = errors.New("no cluster is up")

// Load reads what `up` remembered in the state folder.
func Load(state string) (Cluster, error) {
	content, err := os.ReadFile(Marker(state))
	if errors.Is(err, fs.ErrNotExist) {
		return Cluster{}, fmt.Errorf("%w in %s: run `cluster up`", ErrNoCluster, state)
	}
	if err != nil {
		return Cluster{}, fmt.Errorf("reading cluster state: %w", err)
	}
	var c Cluster
	if err := json.Unmarshal(content, &c); err != nil {
		return Cluster{}, fmt.Errorf("reading cluster state: %s: %w; run `cluster down`", markerFile, err)
	}
	return c, nil
}

// Save writes the cluster into its state folder, in one step: a reader never sees half a file.
func (c Cluster) Save() error {
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding cluster state: %w", err)
	}
	temporary := filepath.Join(c.State, unfinishedMarker)
	err = os.WriteFile(temporary, append(content, '\n'), 0o600)
	if err == nil {
		err = os.Rename(temporary, Marker(c.State))
	}
	if err != nil {
		return fmt.Errorf("writing cluster state: %w", err)
	}
	return nil
}

// Nodes lists the nodes in order.
func (c Cluster) Nodes() []Node {
	nodes := make([]Node, 0, c.NodeCount)
	for index := 1; index <= c.NodeCount; index++ {
		nodes = append(nodes, Node{Index: index})
	}
	return nodes
}

// FindNode finds a node by its name.
func (c Cluster) FindNode(name string) (Node, error) {
	nodes := c.Nodes()
	at := slices.IndexFunc(nodes, func(node Node) bool { return node.Name() == name })
	if at < 0 {
		return Node{}, fmt.Errorf("%q is not a node: there are %s to %s", name, nodes[0].Name(), nodes[len(nodes)-1].Name())
	}
	return nodes[at], nil
}

// Machines lists the names of all machines, the control plane first.
func (c Cluster) Machines() []string {
	names := append(make([]string, 0, 1+c.NodeCount), ControlPlane)
	for _, node := range c.Nodes() {
		names = append(names, node.Name())
	}
	return names
}

// HostURL is the API server as the host, and the control plane's own processes, reach it.
func (c Cluster) HostURL() string { return "https://127.0.0.1:" + strconv.Itoa(c.Port) }

// NodeURL is the API server as the nodes reach it.
func (c Cluster) NodeURL() string {
	return "https://" + ControlPlaneAddress + ":" + strconv.Itoa(c.Port)
}

// CgroupName is the cgroup below which all pods of the cluster are. It is derived from the state folder, so that two
// clusters with two state folders do not end each other's pods.
func CgroupName(state string) string {
	sum := sha256.Sum256([]byte(state))
	return "mongobench-" + hex.EncodeToString(sum[:4])
}

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

// Registries is the folder where a node's containerd looks, at each pull, for where a registry's images are.
func (c Cluster) Registries(node Node) string { return c.Config(node.Name(), "registries") }

// ContainerdSocket is a node's containerd as seen from the host.
func (c Cluster) ContainerdSocket(node Node) string {
	return filepath.Join(c.Machine(node.Name()), "fs", "run", "containerd", "containerd.sock")
}
