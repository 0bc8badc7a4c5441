// Package validation checks of a specification what the schema and its CEL rules cannot say: how fields that lie far
// apart fit together, what is written in JSON, and what is wrong only once defaults are filled in. The controllers put
// the outcome into the condition Accepted; the command line prints it.
//
// Every check is a pure function, and every error has the path of the field that has to be changed and says what to do.
// It is not the place for checks of a single field, which are markers in api/v1alpha1, and nothing here asks a server.
// It imports the API, internal/spec and its presets, the plan, internal/product, which says what databases can do, and
// internal/podspec, which says what pods are given, internal/reason, which says what there is to doubt,
// internal/present for its words, what apimachinery has for validation, the grammar of images' names, and the standard
// library; JSON is read by encoding/json alone.
package validation
