// Package network joins the machines of the cluster: a bridge in the control plane's network namespace, one virtual
// cable from it into each node's, and the routes between their pods.
//
//	control-plane   br0 198.18.0.1 ──┬── eth0 198.18.0.11   node1   pods 198.18.129.0/24
//	                                 └── eth0 198.18.0.12   node2   pods 198.18.130.0/24
//
// There is no way out: default routes end at the bridge, because some components look for one, and nothing is
// behind it. All of it is in the machines' namespaces and goes with them; the host gets no device and no route.
// It imports netlink and plan.
package network
