// Command krew checks the manifest of the plugin for Krew, and the archives that it names, as `make krew` has made
// them.
//
// The rules are those of Krew for a manifest of v1alpha2
// (https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/): its version, names, platforms and sums. Besides,
// the archives have to be the files that the sums are of, and to hold what the manifest speaks of, with the licence.
// Krew itself installs it in hack/e2e/neighbours/krew. It imports yaml and the standard library.
package main
