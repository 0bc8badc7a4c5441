// Package samples holds the files beside it, for programs that hand them out.
//
// Every one of them is applied to a real API server by a test of package v1alpha1. The studies in the folders below are
// not among them. It imports nothing but the standard library.
package samples
