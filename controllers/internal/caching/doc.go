// Package caching bounds what the manager holds in memory of a cluster, whatever others write into it: what is kept of
// an object, and how many of them are read at a time when the manager starts.
//
// A label is anybody's to write, so that an object with the operator's own label need not be the operator's. It imports
// api, naming, what conditions say, and the libraries of the cache.
package caching
