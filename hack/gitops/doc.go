// Package gitops tests what config/gitops ships for other programs: health checks for Argo CD, run by a Lua
// interpreter that has what Argo CD's has; health expressions for Flux, evaluated as Flux does; and the examples for
// pipelines, whose script is run with a kubectl that answers from a file. Each is asked about objects of every state,
// which first have to pass the schemas of config/crd.
//
// It is a module of its own because the interpreters are large and nothing that ships needs them. It imports nothing of
// the operator.
//
// To regenerate derived files: go test ./... -update.
package gitops
