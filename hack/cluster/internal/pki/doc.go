// Package pki makes the keys and certificates of the local cluster (three authorities: the cluster, etcd, the front
// proxy; one certificate for each server and each client; and the key that signs service account tokens) and the
// kubeconfigs of those who hold them.
//
// It knows who talks to whom, not how they are started. It imports the standard library and plan.
package pki
