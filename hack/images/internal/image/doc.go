// Package image makes container images out of files, byte for byte the same each time, and writes them as tarballs
// that container runtimes import. It neither builds programs nor talks to a registry or an engine. It may import the
// standard library and go-containerregistry.
package image
