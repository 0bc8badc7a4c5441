// Package crd holds the definitions of the kinds beside it, for programs that compare them with those of a cluster.
//
// The files are generated from package v1alpha1. It imports nothing but the standard library.
package crd
