// Package addons holds what is put into a fresh cluster by way of its API: a few rules of access, the default
// StorageClass, and CoreDNS.
//
// It applies nothing itself: it renders manifests for kubectl. It imports the standard library and plan.
package addons
