// Package machine makes and finds the "machines" of the local cluster: a process tree with its own network, PID,
// mount, host name and IPC namespaces. The first process of a machine (its init, this same program) sets up what it
// can see, starts the processes that `up` asks for, and reaps.
//
// The kernel does most of taking a machine down: when its init ends, every process in it ends, and with the last one
// go its mounts, its network devices and its routes. Nothing is ever mounted or linked on the host.
//
// It is not a container runtime: machines see the host's files but for a few private directories. It imports the
// standard library, golang.org/x/sys and nothing of ours.
package machine
