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

// Machines lists the names of all machines, the control plane first.
func (c Cluster) Machines() []string {
	names := []string{ControlPlane}
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
