// Package component says how each process of the cluster is called and configured: of the control plane etcd, the API
// server, the controller manager, the scheduler, the volume provisioner and the forwarder by which the host reaches the
// API server; of a node containerd, the kubelet and kube-proxy.
//
// It starts nothing. Configurations are templates under templates/, and golden files pin what becomes of them. It
// imports machine (for the type of a command), pki (for file names) and plan.
package component
