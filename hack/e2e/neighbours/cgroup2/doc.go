// Package cgroup2 holds the scenario of a kernel that has control groups of version 2 alone, whatever the machine
// has: Linux in user mode, of Debian's testing release, as a plain process. In it mongod and the load generator run
// under limits that bite. It needs no cluster: `make cgroup2-test` runs it. docs/neighbours/cgroup2.md is its page.
package cgroup2
