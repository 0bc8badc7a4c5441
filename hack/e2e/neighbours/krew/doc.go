// Package krew has Krew install, upgrade and uninstall the plugin.
//
//	make e2e NEIGHBOURS=krew        the page for its users is docs/neighbours/krew.md
//
// The archives are those of `make krew`, and the manifest is its template with the address of a server of the test. It
// needs no cluster.
package krew
