// Package samples holds the files beside it, for programs that hand them out, and those of three folders: tasks has
// what new users ask first, each in as few lines as it takes, tools what the pages for users of other tools show, and
// workloads what applications of several kinds do.
//
// Every one of them is applied to a real API server by a test of package v1alpha1. The studies in the other folders are
// not among them. It imports nothing but the standard library.
package samples
