// Package debian gets packages of Debian and what is in them, and gives programs the shared libraries that this machine
// lacks. Nothing is installed, and apt's own state stays as it is. It may import the standard library and this module's
// command package.
package debian
