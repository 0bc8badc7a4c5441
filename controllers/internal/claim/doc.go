// Package claim keeps two installations of the operator from working in one namespace, where they would undo each
// other's changes for ever. An installation works in a namespace as long as it holds the Lease there, and leaves it to
// whoever else does:
//
//	no Lease ── create ──► held ── renewed while there is work ──► held
//	                         ▲                                       │ not renewed for its duration
//	another's ── watched ────┴───────────── taken over ◄─────────────┘
//
// The holder is the installation and not its pod, so that a restart or an upgrade goes straight on. Whether a Lease of
// another has run out is told by this manager's clock alone, from when it last saw it change. An API server that does
// not answer is no leave to work.
//
// It imports controller-runtime, the API and package condition.
package claim
