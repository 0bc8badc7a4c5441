package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

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
	content, err := os.ReadFile(filepath.Join(state, markerFile))
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
	if err := os.WriteFile(temporary, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing cluster state: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(c.State, markerFile)); err != nil {
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
	names := make([]string, 0, 1+c.NodeCount)
	names = append(names, ControlPlane)
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
