// Package conversion is a spike, kept as a test and shipped in nothing: it shows that a version of the API after
// v1alpha1 can be served beside it, and objects converted back and forth without loss. What it found is in
// docs/design/009-api-review.md.
//
// The version that it converts to is imaginary. All that is in it is in tests; it may import controller-runtime.
package conversion
