// Package image makes container images out of files, byte for byte the same each time, and writes them as tarballs
// that container runtimes import, or as OCI layouts of several architectures, which registries are filled from. It
// neither builds programs nor talks to a registry or an engine. It may import the standard library and
// go-containerregistry.
package image
