// Package server fetches real database servers, gives them the shared libraries that this machine lacks, and proves
// that they start: MongoDB from Python wheels, and MariaDB, with the plugins HandlerSocket and MyRocks, from Debian's
// packages. It runs no server and speaks no protocol. It may import the standard library and this module's cache,
// command and debian packages.
package server
