// Package samples holds the files beside it, for programs that hand them out, and those of the folder tasks: what new
// users ask first, each in as few lines as it takes.
//
// Every one of them is applied to a real API server by a test of package v1alpha1. The studies in the other folders are
// not among them. It imports nothing but the standard library.
package samples
