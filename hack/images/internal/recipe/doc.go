// Package recipe lists the images of a local cluster: what goes in and how each runs. Packing is the image package's
// work, fetching servers the server package's. It may import the standard library, go-containerregistry's configuration
// type and this module's packages.
package recipe
