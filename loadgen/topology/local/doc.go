// Package local starts a MongoDB for a try: the mongod of this machine, on the loopback interface alone, without
// authentication, with its data in a temporary folder. It ends with what started it, and leaves nothing.
//
//	Start ── mongod ── answers ── (replSetInitiate ── is primary) ──▶ URI ... Stop ── SIGTERM ── folder removed
//
// It is not for figures that last, which need a server on a machine of its own. It imports the driver, and nothing of
// the project.
package local
