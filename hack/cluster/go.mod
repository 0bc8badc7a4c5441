// The orchestrator of the local cluster. Its dependencies stay few: what it starts is built from modules of its own.
module github.com/mongobench/mongobench-operator/hack/cluster

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/vishvananda/netlink v1.3.1
	github.com/vishvananda/netns v0.0.5
	golang.org/x/sys v0.49.0
)
