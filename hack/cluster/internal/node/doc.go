// Package node says how a node's three processes are called and configured: containerd, the kubelet and kube-proxy.
//
// It starts nothing. Configurations are templates under templates/, and golden files pin what becomes of them. It
// imports machine (for the type of a command), pki (for file names) and plan.
package node
