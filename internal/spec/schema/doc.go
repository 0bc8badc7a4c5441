// Package schema checks an object of a file with the schema and the CEL rules of its CustomResourceDefinition, as the
// API server does when the object is created. The command line uses it for files that no API server has seen.
//
// It is not the place for rules of its own: those are markers in api/v1alpha1, or in internal/spec/validation. It
// imports the definitions and the API server's own validation (k8s.io/apiextensions-apiserver), which are large: the
// manager never links it.
package schema
