// Package kwok holds the scenario of a large cluster: a thousand nodes that kwok plays, on which pods are placed by
// the real scheduler and never run. docs/neighbours/kwok.md is its page.
package kwok
