// Package chart tests the Helm chart: it is linted, rendered with several sets of values, and compared with what stands
// in testdata. It is a module of its own because Helm's libraries are large and nothing that ships needs them.
//
// To regenerate the expected output: go test ./... -update.
package chart
