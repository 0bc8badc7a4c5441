package network

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

const (
	bridgeName = "br0"
	cableName  = "eth0"
)

// Join makes the network of the machines whose inits have the given PIDs, the control plane's under its name.
func Join(c plan.Cluster, pids map[string]int) error {
	hub, err := open(pids[plan.ControlPlane])
	if err != nil {
		return fmt.Errorf("joining the control plane: %w", err)
	}
	defer hub.close()
	if err := hub.makeBridge(); err != nil {
		return fmt.Errorf("making the bridge: %w", err)
	}
	for _, node := range c.Nodes() {
		if err := joinNode(hub, c, node, pids[node.Name()]); err != nil {
			return err
		}
	}
	// The control plane runs no proxy of its own; its processes, and `cluster exec`, reach services through a node.
	return hub.route(plan.ServiceRange, c.Nodes()[0].Address())
}

// Rejoin brings back one node that had been joined before, by the PIDs of the control plane's init and of its new one.
func Rejoin(c plan.Cluster, node plan.Node, hubPID, pid int) error {
	hub, err := open(hubPID)
	if err != nil {
		return fmt.Errorf("joining the control plane: %w", err)
	}
	defer hub.close()
	return joinNode(hub, c, node, pid)
}

// joinNode lays the cable to one node and tells it the way to all others.
func joinNode(hub *namespace, c plan.Cluster, node plan.Node, pid int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("joining %s: %w", node.Name(), err)
		}
	}()
	spoke, err := open(pid)
	if err != nil {
		return err
	}
	defer spoke.close()
	if err := hub.layCable(node.Name(), spoke); err != nil {
		return err
	}
	if err := spoke.raise(cableName, node.Address()); err != nil {
		return err
	}
	if err := spoke.route("0.0.0.0/0", plan.ControlPlaneAddress); err != nil {
		return err
	}
	for _, other := range c.Nodes() {
		if other == node {
			continue
		}
		if err := spoke.route(other.PodRange(), other.Address()); err != nil {
			return err
		}
	}
	return hub.route(node.PodRange(), node.Address())
}

// namespace is a network namespace to work in from outside.
type namespace struct {
	*netlink.Handle

	file netns.NsHandle
}

// open enters, by its handle only, the network namespace of a process, and raises its loopback.
func open(pid int) (*namespace, error) {
	file, err := netns.GetFromPid(pid)
	if err != nil {
		return nil, fmt.Errorf("opening network namespace of process %d: %w", pid, err)
	}
	handle, err := netlink.NewHandleAt(file)
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("opening netlink in the namespace of process %d: %w", pid, err)
	}
	n := &namespace{Handle: handle, file: file}
	if err := n.raise("lo", ""); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *namespace) close() {
	n.Close()
	_ = n.file.Close()
}

// makeBridge makes the bridge, the one device of the control plane.
func (n *namespace) makeBridge() error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = bridgeName
	bridge := &netlink.Bridge{LinkAttrs: attributes}
	if err := n.LinkAdd(bridge); err != nil {
		return fmt.Errorf("adding %s: %w", bridgeName, err)
	}
	if err := n.raise(bridgeName, plan.ControlPlaneAddress); err != nil {
		return err
	}
	nowhere := &netlink.Route{LinkIndex: bridge.Attrs().Index, Dst: network("0.0.0.0/0"), Scope: netlink.SCOPE_LINK}
	if err := n.RouteAdd(nowhere); err != nil {
		return fmt.Errorf("adding default route: %w", err)
	}
	return nil
}

// layCable makes a pair of devices: one at the bridge, under the node's name, and one in the node. What an earlier life
// of the node left goes: the kernel takes its time to remove the devices of a network namespace that nobody is in.
func (n *namespace) layCable(name string, spoke *namespace) error {
	if left, err := n.LinkByName(name); err == nil {
		_ = n.LinkDel(left) // Gone meanwhile, or adding the new one tells.
	}
	bridge, err := n.LinkByName(bridgeName)
	if err != nil {
		return fmt.Errorf("finding %s: %w", bridgeName, err)
	}
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.MasterIndex = name, bridge.Attrs().Index
	cable := &netlink.Veth{LinkAttrs: attributes, PeerName: cableName, PeerNamespace: netlink.NsFd(spoke.file)}
	if err := n.LinkAdd(cable); err != nil {
		return fmt.Errorf("adding cable %s: %w", name, err)
	}
	return n.raise(name, "")
}

// raise sets a device up, with an address in the machines' range unless it is empty.
func (n *namespace) raise(device, address string) error {
	link, err := n.LinkByName(device)
	if err != nil {
		return fmt.Errorf("finding %s: %w", device, err)
	}
	if address != "" {
		ipNet := network(plan.MachineRange)
		ipNet.IP = net.ParseIP(address)
		if err := n.AddrAdd(link, &netlink.Addr{IPNet: ipNet}); err != nil {
			return fmt.Errorf("giving %s the address %s: %w", device, address, err)
		}
	}
	if err := n.LinkSetUp(link); err != nil {
		return fmt.Errorf("setting %s up: %w", device, err)
	}
	return nil
}

// route sends a range to a gateway.
func (n *namespace) route(destination, gateway string) error {
	if err := n.RouteReplace(&netlink.Route{Dst: network(destination), Gw: net.ParseIP(gateway)}); err != nil {
		return fmt.Errorf("adding route to %s by %s: %w", destination, gateway, err)
	}
	return nil
}

// network turns one of the plan's ranges into netlink's type; the plan holds no malformed one.
func network(cidr string) *net.IPNet {
	prefix := netip.MustParsePrefix(cidr)
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen())}
}
