// Package doctor says what this machine has and lacks for a local cluster, and what to do about it. It changes
// nothing. It imports assets and cgroup.
package doctor
