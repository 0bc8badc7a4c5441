// Package cgroup reads what Linux tells of the CPU limit of a process: in how many of the scheduler's periods it had
// something to run, and in how many of these its limit stopped it. Where the kernel tells nothing, or there is no
// limit, nothing is known.
package cgroup
