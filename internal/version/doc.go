// Package version says which release a program is of. A release sets it when it links its programs (hack/release);
// what is built from a working tree is "dev". It imports the standard library.
package version
