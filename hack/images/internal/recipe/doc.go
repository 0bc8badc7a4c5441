// Package recipe lists the images of a local cluster, one file each: what goes in and how it runs. Packing is the image
// package's work, fetching servers the mongod package's. It may import the standard library, go-containerregistry's
// configuration type and this module's packages.
package recipe
