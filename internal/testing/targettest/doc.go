// Package targettest holds what the tests of a target's decisions and of its controller have in common: targets, and
// what a kubelet, the controllers of Kubernetes and a topology Job would write. It is for tests only. It imports api,
// the API types of Kubernetes and naming.
package targettest
