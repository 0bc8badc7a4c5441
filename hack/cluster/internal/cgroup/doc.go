// Package cgroup makes and removes the cgroup below which a kubelet puts its pods, in every hierarchy of version 1
// (or of a hybrid) or in the one of version 2.
//
// It sets no limits: the kubelet does. It imports the standard library only.
package cgroup
