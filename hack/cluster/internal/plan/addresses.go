package plan

import (
	"fmt"
	"net/netip"
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
