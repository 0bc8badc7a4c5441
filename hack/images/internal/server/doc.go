// Package server fetches real database servers, gives them the shared libraries that this machine lacks, and proves
// that they start: MongoDB from Python wheels, MariaDB, with the plugins HandlerSocket and MyRocks, from Debian's
// packages, and MySQL from files of Maven Central. It serves nobody and speaks no protocol. It may import the standard
// library and this module's cache, command and debian packages.
package server
