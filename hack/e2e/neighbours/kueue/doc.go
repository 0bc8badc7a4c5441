// Package kueue holds the scenario of runs that Kueue admits, on its nodes, and evicts. docs/neighbours/kueue.md is
// its page.
package kueue
