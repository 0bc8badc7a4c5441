// Package kubeconfig writes the files with which the clients of the cluster find and convince the API server.
//
// It makes no keys: package pki does. It imports the standard library, pki and plan.
package kubeconfig
