// Package teardown leaves the machine as it was before `up`, whatever state the cluster is in: also when `up` was
// killed in the middle, when components have died, or when nothing was ever started.
//
// It trusts nothing that was written down alone: processes are found by their mark, by their network namespace and by
// their cgroup. It imports cgroup, machine and plan.
package teardown
