// Package condition sets conditions and tells what changed between two lists of them. Everything in it is pure: the
// time is passed in, and a change is returned for others to tell.
//
// It knows no reasons; those are in api/v1alpha1. It imports apimachinery only.
package condition
