// Package flux has Flux, its source-controller and its kustomize-controller, keep a suite that a repository holds.
package flux
