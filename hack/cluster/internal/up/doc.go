// Package up brings the cluster up, step by step, each with a deadline and an error that names what failed and what it
// said last. It is the only package that knows the order of things, and what goes into a cluster that runs: images,
// which hack/images has built, and the addons.
//
// It imports all the others but teardown's callers; only the commands import it.
package up
