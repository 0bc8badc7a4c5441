// Command etcd is the etcd server of the local cluster and of the envtest suites, at a pinned version.
//
// It is not configured here and holds nothing of ours; `cluster build` compiles it.
package main
