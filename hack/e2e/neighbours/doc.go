// Package neighbours holds scenarios with the programs of others that mongobench works with, run for real.
//
//	make e2e NEIGHBOURS=all        or  make e2e NEIGHBOURS="kueue krew"
//
// Each folder is one neighbour: in module/go.mod the version of it that is built and run, in the folder itself the
// scenario behind the build tag e2e, and in docs/neighbours the page that its users follow, whose commands the
// scenario runs. The package part starts and stops what the scenarios share: programs that are no pods.
package neighbours
