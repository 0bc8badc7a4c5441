// Package part builds, starts and stops the pinned programs of neighbours, as processes of this machine beside the
// cluster.
package part
