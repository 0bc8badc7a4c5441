// Package controlplane says how each process of the control plane is called: etcd, the API server, the controller
// manager, the scheduler, the volume provisioner, and the forwarder by which the host reaches the API server.
//
// It starts nothing. It imports machine (for the type of a command), pki (for file names) and plan.
package controlplane
