// Package settings holds what the operator was started with, as far as the controllers need it. It is plain data, so
// that a decision can be given it. Flags are read in cmd/manager. It imports the domain, and package queue for the
// words of a node pool.
package settings
